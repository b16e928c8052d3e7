// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/net/link/bit_rate.h"
#include "core/periodic/time/time.h"
#include "media/room/track_feed.h"

namespace tactus::conference {

/// What comes of each feed: how much it takes of a line, of the last seconds in which anything came of it
/// (what rests now may come again), and how much of it is missing. Thread-safe: no. Real-time-safe: no.
class FeedRates {
 public:
  struct Counts {
    std::uint64_t bytes = 0, packets = 0;  ///< that came
    std::uint64_t missing = 0;             ///< packets that never came
  };
  /// `counts`: since it began; once a second or so.
  void update(periodic::TimePoint now, const media::TrackFeed& feed, const Counts& counts);
  /// nullopt: nothing is known of it yet.
  [[nodiscard]] std::optional<net::BitRate> of(const media::TrackFeed& feed) const;
  /// Nothing came of it lately, as the last look saw it: its publisher has paused it.
  [[nodiscard]] bool rests(const media::TrackFeed& feed) const;
  /// Nothing came of it for longer than any publisher that goes on would leave a gap. A feed that has just
  /// begun is not quiet: its publisher may still connect.
  [[nodiscard]] bool quiet(const media::TrackFeed& feed) const;
  /// Share of its packets that were missing over about 5 s, 0 ... 1.
  [[nodiscard]] double lost(const media::TrackFeed& feed) const;
  void forget(const media::TrackFeed& feed) { m_feeds.erase(&feed); }

 private:
  struct Feed {
    Counts counts = {};
    periodic::TimePoint begun = {};   // of the first look
    periodic::TimePoint at = {};      // of the last look
    periodic::TimePoint came = {};    // when it had more than before
    std::optional<double> rate = {};  // bits a second
    double packets = 0, missing = 0;  // of late: older ones count less
  };
  std::map<const media::TrackFeed*, Feed> m_feeds;
};

}  // namespace tactus::conference
