// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/periodic/time/time.h"
#include "media/room/egress/rtcp_feedback.h"

namespace tactus::media {

/// NTP time (RFC 3550, 4) of the monotonic clock: seconds since 1900 in the upper 32 bits, fractions below.
/// It is the wall clock of the instant at which it was made, and does not jump when that is set. Thread-safe:
/// yes. Real-time-safe: yes.
class NtpClock {
 public:
  /// `wallClock`: since 1970, at `now`.
  NtpClock(periodic::Duration wallClock, periodic::TimePoint now) noexcept
      : m_offset(wallClock - now.time_since_epoch()) {}
  [[nodiscard]] std::uint64_t at(periodic::TimePoint now) const TACTUS_REALTIME;

 private:
  periodic::Duration m_offset;
};

/// What a sender says of one stream (RFC 3550, 6.4.1).
struct SenderReport {
  std::uint32_t ssrc = 0;
  std::uint64_t ntp = 0;        ///< the instant ...
  std::uint32_t timestamp = 0;  ///< ... and the stream's time stamp at it
  std::uint32_t packets = 0, bytes = 0;
  std::string name = {};  ///< CNAME, by which receivers know streams that belong together
};

/// The compound packet of a report and its name, not encrypted. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] std::vector<std::byte> writeSenderReport(const SenderReport& report);

/// How long a packet and its answer are on their way, of a report about a stream of ours that came at `now`;
/// nullopt: no report of ours has come there, or the numbers contradict each other. Thread-safe: yes (pure).
[[nodiscard]] std::optional<periodic::Duration> roundTripOf(const ReceptionReport& report, std::uint64_t now);

}  // namespace tactus::media
