// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// The bytes of a film by period T, and the smallest buffer, one a period, that carries it. With b(k) the
/// bytes of period k, A how far ahead they may leave and D how late they may come, buffers of B bytes do if
///
///     sent(n) = min(sent(n-1) + B, b(0) + ... + b(n + A)) >= b(0) + ... + b(n - D)    for all n
///
/// A and D in periods. Thread-safe: no.
class RateMeter {
 public:
  /// Instants from 0, at most kLongest; what comes behind counts there.
  void note(std::size_t bytes, periodic::Duration at);
  [[nodiscard]] std::uint64_t bytes() const noexcept { return m_bytes; }
  /// The smallest B, in bytes; 0 where nothing was noted.
  [[nodiscard]] std::size_t smallestBuffer() const;

  static constexpr periodic::Duration kLongest = std::chrono::hours(24);

 private:
  [[nodiscard]] bool carries(std::uint64_t buffer) const;
  std::vector<std::uint64_t> m_periods;
  std::uint64_t m_bytes = 0;
};

}  // namespace tactus::media
