// SPDX-License-Identifier: Apache-2.0
// HeiTS, "Schedulability Test": what the scheduler itself costs. enforce(), the exact admission test, and how
// precisely a task begins, beside cyclictest's own loop in the same run.
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "core/periodic/simulation/uunifast.h"
#include "core/periodic/task/scheduler.h"
#include "tests/lab/experiment.h"
#include "tests/lab/load.h"
#include "tests/lab/statistics.h"
#include "tests/lab/svg_plot.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using namespace tactus::periodic;

constexpr Duration kInterval = 2ms;
constexpr Duration kSpin = 200us;
constexpr int kPriority = 58;

/// One unblocked enforce() and its complete(), in ns, over many.
Result<double> enforceCost() {
  const auto gate = KernelClassGate::probe(KernelClass::None, {});
  KernelTime time;
  TraceLog trace;
  Scheduler scheduler(time, *gate, trace, false);
  TaskContract contract;
  contract.name = "enforce";
  contract.lbap = {Rate::perSecond(1000000), 1000000000};
  auto task = scheduler.adopt(contract, currentThreadId());
  if (!task.ok()) return task.error();
  constexpr int kRounds = 200000;
  const TimePoint begin = MonotonicClock::now();
  for (int i = 0; i < kRounds; ++i) task.value()->enforce();
  return static_cast<double>((MonotonicClock::now() - begin).count()) / kRounds;
}

/// The exact test over 16 tasks at loads around the limit, in us: the median and the 99th percentile of many
/// sets.
std::pair<double, double> exactCost(int sets) {
  std::mt19937_64 random(5);
  std::vector<double> times;
  for (int i = 0; i < sets; ++i) {
    auto set = uunifast(random, 16, 0.80 + 0.02 * (i % 6));
    assignRateMonotonicLevels(set);
    const TimePoint begin = MonotonicClock::now();
    const volatile bool fits = test(AdmissionTest::ExactResponse, set).fits;
    times.push_back(inMicroseconds(MonotonicClock::now() - begin));
    (void)fits;
  }
  return {median(times), percentile(times, 0.99)};
}

/// What a packet does: both loops the same.
void work() {
  KernelTime time;
  const Duration end = time.threadCpu() + 100us;
  while (time.threadCpu() < end) {
  }
}

/// How late a task's packets begin, in us.
Result<std::vector<double>> ourWakes(int rounds, Duration spin, bool supervised) {
  const auto gate = KernelClassGate::probe(KernelClass::Fifo, {});
  if (gate->granted() != KernelClass::Fifo)
    return Error{ErrorCode::PermissionDenied, "SCHED_FIFO was not granted"};
  KernelTime time;
  TraceLog trace;
  Scheduler scheduler(time, *gate, trace);
  AdmissionPolicy policy = scheduler.policy();
  policy.cpus = {lastCpu()};
  scheduler.setPolicy(policy);
  TaskContract contract;
  contract.name = "wake";
  contract.lbap.rate = Rate::fromPeriod(kInterval).value();
  contract.service = ServiceClass::Guaranteed;
  contract.processing = 200us;
  contract.spin = spin;
  contract.supervised = supervised;
  auto adopted = scheduler.adopt(contract, 0);
  if (!adopted.ok()) return adopted.error();
  std::vector<double> errors;
  errors.reserve(static_cast<std::size_t>(rounds));
  std::thread([&] {
    auto& task = *adopted.value();
    task.bind(currentThreadId());
    task.enforce();
    for (int i = 0; i < rounds; ++i) {
      const Enforced packet = task.enforce();
      errors.push_back(inMicroseconds(MonotonicClock::now() - packet.logicalArrival));
      work();
    }
    task.bind(0);
  }).join();
  return errors;
}

