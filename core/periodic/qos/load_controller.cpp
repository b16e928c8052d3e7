// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/load_controller.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tactus::periodic {
namespace {

/// More than this share of packets late within one observation is an overload; less is bad luck.
constexpr double kToleratedMisses = 0.02;
/// What is kept at once of what was used above the floor: nearly all for a few misses, half for many.
constexpr double kMildCut = 0.95;
constexpr double kDeepCut = 0.5;
constexpr double kSame = 1e-4;
/// This part of the processors must be idle, more than when a raise failed, to prove that there is room; of
/// what is idle so much is given out at once.
constexpr double kProvenIdle = 0.1;
constexpr double kGiven = 0.8;
constexpr double kProvenEnough = 0.02;
/// A plan that asks for so much more than is done, with no processor idle, cannot be kept.
constexpr double kShort = 1.03;
constexpr double kNoneIdle = 0.02;
/// Where none is idle, a raise asks for so much more than is done now: enough to see whether more can be.
constexpr double kProbe = 0.06;
/// Of what can be done ahead: above the first it is all there, below the second a plan that cannot be kept is
/// changed before it shows, and below the third what is done ahead must grow again.
constexpr double kStoreFull = 0.85;
constexpr double kStoreFalls = 0.7;
constexpr double kStoreLow = 0.5;
/// It sinks where it is so much below what it was within the last two seconds or so.
constexpr double kStoreSinks = 0.05;
constexpr double kStoreLearn = 0.1;
/// Of what can be had so much is planned for, and less the less is done ahead: the rest refills that.
constexpr double kPlanned = 0.98;
constexpr double kRefill = 0.2;

/// Whether the plan in force and what is idle are known.
bool knows(const LoadController::Observation& seen) noexcept {
  return seen.planned > 0 && seen.used > 0;
}

double least(const ElasticOperation& operation) noexcept {
  return std::clamp(operation.leastFrequency, 0.0, 1.0);
}

}  // namespace

ElasticPlan compress(std::span<const ElasticOperation> operations, double room) {
  ElasticPlan plan;
  plan.frequency.assign(operations.size(), 1.0);
  double asked = 0;
  double floor = 0;
  for (const auto& each : operations) {
    asked += std::max(0.0, each.load);
    floor += std::max(0.0, each.load) * least(each);
  }
  if (asked <= room) return plan;
  if (floor >= room) {
    for (std::size_t i = 0; i < operations.size(); ++i) plan.frequency[i] = least(operations[i]);
    plan.fits = floor <= room * (1 + 1e-9);
    return plan;
  }
  // f_i = max(f_min, 1 - x / weight): the sum falls with x; between the points where somebody reaches its
  // f_min it is linear.
  std::vector<std::size_t> order(operations.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto reaches = [&](std::size_t i) {
    return (1 - least(operations[i])) * std::max(1e-6, operations[i].weight);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return reaches(a) < reaches(b); });
  double slope = 0;  // load given up for each x by those above their f_min
  for (const auto& each : operations) slope += std::max(0.0, each.load) / std::max(1e-6, each.weight);
  double given = 0;
  double x = 0;
  const double wanted = asked - room;
  for (const std::size_t i : order) {
    const double next = reaches(i);
    const double more = (next - x) * slope;
    if (given + more >= wanted) break;
    given += more;
    x = next;
    slope -= std::max(0.0, operations[i].load) / std::max(1e-6, operations[i].weight);
  }
  if (slope > 0) x += (wanted - given) / slope;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const double f = 1 - x / std::max(1e-6, operations[i].weight);
    plan.frequency[i] = std::clamp(f, least(operations[i]), 1.0);
  }
  return plan;
}

void LoadController::setProcessors(double processors) noexcept {
  m_room = relaxed() ? processors : std::min(m_room, processors);
  m_settings.processors = processors;
}

Duration LoadController::holdsSince(TimePoint now) const noexcept {
  return now - std::max(m_raisedAt, m_askedTooMuchAt);
}

/// It did not hold: the next one takes more, and longer.
void LoadController::failRaise() noexcept {
  if (!std::exchange(m_raisePending, false)) return;
  m_patience = std::min(m_patience * 2, m_settings.longestPatience);
  m_failedIdle = m_raisedIdle;
}

/// It held: trust returns.
void LoadController::proveRaise() noexcept {
  m_raisePending = false;
  m_patience = std::max(m_settings.patience, m_patience / 2);
  m_failedIdle = 0;
}

