// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/budget_watch.h"

#include <algorithm>

namespace tactus::periodic {

BudgetWatch::Action BudgetWatch::demote(State& state, std::uint64_t task, double share, TimePoint now) {
  const bool relapse = state.restored && now - *state.restored < m_limits.longestPenalty;
  if (relapse) {
    state.penalty.fail();
  } else {
    state.penalty.reset();
  }
  state.demoted = true;
  state.until = now + state.penalty.wait();
  return {Action::Kind::Demote, task, share, state.penalty.wait()};
}

void BudgetWatch::punish(std::uint64_t task, TimePoint now) {
  (void)demote(stateOf(task), task, 1, now);
}

std::optional<BudgetWatch::Action> BudgetWatch::limitReached(TimePoint now,
                                                             std::span<const Reading> readings) {
  const Reading* greediest = nullptr;
  double most = 0;
  for (const Reading& reading : readings) {
    const State& state = stateOf(reading.task);
    if (state.demoted) continue;
    const double present = inSeconds(reading.cpu - state.cpuAtBegin) / inSeconds(m_limits.window);
    const double share = std::max(present, state.share);
    if (greediest != nullptr && share <= most) continue;
    most = share;
    greediest = &reading;
  }
  if (greediest == nullptr) return std::nullopt;
  return demote(stateOf(greediest->task), greediest->task, most, now);
}

/// If the tasks on `cpu` (-1 = all of them together) use more than `limit`, the one that uses most beyond its
/// reservation is lowered.
void BudgetWatch::relieve(int cpu, double limit, TimePoint now, std::span<const Reading> readings,
                          std::vector<Action>& actions) {
  double total = 0;
  const Reading* greediest = nullptr;
  double most = 0;
  for (const Reading& reading : readings) {
    const State& state = stateOf(reading.task);
    if (state.demoted || (cpu >= 0 && reading.onCpu != cpu)) continue;
    total += state.share;
    if (const double excess = state.share - reading.reserved; greediest == nullptr || excess > most) {
      most = excess;
      greediest = &reading;
    }
  }
  if (greediest == nullptr || total <= limit) return;
  State& state = stateOf(greediest->task);
  actions.push_back(demote(state, greediest->task, state.share, now));
}

std::vector<BudgetWatch::Action> BudgetWatch::observe(TimePoint now, std::span<const Reading> readings) {
  std::vector<Action> actions;
  bool whole = false;  // some window ended: the sums are worth looking at
  for (const Reading& reading : readings) {
    const auto [found, isNew] = m_states.try_emplace(reading.task, m_limits);
    State& state = found->second;
    if (isNew) {
      state.windowBegin = now;
      state.cpuAtBegin = reading.cpu;
      continue;
    }
    if (state.demoted) {
      if (now < state.until) continue;
      state.demoted = false;
      state.restored = now;
      state.windowBegin = now;
      state.cpuAtBegin = reading.cpu;
      state.share = 0;
      actions.push_back({Action::Kind::Restore, reading.task, 0, Duration{0}});
      continue;
    }
    const Duration used = reading.cpu - state.cpuAtBegin;
    const double allowance = std::min(reading.cap * reading.threads, m_limits.total * m_cpus);
    // Not only at the window's end: who has used the whole window's allowance already is over it.
    if (inSeconds(used) > allowance * inSeconds(m_limits.window)) {
      const double share = inSeconds(used) / std::max(1e-3, inSeconds(now - state.windowBegin));
      actions.push_back(demote(state, reading.task, share, now));
      continue;
    }
    if (now - state.windowBegin >= m_limits.window) {
      state.share = inSeconds(used) / inSeconds(now - state.windowBegin);
      state.windowBegin = now;
      state.cpuAtBegin = reading.cpu;
      whole = true;
    }
  }
  if (!whole) return actions;
  relieve(-1, m_limits.total * m_cpus, now, readings, actions);
  std::vector<int> cpus;
  for (const Reading& reading : readings) {
    if (reading.onCpu < 0 || std::find(cpus.begin(), cpus.end(), reading.onCpu) != cpus.end()) continue;
    cpus.push_back(reading.onCpu);
    relieve(reading.onCpu, m_limits.total, now, readings, actions);
  }
  return actions;
}

}  // namespace tactus::periodic
