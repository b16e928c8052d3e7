// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/feed_rates.h"

#include <chrono>
#include <cmath>

namespace tactus::conference {
namespace {

constexpr double kAverage = 2;  // s
/// Longer than an encoder drops pictures so as to keep its rate.
constexpr periodic::Duration kRests = std::chrono::milliseconds(800);

}  // namespace

void FeedRates::update(periodic::TimePoint now, const media::TrackFeed& feed, std::uint64_t bytes) {
  const auto [found, isNew] = m_feeds.try_emplace(&feed, Feed{bytes, now, now, {}});
  if (isNew) return;
  Feed& known = found->second;
  const double step = periodic::inSeconds(now - known.at);
  if (step <= 0) return;
  if (bytes > known.bytes) {
    known.came = now;
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

bool FeedRates::rests(const media::TrackFeed& feed) const {
  const auto found = m_feeds.find(&feed);
  return found != m_feeds.end() && found->second.at - found->second.came > kRests;
}

}  // namespace tactus::conference