/// The room after misses: less than was used, the less the more they are.
double LoadController::lowered(double asked, double floor, const Observation& seen) const noexcept {
  const double used = seen.used > 0 ? seen.used : std::min(asked, m_room);
  const double missed = static_cast<double>(seen.misses) /
                        static_cast<double>(std::max<std::uint64_t>(1, seen.packets + seen.misses));
  const double cut = std::clamp(kMildCut - missed, kDeepCut, kMildCut);
  const double could = std::min({m_room, asked, used});
  const double room = std::max(m_settings.least, floor + std::max(0.0, could - floor) * cut);
  return std::min(room, m_settings.processors);
}

/// More room, where it is time for it; or what was given last has held. `had`: what can be had, less what the
/// stores need.
void LoadController::raise(TimePoint now, double asked, double had, bool noneIdle,
                           const Observation& seen) noexcept {
  const double lacking = asked - m_room;
  // Enough for all of it, or a good part of a processor; and not what has been tried in vain.
  const bool enough = seen.idle * kGiven >= lacking;
  const double proof = enough ? kProvenEnough : kProvenIdle;
  const bool proven = seen.idle > m_failedIdle + proof * m_settings.processors;
  const double step = m_settings.step * m_settings.processors;
  const double more = !proven ? step : enough ? m_settings.processors : std::max(step, kGiven * seen.idle);
  // What is used and what is idle is there for certain.
  const double most =
      knows(seen) ? std::max(kPlanned * (seen.used + seen.idle), m_had > 0 ? had : (1 + kProbe) * seen.used)
                  : m_settings.processors;
  const double next = std::min({m_settings.processors, m_room + more, most});
  const bool quiet =
      std::min(now - m_quietSince, now - m_raisedAt) >= (proven ? m_settings.proof : m_patience);
  // What is there beyond the plan refills the stores first.
  const bool refilled = !noneIdle || proven || seen.stored >= kStoreFull;
  if (quiet && refilled && next > m_room) {
    m_room = next;
    m_raisedAt = now;
    m_raisedIdle = seen.idle;
    // Within what was had it cannot fail.
    m_raisePending = m_raisePending || m_had <= 0 || next > had;
  } else if (m_raisePending && holdsSince(now) >= m_settings.settle + m_settings.patience) {
    proveRaise();
  }
}

LoadController::Plan LoadController::observe(TimePoint now, std::span<const ElasticOperation> operations,
                                             const Observation& seen) {
  if (!m_started) {
    m_started = true;
    m_quietSince = m_loweredAt = m_raisedAt = now;
  }
  double asked = 0;
  double floor = 0;
  for (const auto& each : operations) {
    asked += std::max(0.0, each.load);
    floor += std::max(0.0, each.load) * least(each);
  }
  const bool noneIdle = knows(seen) && seen.idle < kNoneIdle * m_settings.processors;
  const bool asksTooMuch = noneIdle && seen.planned > kShort * seen.used;
  if (asksTooMuch) m_askedTooMuchAt = now;
  const bool low = seen.stored < kStoreLow;
  if (noneIdle && seen.stored < kStoreFull) {
    m_had = seen.used;
    m_hadAt = now;
  } else if (now - m_hadAt > m_settings.longestPatience) {
    m_had = 0;
  }
  const double had = m_had > 0 ? m_had * (kPlanned - kRefill * (1 - std::clamp(seen.stored, 0.0, 1.0)))
                               : m_settings.processors;
  const bool leavesNothing = knows(seen) && seen.planned > kPlanned * seen.used;
  const bool empties = asksTooMuch || (leavesNothing && seen.stored < m_stored - kStoreSinks);
  m_stored += (seen.stored - m_stored) * kStoreLearn;
  const bool runsShort = noneIdle && (low || (empties && seen.stored < kStoreFalls));
  const bool overload =
      seen.packets + seen.misses > 0 &&
      static_cast<double>(seen.misses) > kToleratedMisses * static_cast<double>(seen.packets);
  if (overload || low) m_quietSince = now;
  const double before = m_room;
  // What was in flight when the room was lowered still misses for a moment: once is enough.
  if (overload && (now - m_loweredAt >= m_settings.settle || m_loweredAt == m_raisedAt)) {
    m_room = lowered(asked, floor, seen);
    failRaise();
  }
  if (runsShort && had < m_room) {
    m_room = std::max(m_settings.least, had);
    failRaise();
  }
  if (m_room < before) m_loweredAt = now;
  if (!overload && m_room >= before) raise(now, asked, had, noneIdle, seen);
  Plan plan;
  plan.room = m_room;
  plan.elastic = compress(operations, m_room);
  plan.changed = plan.elastic.frequency.size() != m_last.size();
  for (std::size_t i = 0; !plan.changed && i < m_last.size(); ++i)
    plan.changed = std::abs(plan.elastic.frequency[i] - m_last[i]) > kSame;
  m_last = plan.elastic.frequency;
  return plan;
}

}  // namespace tactus::periodic
