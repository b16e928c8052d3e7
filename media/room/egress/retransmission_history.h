// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/periodic/time/time.h"
#include "media/room/egress/rtp_view.h"

namespace tactus::media {

/// The last packets of a source, so that what a receiver has lost can be sent again (RFC 4588). One ring for
/// all receivers of the source, bounded in packets and in time; its memory is taken at the start.
/// Thread-safe: no. Real-time-safe: yes, all but the constructor.
class RetransmissionHistory {
 public:
  struct Bounds {
    std::size_t packets = 1024;                        ///< a power of two
    periodic::Duration age = std::chrono::seconds(1);  ///< a receiver has given up by then
  };
  explicit RetransmissionHistory(Bounds bounds);

  /// Takes the place of the packet `Bounds::packets` before. Payloads above kLongestRtpPayload are not kept.
  void store(const RtpView& packet, periodic::TimePoint now) TACTUS_REALTIME;
  /// The packet of this source and number; borrowed until the next store(). nullopt: it is not there, or
  /// older than allowed.
  [[nodiscard]] std::optional<RtpView> find(std::uint32_t ssrc, std::uint16_t sequence,
                                            periodic::TimePoint now) const TACTUS_REALTIME;

 private:
  struct Slot {
    RtpView packet;
    periodic::TimePoint at{};
    bool used = false;
  };
  const Bounds m_bounds;
  std::vector<Slot> m_slots;
  std::vector<std::byte> m_payloads;  // kLongestRtpPayload for each slot
};

}  // namespace tactus::media
