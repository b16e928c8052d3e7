// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/dispatch_costs.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>
#include <vector>

#include "core/periodic/task/scheduler.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

constexpr int kSwitches = 2000;
constexpr int kSleeps = 60;
constexpr Duration kSleep = 1ms;
/// A machine busy with something else while it is measured must not make every later admission fail.
constexpr Duration kMostSwitch = 50us;
constexpr Duration kMostRelease = 100us;
constexpr Duration kMostBlocking = 500us;

void keepHere() {
  const int cpu = sched_getcpu();
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  (void)!sched_setaffinity(0, sizeof set, &set);
}

/// Two threads of one level on one processor hand it to one another.
Duration contextSwitch(KernelClassGate& gate) {
  Duration each{0};
  std::thread([&] {
    keepHere();
    // First, or the other one would never let us have the processor again.
    (void)gate.raise(currentThreadId(), gate.maxPriority()).ok();
    std::atomic<bool> ready{false};
    std::atomic<bool> end{false};
    std::thread other([&] {  // inherits the processor
      (void)gate.raise(currentThreadId(), gate.maxPriority()).ok();
      ready = true;
      for (int i = 0; i < 4 * kSwitches && !end.load(std::memory_order_relaxed); ++i) sched_yield();
      gate.lower(currentThreadId());
    });
    while (!ready) std::this_thread::sleep_for(100us);
    const TimePoint begin = MonotonicClock::now();
    for (int i = 0; i < kSwitches; ++i) sched_yield();
    each = (MonotonicClock::now() - begin) / (2 * kSwitches);
    end = true;
    gate.lower(currentThreadId());
    other.join();
  }).join();
  return each;
}

/// How late a sleeping thread begins, sorted.
std::vector<Duration> wakeErrors(KernelClassGate& gate) {
  std::vector<Duration> errors;
  errors.reserve(kSleeps);
  std::thread([&] {
    (void)gate.raise(currentThreadId(), gate.maxPriority()).ok();
    TimePoint next = MonotonicClock::now();
    for (int i = 0; i < kSleeps; ++i) {
      next += kSleep;
      KernelTime::sleepUntil(next);
      errors.push_back(MonotonicClock::now() - next);
    }
    gate.lower(currentThreadId());
  }).join();
  std::sort(errors.begin(), errors.end());
  return errors;
}

std::string machine(const KernelClassGate& gate) {
  utsname name{};
  uname(&name);
  std::string model;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    model = line.substr(line.find(':') + 1);
    break;
  }
  return std::string(name.release) + "|" + model + "|" + std::string(nameOf(gate.granted()));
}

}  // namespace

DispatchCosts measureDispatchCosts(KernelClassGate& gate) {
  DispatchCosts costs;
  costs.contextSwitch = std::clamp(contextSwitch(gate), Duration{0}, kMostSwitch);
  const auto errors = wakeErrors(gate);
  const Duration middle = errors[errors.size() / 2];
  costs.release = std::clamp(middle - costs.contextSwitch, Duration{0}, kMostRelease);
  costs.blocking = std::clamp(errors[errors.size() * 95 / 100] - middle, Duration{0}, kMostBlocking);
  return costs;
}

std::string toText(const DispatchCosts& costs, const KernelClassGate& gate) {
  char numbers[96];
  std::snprintf(
      numbers, sizeof numbers, "%lld %lld %lld ", static_cast<long long>(costs.contextSwitch.count()),
      static_cast<long long>(costs.release.count()), static_cast<long long>(costs.blocking.count()));
  return numbers + machine(gate) + "\n";
}

std::optional<DispatchCosts> costsFromText(std::string_view text, const KernelClassGate& gate) {
  const std::string line(text.substr(0, text.find('\n')));
  long long numbers[3]{};
  int read = 0;
  if (std::sscanf(line.c_str(), "%19lld %19lld %19lld %n", &numbers[0], &numbers[1], &numbers[2], &read) != 3)
    return std::nullopt;
  const DispatchCosts costs{Duration(numbers[0]), Duration(numbers[1]), Duration(numbers[2])};
  const auto within = [](Duration value, Duration most) { return value >= Duration{0} && value <= most; };
  if (!within(costs.contextSwitch, kMostSwitch) || !within(costs.release, kMostRelease) ||
      !within(costs.blocking, kMostBlocking) || line.substr(static_cast<std::size_t>(read)) != machine(gate))
    return std::nullopt;
  return costs;
}

}  // namespace tactus::periodic
