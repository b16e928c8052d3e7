// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/window_meter.h"

#include <algorithm>

namespace tactus::media {
namespace {

using periodic::inSeconds;

/// Of what was spent before, this much still counts at the next look: some seconds.
constexpr double kRemembered = 0.92;
constexpr double kForgotten = 0.995;  // of the fullest store, at each look
/// What a film that is whole has decoded ahead: the queue, and what the decoder and the display hold. Thinned
/// out it has more, at times, and that is missed only where its decoder has come too late for its own turns
/// in the last quarter of a minute: beside ordinary programs only what is early waits for them.
constexpr double kStoredPictures = 7;
constexpr double kBehind = 0.5, kBehindRemembered = 0.98;
/// After a seek the display waits, and all that is ahead is filled anew.
constexpr Duration kFills = std::chrono::seconds(1);
constexpr Duration kLately = std::chrono::seconds(1);
/// One that is opened to wait, paused, takes nothing.
constexpr Duration kOpens = std::chrono::seconds(5);
/// The first pictures cost more than those that follow: they are forgotten.
constexpr Duration kCold = std::chrono::milliseconds(600);
constexpr std::uint64_t kPicturesToTell = 8;

}  // namespace

void WindowMeter::Cost::add(Duration time, std::uint64_t count) noexcept {
  spent = spent * kRemembered + inSeconds(time);
  pictures = pictures * kRemembered + static_cast<double>(count);
}

WindowMeter::Recent WindowMeter::within(Duration time, periodic::TimePoint now) const {
  Recent sum;
  for (const auto& [at, each] : m_recent) {
    if (at <= now - time) continue;
    sum.shown += each.shown;
    sum.misses += each.misses;
    sum.untaken += each.untaken;
    sum.span += each.span;
  }
  return sum;
}

bool WindowMeter::isCostKnown() const noexcept {
  return m_last.decode.completed >= kPicturesToTell && m_decodeCost.each() > 0;
}

void WindowMeter::look(const LoadFigures& figures, const Look& look) {
  if (figures.film != m_last.film) {
    m_seen = false;
    m_last = {};
    m_recent.clear();
    m_decodeCost = m_displayCost = {};
    m_fullest = 0;
    m_stored = 1;
    m_opened = look.now;
    m_opening = figures.film != 0;
  }
  if (m_seen && look.span > Duration::zero()) count(figures, look);
  weigh(figures, look);
  if (figures.playing || look.now - m_opened > kOpens) m_opening = false;
  if (figures.playing && !m_last.playing) {
    m_begun = look.now;
    m_warm = false;
  }
  if (!m_warm && figures.playing && look.now - m_begun >= kCold && !look.thinning.keyframesOnly) {
    m_warm = true;
    m_decodeCost = m_displayCost = {};
  }
  m_last = figures;
  m_seen = true;
}

/// What has happened since the look before.
void WindowMeter::count(const LoadFigures& figures, const Look& look) {
  const std::uint64_t untaken = countedSince(figures.untaken, m_last.untaken);
  const std::uint64_t misses = countedSince(figures.display.misses, m_last.display.misses) +
                               countedSince(figures.late, m_last.late) + untaken;
  const Duration decode = countedSince(figures.decode.cpuTime, m_last.decode.cpuTime);
  const Duration display = countedSince(figures.display.cpuTime, m_last.display.cpuTime);
  // Keyframes alone say nothing of what the others cost.
  if (!look.thinning.keyframesOnly) {
    m_decodeCost.add(decode, countedSince(figures.decode.completed, m_last.decode.completed));
    m_displayCost.add(display, countedSince(figures.display.packets, m_last.display.packets));
  }
  m_used = inSeconds(decode + display) / inSeconds(look.span);
  m_other = inSeconds(countedSince(figures.otherTime, m_last.otherTime)) / inSeconds(look.span);
  // Nothing that happens while a film is opened, sought or paused says how it fares.
  if (figures.playing && m_last.playing)
    m_recent.push_back(
        {look.now,
         {countedSince(figures.display.completed, m_last.display.completed), misses, untaken, look.span}});
  if (misses > 0 && figures.playing) m_lastMiss = look.now;
  if (figures.segments != m_last.segments) m_segmentBegan = look.now;
  const bool fills = look.now - m_segmentBegan < kFills;
  if (fills) m_fullest = 0;
  const auto late = static_cast<double>(countedSince(figures.decode.misses, m_last.decode.misses));
  m_behind = m_behind * kBehindRemembered + (fills ? 0 : late);
  m_stored = 1;
  if (fills || !figures.ahead) return;
  const double ahead = inSeconds(*figures.ahead);
  m_fullest = std::max(m_fullest * kForgotten, ahead);
  double full = m_fullest;
  if (figures.nominalRate > 0 && m_behind < kBehind)
    full = std::min(full, kStoredPictures / figures.nominalRate);
  const bool tells = figures.playing && !figures.buffering && full > 0;
  if (tells) m_stored = std::clamp(ahead / full, 0.0, 1.0);
}

/// What it takes, by what its pictures have cost.
void WindowMeter::weigh(const LoadFigures& figures, const Look& look) {
  const Duration kept = std::max(kLately, look.kept);
  std::erase_if(m_recent, [&](const Sample& sample) { return sample.at <= look.now - kept; });
  const Recent lately = within(kLately, look.now);
  m_shownRate = static_cast<double>(lately.shown) / std::max(1e-3, inSeconds(lately.span));
  const double rate =
      figures.nominalRate > 0 ? figures.nominalRate : m_shownRate / std::max(0.05, look.thinning.frequency);
  // What others refer to is decoded at any f.
  const double decode = rate * m_decodeCost.each();
  const double display = rate * m_displayCost.each();
  const bool counts = figures.playing || look.countsPaused;
  m_load = counts ? decode + display : 0;
  m_elastic = counts ? decode * figures.disposable + display : 0;
}

}  // namespace tactus::media
