// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace tactus::conference {

/// Fills a span with random bytes; those of the kernel (getrandom(2)) where they are to be secret.
using RandomBytes = std::function<void(std::span<std::uint8_t>)>;

/// The kernel's, of getrandom(2). Thread-safe: yes. Real-time-safe: no (the first call after boot may wait).
void kernelRandomBytes(std::span<std::uint8_t> bytes);

/// 4/3 `bytes` characters of base64url from as many random bytes; `bytes` is a multiple of 3.
/// Thread-safe: as `random`. Real-time-safe: no (allocates).
[[nodiscard]] std::string randomText(const RandomBytes& random, std::size_t bytes);

}  // namespace tactus::conference
