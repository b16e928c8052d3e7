// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/load_controller.h"

#include <algorithm>
#include <cmath>

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

/// It held: trust returns.
void LoadController::proveRaise() noexcept {
  m_raisePending = false;
  m_patience = std::max(m_settings.patience, m_patience / 2);
  m_failedIdle = 0;
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
  const bool noneIdle = seen.planned > 0 && seen.used > 0 && seen.idle < kNoneIdle * m_settings.processors;
  const bool asksTooMuch = noneIdle && seen.planned > kShort * seen.used;
  if (asksTooMuch) m_askedTooMuchAt = now;
  const bool runsShort = seen.strained && asksTooMuch;
  const bool overload =
      runsShort || (seen.packets + seen.misses > 0 &&
                    static_cast<double>(seen.misses) > kToleratedMisses * static_cast<double>(seen.packets));
  if (overload || seen.strained) m_quietSince = now;
  if (overload) {
    // What was in flight when the room was lowered still misses for a moment: once is enough.
    if (now - m_loweredAt >= m_settings.settle || m_loweredAt == m_raisedAt) {
      const double used = seen.used > 0 ? seen.used : std::min(asked, m_room);
      const double before = m_room;
      const double missed = static_cast<double>(seen.misses) /
                            static_cast<double>(std::max<std::uint64_t>(1, seen.packets + seen.misses));
      const double cut = std::clamp(kMildCut - missed, kDeepCut, kMildCut);
      const double could = std::min({m_room, asked, used});
      m_room = std::max(m_settings.least, floor + std::max(0.0, could - floor) * cut);
      m_room = std::min(m_room, m_settings.processors);
      if (m_raisePending) {
        m_patience = std::min(m_patience * 2, m_settings.longestPatience);
        m_failedIdle = m_raisedIdle;
      }
      m_raisePending = false;
      if (m_room < before) m_loweredAt = now;
    }
  } else if (m_room < m_settings.processors) {
    const double lacking = asked - m_room;
    // Enough for all of it, or a good part of a processor; and not what has been tried in vain.
    const bool enough = seen.idle * kGiven >= lacking;
    const double proof = enough ? kProvenEnough : kProvenIdle;
    const bool proven = seen.idle > m_failedIdle + proof * m_settings.processors;
    if (std::min(now - m_quietSince, now - m_raisedAt) >= (proven ? m_settings.proof : m_patience)) {
      const double step = m_settings.step * m_settings.processors;
      const double more = !proven  ? step
                          : enough ? m_settings.processors
                                   : std::max(step, kGiven * seen.idle);
      const double most = noneIdle && !proven ? std::max(m_room, (1 + kProbe) * seen.used) : m_room + more;
      m_room = std::min({m_settings.processors, m_room + more, most});
      m_raisedAt = now;
      m_raisedIdle = seen.idle;
      m_raisePending = true;
    } else if (m_raisePending && holdsSince(now) >= m_settings.settle + m_settings.patience) {
      proveRaise();
    }
  } else if (m_raisePending && holdsSince(now) >= m_settings.settle + m_settings.patience) {
    proveRaise();
  }
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
