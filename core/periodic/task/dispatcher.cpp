// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/dispatcher.h"

#include <algorithm>

#include "core/periodic/kernel/thread_clock.h"

namespace tactus::periodic {
namespace {

// relaxed: see BoundOrders.
constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

void Dispatcher::raise(const Task::Body& body) noexcept {
  (void)m_gate.raise(body.record.threads.bound(), body.applied.priority).ok();  // it may have ended
}

TimePoint Dispatcher::promoteLocked(Task::Body& body, TimePoint now) noexcept {
  const auto look = body.promotion.look(now);
  using Due = EarlyPromotion::Due;
  if (look.due == Due::Nothing) return TimePoint::max();
  if (look.due == Due::Later) return look.at;
  // A packet that used up its time while early stays where it is.
  if (body.applied.priority > 0 && !body.applied.overran()) raise(body);
  if (look.due == Due::Again) return now + kShortestLook;
  body.promotion.promoted();
  return TimePoint::max();
}

TimePoint Dispatcher::patrolLocked(Task::Body& body, TimePoint now) noexcept {
  const Duration budget(body.orders.budget.load(kRelaxed));
  if (budget <= Duration::zero() || body.applied.signal || body.orders.ownLevel.load(kRelaxed) <= 0)
    return TimePoint::max();
  const auto begun = body.openPacket.begun();
  std::optional<Duration> used;
  if (begun && !body.openPacket.isLowered()) {
    if (const auto cpu = cpuTimeOf(body.record.threads.bound())) used = *cpu - *begun;
  }
  const Patrol found = Patrol::decide(budget, used);
  if (found.lower && body.openPacket.begun() == begun) {  // else it is another packet by now
    body.openPacket.markLowered();
    ++body.watch.patrolOverruns;
    KernelClassGate::setLevel(body.record.threads.bound(), body.orders.overrunLevel.load(kRelaxed));
  }
  return now + found.look;
}

TimePoint Dispatcher::refillLocked(Task::Body& body, TimePoint now) noexcept {
  const auto packet = body.openPacket.begun();
  const Duration budget(body.orders.budget.load(kRelaxed));
  if (!packet || !body.applied.overran() || body.promotion.pending() || budget <= Duration::zero() ||
      body.applied.priority <= 0) {
    body.watch.refill.rest();
    return TimePoint::max();
  }
  const auto cpu = cpuTimeOf(body.record.threads.bound());
  if (!cpu) return TimePoint::max();
  const auto decision =
      body.watch.refill.decide(now, {*packet, budget, body.record.contract.lbap.rate.period(), *cpu});
  using Action = BudgetRefill::Action;
  if (decision.action == Action::Raise) raise(body);
  if (decision.action == Action::Lower) {
    KernelClassGate::setLevel(body.record.threads.bound(), body.orders.overrunLevel.load(kRelaxed));
    // It may have begun another packet meanwhile, whose level is its own.
    if (body.openPacket.begun() != packet) raise(body);
  }
  return decision.look;
}

TimePoint Dispatcher::lookLocked(TimePoint now) noexcept {
  TimePoint next = TimePoint::max();
  for (auto* body : m_table.tasks())
    next = std::min({next, promoteLocked(*body, now), patrolLocked(*body, now), refillLocked(*body, now)});
  return next;
}

}  // namespace tactus::periodic
