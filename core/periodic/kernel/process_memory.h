// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus::periodic {

/// Memory of this process, in bytes.
struct ProcessMemory {
  /// What it could still get: what the machine has free or can free without swapping, and no more than its
  /// control groups leave.
  std::uint64_t free = 0;
  std::uint64_t ours = 0;  ///< resident, apart from pages of files
};

/// Nullopt where /proc cannot be read. Thread-safe: yes. Real-time-safe: no (reads files).
[[nodiscard]] std::optional<ProcessMemory> readProcessMemory();

/// The number of bytes in a line such as "MemAvailable:   23201 kB"; nullopt without such a line.
/// Thread-safe: yes (pure).
[[nodiscard]] std::optional<std::uint64_t> bytesNamed(std::string_view text, std::string_view key) noexcept;
/// Of a control group: what is left below its limit, where `limit` and `usage` are what its files hold ("max"
/// is none) and `reclaimable` of the usage is kept only while nobody wants it. Thread-safe: yes (pure).
[[nodiscard]] std::optional<std::uint64_t> leftBelow(std::string_view limit, std::string_view usage,
                                                     std::uint64_t reclaimable) noexcept;

}  // namespace tactus::periodic
