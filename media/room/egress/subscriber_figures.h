// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "media/room/egress/delivery_ledger.h"
#include "media/room/egress/egress_leg.h"
#include "media/room/egress/line_probe.h"

namespace tactus::media {

/// How a subscriber is served, since it began.
struct SubscriberFigures {
  bool connected = false;  ///< encrypted media can go
  struct Track {
    EgressLeg::Figures sent = {};
    std::uint64_t keyframesAsked = 0;  ///< by PLI and FIR
    double lostShare = 0;              ///< of its last report, 0 ... 1
    std::int64_t lost = 0;             ///< packets, by its last report
    bool withholds = false;            ///< pictures are left out: the line has no room for them
  };
  std::vector<Track> tracks = {};                     ///< in the order of the subscription
  std::optional<periodic::Duration> roundTrip = {};   ///< of its last report
  std::optional<net::BitRate> carries = {};           ///< as of EgressChannel
  std::optional<ProbeResult> probed = {};             ///< of the last probe; absent: it is not over
  DeliveryFigures delivery = {};                      ///< by transport-wide feedback
  std::uint64_t rtcpPackets = 0, rtcpUnreadable = 0;  ///< that came; of these, not the peer's or damaged
};

}  // namespace tactus::media
