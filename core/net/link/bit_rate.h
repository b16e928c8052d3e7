// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// Bits a second, of a link or a stream. 0: nothing passes. Thread-safe: no (a value).
class BitRate {
 public:
  constexpr BitRate() noexcept = default;  ///< 0
  /// For constants in code. 0 ... kLargest.
  [[nodiscard]] static constexpr BitRate perSecond(std::int64_t bits) noexcept { return BitRate(bits); }
  /// InvalidArgument outside 0 ... kLargest.
  [[nodiscard]] static Result<BitRate> create(std::int64_t bits);
  /// "20mbit", "600kbit", "1.5gbit", "64000": decimal multiples of bits a second, as tc(8) has them.
  /// InvalidArgument, with a sentence, for anything else.
  [[nodiscard]] static Result<BitRate> parse(std::string_view text);

  [[nodiscard]] constexpr std::int64_t bits() const noexcept { return m_bits; }
  [[nodiscard]] constexpr double bytes() const noexcept { return static_cast<double>(m_bits) / 8; }
  [[nodiscard]] constexpr bool isZero() const noexcept { return m_bits == 0; }
  /// How long so many bytes take, rounded up; Duration::max() at rate 0. Real-time-safe: yes.
  [[nodiscard]] periodic::Duration timeOf(std::size_t bytes) const TACTUS_REALTIME;
  /// How many bytes pass in so long, rounded down; none in a negative time. Real-time-safe: yes.
  [[nodiscard]] std::size_t bytesIn(periodic::Duration time) const TACTUS_REALTIME;
  /// "20 Mbit/s", "600 kbit/s". Real-time-safe: no (allocates).
  [[nodiscard]] std::string inWords() const;

  // clang-tidy takes the 0 of a comparison for a pointer. NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const BitRate&, const BitRate&) noexcept = default;

  static constexpr std::int64_t kLargest = 400'000'000'000;

 private:
  explicit constexpr BitRate(std::int64_t bits) noexcept : m_bits(bits) {}
  std::int64_t m_bits = 0;
};

}  // namespace tactus::net
