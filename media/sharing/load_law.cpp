// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/load_law.h"

#include <algorithm>
#include <limits>

namespace tactus::media {
namespace {

using periodic::inSeconds;

/// Processors that one window lacks at most: what stands undone, to be made up for within `refill`. Time that
/// no thread of its waited for a processor is missing for another reason: a slow disk, a silent server.
double lackedBy(const WindowReading& window, Duration refill) noexcept {
  return std::max(0.0, std::min(window.waited, window.waiting / inSeconds(refill)));
}

/// Processors that one window would need beyond its plan to make up for its backlog within `refill`.
double missingOf(const WindowReading& window, Duration refill) noexcept {
  if (window.begins) return 0;
  return std::clamp(window.backlog / inSeconds(refill), 0.0, lackedBy(window, refill));
}

/// Some windows show their smaller size, and none is thinned out or has fallen.
bool lacksSizeAlone(std::span<const WindowReading> windows) noexcept {
  bool small = false;
  for (const auto& window : windows) {
    const Ladder& ladder = window.ladder;
    if (isFallen(ladder.stage) || ladder.frequency < ladder.mostFrequency) return false;
    small = small || ladder.isSmall;
  }
  return small;
}

}  // namespace

void LoadLaw::read(Duration passed, const MachineReading& machine, std::span<const WindowReading> windows) {
  const Duration memory = m_constants.measured;
  m_used.add(machine.used, passed, memory);
  m_plannedMean.add(m_planned, passed, memory);
  m_idle.add(machine.idle, passed, memory);
  const DrawingLoad server = machine.server.value_or(DrawingLoad{});
  m_serverUsed.add(server.used, passed, memory);
  // Opening a film is one-off work; neither its CPU time nor the waiting it causes is lasting demand.
  const bool opening =
      std::any_of(windows.begin(), windows.end(), [](const auto& each) { return each.begins; });
  if (opening) return;
  m_beside.add(std::max(0.0, machine.used - machine.films), passed, memory);
  m_serverWaited.add(server.waited, passed, memory);
  m_serverTurns.add(server.turns, passed, memory);
}

/// Processors to be left to the display server: what it uses and what it lacks. It lacks what it waited for
/// our programs, as far as that made pictures late: a wait is a part of the time between two pictures of
/// `rate`, and so large is the risk that it makes one late.
double LoadLaw::drawing(double processors, double rate) const noexcept {
  const double busy = std::max(processors - m_idle.value() - m_serverUsed.value(), m_used.value());
  const double ours = busy > 0 ? m_used.value() / busy : 0;
  const double waited = m_serverWaited.value();
  const double wait = waited / std::max(1.0, m_serverTurns.value());
  return m_serverUsed.value() + ours * waited * std::min(1.0, wait * rate);
}

/// Processors by which a trial may exceed C: until it has proved itself it uses up what a window has decoded
/// ahead of its turn, and makes late what its contract tolerates. The window for which that is least decides.
/// Where all that is missing is a larger size, a trial gives nobody more before that fits.
double LoadLaw::payable(std::span<const WindowReading> windows) const noexcept {
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  const double proof = inSeconds(m_constants.capacity.proof);
  double pays = kEndless;  // seconds of pictures
  for (const auto& window : windows)
    if (!isFallen(window.ladder.stage)) pays = std::min(pays, window.stock + window.tolerated * proof);
  return lacksSizeAlone(windows) ? kEndless : pays * m_planned / proof;
}

/// The windows' ladders; one that begins costs the mean of the others.
std::vector<Ladder> LoadLaw::laddersOf(std::span<const WindowReading> windows) {
  std::vector<Ladder> ladders;
  double fixed = 0;
  double elastic = 0;
  double known = 0;
  for (const auto& window : windows) {
    ladders.push_back(window.ladder);
    if (window.begins) continue;
    fixed += window.ladder.fixed;
    elastic += window.ladder.elastic;
    ++known;
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (!windows[i].begins) continue;
    ladders[i].fixed = known > 0 ? fixed / known : 0;
    ladders[i].elastic = known > 0 ? elastic / known : 0;
    ladders[i].smaller.reset();
  }
  return ladders;
}

/// What else follows from the plan, with hysteresis.
void LoadLaw::describe(const MachineReading& machine, LoadPlan& plan) noexcept {
  const double busy = machine.processors - plan.idle;
  const double share = busy > 0 ? plan.used / busy : 1;
  m_othersFill = share < m_constants.ours + (m_othersFill ? m_constants.oursBand : -m_constants.oursBand);
  const double planned = plan.planned / machine.processors;
  m_many = planned > m_constants.many + (m_many ? -m_constants.manyBand : m_constants.manyBand);
  plan.many = m_many;
  plan.othersFill = m_othersFill;
}

/// What a larger size takes is known only once it has come: its return is a trial.
void LoadLaw::followSizes(periodic::TimePoint now, std::span<const Ladder> ladders,
                          std::span<const Rung> rungs) {
  bool returns = false, givesUp = false;
  for (std::size_t i = 0; i < ladders.size(); ++i) {
    returns = returns || (ladders[i].isSmall && !rungs[i].isSmall);
    givesUp = givesUp || (!ladders[i].isSmall && rungs[i].isSmall);
  }
  if (givesUp && m_largerReturned) {
    m_largerMay = now + m_sizeWait.fail();
    m_largerReturned.reset();
  } else if (returns) {
    m_largerReturned = now;
  } else if (m_largerReturned && now - *m_largerReturned >= m_constants.sizeHolds) {
    m_sizeWait.ease();
    m_largerReturned.reset();
  }
}

LoadPlan LoadLaw::look(periodic::TimePoint now, Duration passed, const MachineReading& machine,
                       std::span<const WindowReading> windows) {
  read(passed, machine, windows);
  LoadPlan plan;
  plan.used = m_used.value();
  plan.idle = m_idle.value();
  const std::vector<Ladder> ladders = laddersOf(windows);
  double missing = 0;
  double lacked = 0;
  bool begins = false;
  double rate = 0;
  for (const auto& window : windows) {
    missing += missingOf(window, m_constants.refill);
    lacked += lackedBy(window, m_constants.refill);
    begins = begins || window.begins;
    rate = std::max(rate, window.rate);
  }
  // Pictures are asked for before sizes are, and these with the band that stays free.
  const bool sizes = lacksSizeAlone(windows);
  for (const auto& ladder : ladders)
    plan.asked += ladder.cost(ladder.mostFrequency, ladder.isSmall && !sizes);
  if (sizes) plan.asked /= 1 - m_constants.returns;
  // A plan that is not carried out, while work stands undone and waits for processors, exceeds C before
  // anything is late.
  const double undone = std::min(m_plannedMean.value() + m_beside.value() - plan.used, lacked);
  // C is what our program and the display server can have together.
  const double beside = m_beside.value() + drawing(machine.processors, rate);
  const double asked = plan.asked + beside;
  m_spare.add(std::min(machine.idle, asked), passed, m_constants.measured);
  const double fill = m_constants.fill * std::min(asked, machine.processors);
  m_capacity.observe(now, {.processors = machine.processors,
                           .used = plan.used + m_serverUsed.value(),
                           .idle = std::min(plan.idle, machine.idle),
                           .spare = m_spare.value(),
                           .missing = std::max(missing, undone),
                           .asked = asked + fill,
                           .payable = payable(windows),
                           .settled = !begins});
  plan.capacity = std::max(0.0, m_capacity.value(machine.processors) - beside - fill);
  plan.room = std::max(0.0, plan.capacity - missing);
  plan.rungs = allocate(ladders, plan.capacity, plan.room,
                        {m_constants.still, m_constants.returns, now >= m_largerMay});
  followSizes(now, ladders, plan.rungs);
  for (std::size_t i = 0; i < ladders.size(); ++i)
    plan.planned += isFallen(plan.rungs[i].stage)
                        ? ladders[i].lastRung()
                        : ladders[i].cost(plan.rungs[i].frequency, plan.rungs[i].isSmall);
  m_planned = plan.planned;
  describe(machine, plan);
  return plan;
}

}  // namespace tactus::media
