// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/window_meter.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tactus::media {
namespace {

using periodic::inSeconds;

constexpr Duration kLately = std::chrono::seconds(1);  // that `shownRate` is told of

bool smallerComes(const LoadFigures& figures) noexcept {
  return figures.sizes && figures.sizes->smallerComes;
}

}  // namespace

void WindowMeter::Cost::add(Duration time, std::uint64_t count, double before) noexcept {
  spent = spent * before + inSeconds(time);
  pictures = pictures * before + static_cast<double>(count);
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

bool WindowMeter::isKnown(periodic::TimePoint now) const noexcept {
  if (!m_last.playing) return false;
  const bool pictures = m_warm && each(&Costs::decode, false) > 0;
  return now - m_played >= (pictures ? 1 : 2) * m_constants.judged;
}

void WindowMeter::look(const LoadFigures& figures, const Look& look) {
  if (figures.film != m_last.film) {
    *this = WindowMeter(m_constants);
  }
  if (m_seen && look.span > Duration::zero()) count(figures, look);
  follow(figures, look);
  m_last = figures;
  m_seen = true;
  weigh(figures, look);
}

/// Whether it begins, or has begun long enough ago to say something.
void WindowMeter::follow(const LoadFigures& figures, const Look& look) {
  const bool starts = figures.playing && !m_last.playing;
  const bool seeks = m_seen && figures.segments != m_last.segments;
  if (starts) m_played = look.now;
  if (starts || seeks) {
    m_began = look.now;
    m_warm = false;
  }
  if (starts) m_cold = true;
  if (m_warm || !figures.playing || look.now - m_began < m_constants.settles) return;
  m_warm = true;
  // The first pictures cost more: they are forgotten. After a seek the costs are what they were.
  if (!std::exchange(m_cold, false)) return;
  m_otherLately.reset();
  if (!look.thinning.lastRung) m_costs = {};
}

/// What has happened since the look before.
void WindowMeter::count(const LoadFigures& figures, const Look& look) {
  const std::uint64_t untaken = countedSince(figures.untaken, m_last.untaken);
  const std::uint64_t misses = countedSince(figures.display.misses, m_last.display.misses) +
                               countedSince(figures.late, m_last.late) + untaken;
  const Duration decode = countedSince(figures.decode.cpuTime, m_last.decode.cpuTime);
  const Duration display = countedSince(figures.display.cpuTime, m_last.display.cpuTime);
  m_used = inSeconds(decode + display) / inSeconds(look.span);
  m_other = inSeconds(countedSince(figures.otherTime, m_last.otherTime)) / inSeconds(look.span);
  m_otherLately.add(m_other, look.span, m_constants.measured);
  m_caughtUp = countedSince(figures.caughtUp, m_last.caughtUp) > 0;
  const Duration waited = countedSince(figures.waited, m_last.waited);
  m_waited.add(inSeconds(waited) / inSeconds(look.span), look.span, m_constants.measured);
  if (look.thinning.lastRung) {
    m_keyframes = m_used + m_other;  // and these say nothing of what the other pictures cost
  } else if (smallerComes(figures) == smallerComes(m_last)) {  // else they were of both sizes
    const double before = periodic::remembered(look.span, m_constants.costs);
    Costs& costs = m_costs[smallerComes(figures) ? 1 : 0];
    costs.decode.add(decode, countedSince(figures.decode.completed, m_last.decode.completed), before);
    costs.display.add(display, countedSince(figures.display.packets, m_last.display.packets), before);
  }
  // Nothing that happens while a film is opened, sought or paused says how it fares.
  if (figures.playing && m_last.playing)
    m_recent.push_back(
        {look.now,
         {countedSince(figures.display.completed, m_last.display.completed), misses, untaken, look.span}});
  if (misses > 0 && figures.playing) m_lastMiss = look.now;
}

/// What it takes, by what its pictures have cost.
void WindowMeter::weigh(const LoadFigures& figures, const Look& look) {
  const Duration kept = std::max(kLately, look.kept);
  std::erase_if(m_recent, [&](const Sample& sample) { return sample.at <= look.now - kept; });
  const Recent lately = within(kLately, look.now);
  m_shownRate = static_cast<double>(lately.shown) / std::max(1e-3, inSeconds(lately.span));
  const double rate =
      figures.nominalRate > 0 ? figures.nominalRate : m_shownRate / std::max(0.05, look.thinning.frequency);
  const bool counts = figures.playing || look.countsPaused;
  const PictureCost wanted = counts ? costOf(false, rate) : PictureCost{};
  const PictureCost smaller = counts ? costOf(true, rate) : PictureCost{};
  const double other = counts && !m_cold ? m_otherLately.value() : 0;
  m_coming = smallerComes(figures) ? smaller : wanted;
  m_load = wanted.at(1);
  m_fixed = counts && !m_cold ? other + wanted.fixed : 0;
  m_elastic = wanted.elastic;
  m_smaller.reset();
  if (figures.sizes) m_smaller = PictureCost{other + smaller.fixed, smaller.elastic};
  compareWithTurn(figures, look);
}

double WindowMeter::each(Cost Costs::*stage, bool smaller) const noexcept {
  const Cost& known = m_costs[smaller ? 1 : 0].*stage;
  if (known.pictures > 0 || !m_last.sizes) return known.each();
  const double other = (m_costs[smaller ? 0 : 1].*stage).each();
  return smaller ? other * m_last.sizes->share : other / m_last.sizes->share;
}

/// What others refer to is decoded at any f.
PictureCost WindowMeter::costOf(bool smaller, double rate) const noexcept {
  const double decode = rate * each(&Costs::decode, smaller);
  return {decode * (1 - m_last.disposable),
          decode * m_last.disposable + rate * each(&Costs::display, smaller)};
}

/// Missing are the packets between the one that is decoded and the one whose turn it is, each at its cost. No
/// packet's turn is before it has come. One that is late is behind by more than its turn. What is decoded
/// before its turn is a gift, and never missing.
void WindowMeter::compareWithTurn(const LoadFigures& figures, const Look& look) {
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  const bool tells = figures.playing && m_warm && !figures.buffering && figures.ahead.has_value();
  const double lead = inSeconds(figures.turn);
  const double reach = figures.reach ? inSeconds(*figures.reach) : kEndless;
  const double ahead = tells ? inSeconds(*figures.ahead) : kEndless;
  const double decoding = m_coming.at(look.thinning.frequency);
  m_backlog = tells ? std::max(0.0, std::min(lead, reach) - ahead) * decoding : 0;
  m_waiting = tells && figures.reach ? std::max(0.0, reach - ahead) * decoding : kEndless;
  const bool stands = !figures.reach || (tells && !m_caughtUp);
  m_standing.note(stands ? m_waiting : 0, look.now, m_constants.refill);
  m_stock = std::max(0.0, ahead - lead);
  m_largestStock = std::max(0.0, reach - lead);
}

}  // namespace tactus::media
