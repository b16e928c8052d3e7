// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/feed_rates.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tactus::conference {
namespace {

constexpr double kAverage = 2, kLossAverage = 5;  // s
/// Longer than an encoder drops pictures so as to keep its rate.
constexpr periodic::Duration kRests = std::chrono::milliseconds(800);
/// A screen on which nothing moves still has five pictures a second.
constexpr periodic::Duration kQuiet = std::chrono::milliseconds(1500);
constexpr periodic::Duration kBegins = std::chrono::seconds(3);

double growth(std::uint64_t before, std::uint64_t now) {
  return static_cast<double>(std::max(before, now) - before);
}

}  // namespace

void FeedRates::update(periodic::TimePoint now, const media::TrackFeed& feed, const Counts& counts) {
  const auto [found, isNew] =
      m_feeds.try_emplace(&feed, Feed{.counts = counts, .begun = now, .at = now, .came = now});
  if (isNew) return;
  Feed& known = found->second;
  const double step = periodic::inSeconds(now - known.at);
  if (step <= 0) return;
  if (counts.bytes > known.counts.bytes) {
    known.came = now;
    const double rate = 8 * growth(known.counts.bytes, counts.bytes) / step;
    known.rate = rate + (known.rate.value_or(rate) - rate) * std::exp(-step / kAverage);
  }
  const double fading = std::exp(-step / kLossAverage);
  known.packets = fading * known.packets + growth(known.counts.packets, counts.packets);
  known.missing = fading * known.missing + growth(known.counts.missing, counts.missing);
  known.counts = counts;
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

bool FeedRates::quiet(const media::TrackFeed& feed) const {
  const auto found = m_feeds.find(&feed);
  if (found == m_feeds.end()) return false;
  const Feed& known = found->second;
  return known.at - known.came >= kQuiet && known.at - known.begun >= kBegins;
}

double FeedRates::lost(const media::TrackFeed& feed) const {
  const auto found = m_feeds.find(&feed);
  if (found == m_feeds.end() || found->second.missing <= 0) return 0;
  return found->second.missing / (found->second.missing + found->second.packets);
}

}  // namespace tactus::conference
