// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/net/estimator/bandwidth_estimator.h"
#include "core/net/link/bit_rate.h"
#include "core/periodic/time/time.h"

namespace tactus::media {

/// What a probe of a line has shown.
struct ProbeResult {
  std::uint64_t repeated = 0;  ///< packets that were sent again for it; 0: it has shown nothing
  net::BitRate sent = {};      ///< of all that was sent while it lasted
  net::BitRate carried = {};   ///< at which that arrived; 0: fewer than two packets did
};

/// Whether a line carries a rate R, found out in 150 ms: packets are repeated so that all that is sent has
/// that rate, and transport-wide feedback says how fast it arrived. A line that carries less spreads the
/// arrivals, whether it keeps a queue or drops packets; nothing that is seen waits longer than the probe's
/// own bytes take. With t the time since the beginning:
///
///     due     = R t - bytes sent since the beginning
///     carried = bytes that arrived after the first packet / (last arrival - first arrival)
///
/// As the probe clusters of draft-ietf-rmcat-gcc-02's implementations. Thread-safe: no. Real-time-safe: yes.
class LineProbe {
 public:
  static constexpr periodic::Duration kSpan = std::chrono::milliseconds(150);

  /// The one before is forgotten, with its result.
  void begin(periodic::TimePoint now, net::BitRate rate) TACTUS_REALTIME;
  /// Bytes that are to be repeated now; nullopt: nothing is sent for it any more.
  [[nodiscard]] std::optional<std::size_t> due(periodic::TimePoint now) const TACTUS_REALTIME;
  /// A packet of any kind goes.
  void sent(periodic::TimePoint now, std::size_t bytes) TACTUS_REALTIME;
  /// So many packets were sent again for it.
  void repeated(std::uint64_t packets) TACTUS_REALTIME { m_repeated += packets; }
  /// What became of packets, of any time.
  void told(periodic::TimePoint now, std::span<const net::PacketOutcome> outcomes) TACTUS_REALTIME;
  /// Of the last one; nullopt: there was none, or it is not over.
  [[nodiscard]] const std::optional<ProbeResult>& result() const noexcept { return m_result; }

 private:
  [[nodiscard]] bool isOf(periodic::TimePoint sent) const TACTUS_REALTIME {
    return m_begun && *m_begun <= sent && sent < *m_begun + kSpan;
  }
  void arrived(periodic::Duration at, std::size_t bytes) TACTUS_REALTIME;
  [[nodiscard]] net::BitRate carried() const TACTUS_REALTIME;

  std::optional<periodic::TimePoint> m_begun;  // absent: none is on its way
  net::BitRate m_rate;
  std::size_t m_sent = 0;  // bytes
  std::uint64_t m_repeated = 0;
  struct Arrivals {
    periodic::Duration first{0}, last{0};
    std::size_t bytes = 0, bytesOfFirst = 0;
  };
  std::optional<Arrivals> m_arrivals;
  std::optional<ProbeResult> m_result;
};

}  // namespace tactus::media
