// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/feed_rates.h"

#include <cmath>

namespace tactus::conference {
namespace {

constexpr double kAverage = 2;  // s

}  // namespace

void FeedRates::update(periodic::TimePoint now, const media::TrackFeed& feed, std::uint64_t bytes) {
  const auto [found, isNew] = m_feeds.try_emplace(&feed, Feed{bytes, now, {}});
  if (isNew) return;
  Feed& known = found->second;
  const double step = periodic::inSeconds(now - known.at);
  if (step <= 0) return;
  if (bytes > known.bytes) {
    const double rate = 8 * static_cast<double>(bytes - known.bytes) / step;
    known.rate = rate + (known.rate.value_or(rate) - rate) * std::exp(-step / kAverage);
  }
  known.bytes = bytes;
  known.at = now;
}

std::optional<net::BitRate> FeedRates::of(const media::TrackFeed& feed) const {
  const auto found = m_feeds.find(&feed);
  if (found == m_feeds.end() || !found->second.rate) return std::nullopt;
  return net::BitRate::perSecond(static_cast<std::int64_t>(*found->second.rate));
}

}  // namespace tactus::conference
