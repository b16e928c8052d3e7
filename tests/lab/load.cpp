// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/load.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "core/periodic/kernel/processors.h"
#include "core/periodic/time/time.h"

namespace tactus::lab {
namespace {

[[noreturn]] void compute() {
  // The volatile keeps the loop; it touches no memory but its own, as the papers' hogs do.
  for (volatile std::uint32_t state = 1;;) state = state * 1664525U + 1013904223U;
}

}  // namespace

Result<CpuHogs> CpuHogs::start(int count, int cpu) {
  return start(count, cpu, SCHED_OTHER);
}

Result<CpuHogs> CpuHogs::startIdle(int cpu) {
  return start(1, cpu, SCHED_IDLE);
}

Result<CpuHogs> CpuHogs::start(int count, int cpu, int policy) {
  CpuHogs hogs;
  for (int i = 0; i < count; ++i) {
    auto hog = ChildProcess::fork([cpu, policy] {
      const sched_param none{};
      if (policy != SCHED_OTHER) (void)!sched_setscheduler(0, policy, &none);
      if (cpu >= 0) keepOn(cpu);
      compute();
    });
    if (!hog.ok()) return hog.error();
    hogs.m_hogs.push_back(std::move(hog).value());
  }
  return hogs;
}

periodic::Duration CpuHogs::cpu() const {
  periodic::Duration sum{0};
  for (const auto& hog : m_hogs) sum += hog.cpu();
  return sum;
}

void computeUntil(periodic::Duration end) {
  periodic::KernelTime time;
  volatile std::uint32_t state = 1;
  while (time.threadCpu() < end) {
    for (int n = 0; n < 200; ++n) state = state * 1664525U + 1013904223U;
  }
}

bool RealtimeLoad::granted() {
  const sched_param param{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &param) != 0) return false;
  const sched_param normal{.sched_priority = 0};
  (void)!sched_setscheduler(0, SCHED_OTHER, &normal);
  return true;
}

Result<RealtimeLoad> RealtimeLoad::start(double share, int cpu) {
  using namespace std::chrono_literals;
  constexpr periodic::Duration kPeriod = 20ms;
  const auto busy = std::chrono::duration_cast<periodic::Duration>(kPeriod * std::clamp(share, 0.0, 0.95));
  auto process = ChildProcess::fork([=] {
    keepOn(cpu);
    const sched_param param{.sched_priority = sched_get_priority_max(SCHED_FIFO)};
    (void)!sched_setscheduler(0, SCHED_FIFO, &param);
    periodic::KernelTime time;
    periodic::Interrupt never;
    for (auto next = time.now();; next += kPeriod) {
      computeUntil(time.threadCpu() + busy);
      (void)time.sleepUntil(next + kPeriod, never);
    }
  });
  if (!process.ok()) return process.error();
  RealtimeLoad load;
  load.m_process = std::move(process).value();
  return load;
}

Result<double> RealtimeLoad::shareThatLeaves(double left, int cpu) {
  using namespace std::chrono_literals;
  double share = 1 - left;
  for (int round = 0; round < 2; ++round) {
    const auto load = start(share, cpu);
    if (!load.ok()) return load.error();
    const auto hogs = CpuHogs::start(1, cpu);
    if (!hogs.ok()) return hogs.error();
    std::this_thread::sleep_for(500ms);
    const double got = processorsUsed([&] { return hogs.value().cpu(); }, 3s);
    share = std::clamp(share + got - left, 0.0, 0.95);
  }
  return share;
}

double processorsUsed(const std::function<periodic::Duration()>& cpu, periodic::Duration length) {
  const auto begin = periodic::MonotonicClock::now();
  const auto before = cpu();
  std::this_thread::sleep_for(length);
  return periodic::inSeconds(cpu() - before) / periodic::inSeconds(periodic::MonotonicClock::now() - begin);
}

int lastCpu() {
  return periodic::allowedCpus().back();
}

void keepOn(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  (void)!sched_setaffinity(0, sizeof set, &set);
}

}  // namespace tactus::lab
