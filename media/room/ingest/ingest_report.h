// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/periodic/time/time.h"
#include "media/room/ingest/ingest_life.h"
#include "media/room/track_feed.h"

namespace tactus::media {

/// What came of one track, since the publisher connected.
struct IngestFigures {
  MediaKind kind = MediaKind::Video;
  std::uint64_t packets = 0;   ///< handed to the consumers
  std::uint64_t bytes = 0;     ///< with RTP headers
  std::uint64_t pictures = 0;  ///< whose last packet came; 0 for sound
  std::uint64_t lost = 0;      ///< packets that never came, in spite of repetition
  std::uint64_t dropped = 0;   ///< packets that were not kept: consumers were too slow, or they were junk
  std::uint64_t keyframesAsked = 0;   ///< requests, of consumers and because of lost packets
  std::uint64_t keyframesPassed = 0;  ///< requests sent to the publisher
  periodic::Duration jitter{};        ///< of arrival (RFC 3550, 6.4.1)
  /// From the request for a lost packet to its repetition: a round trip and the publisher's delay. Absent
  /// while nothing was repeated: who only receives measures no other round trip.
  std::optional<periodic::Duration> roundTrip = {};
};

/// How an ingest stands.
struct IngestReport {
  IngestState state = IngestState::Connecting;
  IngestEnd end = IngestEnd::None;
  std::string fault = {};  ///< one sentence; empty unless `end` is Failed
  std::vector<IngestFigures> tracks = {};
};

/// Hears of an ingest. Called on the ingest's thread, with no lock held.
class IngestListener {
 public:
  virtual ~IngestListener() = default;
  /// The state has changed, or a second has passed. After a report with `Ended` nothing follows.
  virtual void onIngest(const IngestReport& report) = 0;
};

}  // namespace tactus::media
