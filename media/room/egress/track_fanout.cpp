// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/track_fanout.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace tactus::media {

using periodic::MonotonicClock;
using periodic::TimePoint;

TrackFanout::TrackFanout(TrackFeed& feed) : m_feed(feed) {
  if (feed.format().kind == MediaKind::Video) m_history.emplace(RetransmissionHistory::Bounds{});
  m_feed.add(*this);
}

TrackFanout::~TrackFanout() {
  m_feed.remove(*this);
}

void TrackFanout::add(EgressLeg& leg) {
  leg.follow(this);
  const std::lock_guard lock(m_mutex);
  if (std::find(m_legs.begin(), m_legs.end(), &leg) == m_legs.end()) m_legs.push_back(&leg);
}

void TrackFanout::addNext(EgressLeg& leg) {
  leg.await(this);
  const std::lock_guard lock(m_mutex);
  m_legs.push_back(&leg);
}

void TrackFanout::remove(EgressLeg& leg) {
  leg.leave(this);
  const std::lock_guard lock(m_mutex);
  std::erase(m_legs, &leg);
}

void TrackFanout::repeat(EgressLeg& leg, std::span<const std::uint16_t> sequences,
                         TimePoint now) TACTUS_REALTIME {
  if (!m_history) return;
  // The lock is taken for each, so that the feed never waits for a long list.
  for (const std::uint16_t sequence : sequences) {
    const std::lock_guard lock(m_mutex);
    leg.repeat(*m_history, sequence, now);
  }
}

std::size_t TrackFanout::pad(EgressLeg& leg, std::size_t bytes, TimePoint now) TACTUS_REALTIME {
  if (!m_history) return 0;
  const std::lock_guard lock(m_mutex);
  return leg.pad(*m_history, bytes, now);
}

void TrackFanout::consume(std::span<const std::span<const std::byte>> packets) noexcept {
  constexpr std::size_t kAtOnce = 64;
  std::array<RtpView, kAtOnce> views;
  const TimePoint now = MonotonicClock::now();
  const std::lock_guard lock(m_mutex);
  while (!packets.empty()) {
    const auto some = packets.first(std::min(packets.size(), kAtOnce));
    packets = packets.subspan(some.size());
    std::size_t count = 0;
    for (const auto& each : some) {
      const auto view = readRtp(each);
      if (!view) continue;
      if (m_history) m_history->store(*view, now);
      views[count++] = *view;
    }
    for (EgressLeg* leg : m_legs) leg->forward(this, std::span(views).first(count), now);
  }
}

}  // namespace tactus::media
