// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tactus::periodic {

/// Allocations by operator new that the calling thread has made. A test program that has
/// counted_allocations.cpp among its sources has its operators new and delete replaced. Thread-safe: yes.
[[nodiscard]] std::uint64_t allocationsOfThisThread() noexcept;

}  // namespace tactus::periodic
