// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "media/room/egress/egress_leg.h"
#include "media/room/egress/retransmission_history.h"
#include "media/room/track_feed.h"

namespace tactus::media {

/// The packets of one track to all its subscribers: each is read once, kept once for retransmissions (of
/// pictures), and forwarded by each leg. Locks go in the order fan-out, leg, channel. Thread-safe: yes.
class TrackFanout final : public PacketConsumer {
 public:
  /// Takes packets of `feed`, which outlives this, from now on.
  explicit TrackFanout(TrackFeed& feed);
  ~TrackFanout() override;
  TrackFanout(const TrackFanout&) = delete;
  TrackFanout& operator=(const TrackFanout&) = delete;

  [[nodiscard]] TrackFeed& feed() const noexcept { return m_feed; }
  /// `leg` gets what comes, as another source than it had, until remove(). Real-time-safe: no.
  void add(EgressLeg& leg);
  /// Likewise, once it begins a picture that needs no other; until then the leg keeps the source that it has.
  void addNext(EgressLeg& leg);
  /// `leg` gets what comes here, not from a source that it had before. Real-time-safe: yes.
  [[nodiscard]] bool serves(const EgressLeg& leg) const TACTUS_REALTIME { return leg.source() == this; }
  /// `leg` is not used any more when it returns. Real-time-safe: no.
  void remove(EgressLeg& leg);
  /// Sends again to `leg` what it has lost. Real-time-safe: yes.
  void repeat(EgressLeg& leg, std::span<const std::uint16_t> sequences,
              periodic::TimePoint now) TACTUS_REALTIME;
  /// Sends the newest packets of `leg` again, about `bytes` of them; how many. Real-time-safe: yes.
  std::size_t pad(EgressLeg& leg, std::size_t bytes, periodic::TimePoint now) TACTUS_REALTIME;
  void consume(std::span<const std::span<const std::byte>> packets) noexcept override;

 private:
  TrackFeed& m_feed;
  periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  std::vector<EgressLeg*> m_legs;
  std::optional<RetransmissionHistory> m_history;
};

}  // namespace tactus::media
