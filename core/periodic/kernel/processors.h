// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

namespace tactus::periodic {

/// The processors that the calling thread may use; ascending. Thread-safe: yes. Real-time-safe: no
/// (allocates).
[[nodiscard]] std::vector<int> allowedCpus();

/// Keeps the thread `tid` on one processor, or on any of `all` with -1. It may have ended: no error.
/// Thread-safe: yes. Real-time-safe: yes (one system call).
void keepOn(pid_t tid, int cpu, const std::vector<int>& all) noexcept;

}  // namespace tactus::periodic