/// The same by cyclictest's loop: SCHED_FIFO, clock_nanosleep to absolute instants.
Result<std::vector<double>> plainWakes(int rounds, Duration, bool) {
  std::vector<double> errors;
  errors.reserve(static_cast<std::size_t>(rounds));
  std::thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(lastCpu(), &set);
    (void)!sched_setaffinity(0, sizeof set, &set);
    const sched_param param{.sched_priority = kPriority};
    syscall(SYS_sched_setscheduler, 0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
    TimePoint next = MonotonicClock::now();
    for (int i = 0; i < rounds; ++i) {
      next += kInterval;
      KernelTime::sleepUntil(next);
      errors.push_back(inMicroseconds(MonotonicClock::now() - next));
      work();
    }
  }).join();
  return errors;
}

}  // namespace

Result<Verdict> runHeitsOverhead(const Plan& plan) {
  const int blocks = plan.blocks > 0 ? plan.blocks : (plan.quick ? 2 : 20);
  const int rounds = plan.quick ? 300 : 2000;
  mlockall(MCL_CURRENT | MCL_FUTURE);  // as cyclictest does; without it both take page faults
  CsvFile csv(plan.out / "heits-overhead.csv", {"block", "what", "p50_us", "p99_us", "p999_us"});
  const auto enforce = enforceCost();
  if (!enforce.ok()) return enforce.error();
  const auto [exact, exactWorst] = exactCost(plan.quick ? 300 : 3000);
  struct Way {
    const char* name;
    Result<std::vector<double>> (*run)(int, Duration, bool);
    Duration spin;
    bool supervised;
    std::vector<double> p50, p99, p999;
  };
  std::vector<Way> ways{{"enforce()", ourWakes, 0us, false, {}, {}, {}},
                        {"cyclictest's loop", plainWakes, 0us, false, {}, {}, {}},
                        {"enforce() that spins", ourWakes, kSpin, false, {}, {}, {}},
                        {"enforce() with a budget", ourWakes, 0us, true, {}, {}, {}}};
  for (int block = 0; block < blocks; ++block) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      Way& way = ways[(i + static_cast<std::size_t>(block)) % ways.size()];
      const auto errors = way.run(rounds, way.spin, way.supervised);
      if (!errors.ok()) return Verdict{false, "", errors.error().message};
      way.p50.push_back(percentile(errors.value(), 0.5));
      way.p99.push_back(percentile(errors.value(), 0.99));
      way.p999.push_back(percentile(errors.value(), 0.999));
      csv.add({std::to_string(block), way.name, fixed(way.p50.back(), 2), fixed(way.p99.back(), 2),
               fixed(way.p999.back(), 2)});
    }
  }
  munlockall();
  Figure figure{"How precisely a packet begins",
                machine() + "; SCHED_FIFO, every 2 ms on one processor, medians of " +
                    std::to_string(blocks) + " blocks",
                {}};
  Panel panel;
  panel.title = "Wake error";
  panel.yLabel = "us";
  panel.kind = Panel::Kind::Bars;
  panel.categories = {"p50", "p99", "p99.9"};
  for (const auto& way : ways)
    panel.series.push_back({way.name, {median(way.p50), median(way.p99), median(way.p999)}});
  figure.panels.push_back(panel);
  if (auto written = writeFile(plan.out / "heits-overhead.svg", toSvg(figure)); !written.ok())
    return written.error();
  const double ours = median(ways[0].p99);
  const double peer = median(ways[1].p99);
  const double spun = median(ways[2].p99);
  return Verdict{enforce.value() < 1000 && exact < 10 && ours <= peer && spun <= 1,
                 "enforce() " + fixed(enforce.value(), 0) + " ns, exact test of 16 tasks " + fixed(exact, 1) +
                     " us (p99 " + fixed(exactWorst, 1) + "), wake error p99 " + fixed(ours, 1) +
                     " us (cyclictest's loop " + fixed(peer, 1) + ", ratio " +
                     fixed(ours / std::max(peer, 1e-3), 2) + "), with the spin " + fixed(spun, 2) +
                     " us, with a budget by signal " + fixed(median(ways[3].p99), 1) + " us",
                 ""};
}

}  // namespace tactus::lab
