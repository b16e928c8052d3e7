// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/bit_rate.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::net {
namespace {

using periodic::Duration;
using periodic::format;

__extension__ using Wide = __int128;  // of bits times nanoseconds
constexpr std::int64_t kNanoseconds = 1'000'000'000;

struct Unit {
  std::string_view suffix;
  double bits;
};
/// The longest suffix first, so that "mbit" is not read as "bit".
constexpr std::array<Unit, 4> kUnits{{{"gbit", 1e9}, {"mbit", 1e6}, {"kbit", 1e3}, {"bit", 1}}};

Error malformed(std::string_view text) {
  return {ErrorCode::InvalidArgument,
          "A rate is a number of bits a second, such as 600kbit, 20mbit or 1.5gbit; '" +
              std::string(text.substr(0, 40)) + "' is not."};
}

}  // namespace

Result<BitRate> BitRate::create(std::int64_t bits) {
  if (bits < 0 || bits > kLargest)
    return Error{ErrorCode::InvalidArgument,
                 format("A rate lies between 0 and %lld bits a second; %lld does not.",
                        static_cast<long long>(kLargest), static_cast<long long>(bits))};
  return BitRate(bits);
}

Result<BitRate> BitRate::parse(std::string_view text) {
  double number = 0;
  // from_chars: the locale does not matter.
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || !std::isfinite(number)) return malformed(text);
  const std::string_view suffix(read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  double unit = suffix.empty() ? 1 : 0;
  for (const Unit& each : kUnits)
    if (suffix == each.suffix) unit = each.bits;
  if (unit == 0) return malformed(text);
  const double bits = number * unit;
  if (bits < 0 || bits > static_cast<double>(kLargest) || (bits > 0 && bits < 1)) return malformed(text);
  return BitRate(std::llround(bits));
}

Duration BitRate::timeOf(std::size_t bytes) const TACTUS_REALTIME {
  if (m_bits == 0) return Duration::max();
  const auto wanted = static_cast<Wide>(bytes) * 8 * kNanoseconds;
  const Wide time = (wanted + m_bits - 1) / m_bits;
  const Wide longest = Duration::max().count();
  return Duration(static_cast<std::int64_t>(time < longest ? time : longest));
}

std::size_t BitRate::bytesIn(Duration time) const TACTUS_REALTIME {
  if (time <= Duration::zero()) return 0;
  const auto bits = static_cast<Wide>(time.count()) * m_bits / kNanoseconds;
  return static_cast<std::size_t>(bits / 8);
}

std::string BitRate::inWords() const {
  const auto bits = static_cast<double>(m_bits);
  if (bits >= 999.5e6) return format("%.3g Gbit/s", bits / 1e9);
  if (bits >= 999.5e3) return format("%.3g Mbit/s", bits / 1e6);
  if (bits >= 999.5) return format("%.3g kbit/s", bits / 1e3);
  return format("%.0f bit/s", bits);
}

}  // namespace tactus::net
