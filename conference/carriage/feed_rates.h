// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/net/link/bit_rate.h"
#include "core/periodic/time/time.h"
#include "media/room/track_feed.h"

namespace tactus::conference {

/// How much each feed takes of a line, of the last seconds in which anything came of it: what rests now may
/// come again. Thread-safe: no. Real-time-safe: no.
class FeedRates {
 public:
  /// `bytes` that came of it so far; once a second or so.
  void update(periodic::TimePoint now, const media::TrackFeed& feed, std::uint64_t bytes);
  /// nullopt: nothing is known of it yet.
  [[nodiscard]] std::optional<net::BitRate> of(const media::TrackFeed& feed) const;
  /// Nothing came of it lately, as the last look saw it: its publisher has paused it.
  [[nodiscard]] bool rests(const media::TrackFeed& feed) const;
  void forget(const media::TrackFeed& feed) { m_feeds.erase(&feed); }

 private:
  struct Feed {
    std::uint64_t bytes = 0;
    periodic::TimePoint at = {};      // of the last look
    periodic::TimePoint came = {};    // when it had more than before
    std::optional<double> rate = {};  // bits a second
  };
  std::map<const media::TrackFeed*, Feed> m_feeds;
};

}  // namespace tactus::conference
