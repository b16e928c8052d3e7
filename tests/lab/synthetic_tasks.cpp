// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/synthetic_tasks.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "core/periodic/task/scheduler.h"
#include "tests/lab/load.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using namespace tactus::periodic;

constexpr const char* kCeiling = "/proc/sys/kernel/sched_rt_runtime_us";
/// Declared on top of a packet's own time, for interrupts.
constexpr Duration kAllowance = 20us;
/// Packets that do not count: until all tasks have begun and settled.
constexpr int kSettle = 10;

struct Stream {
  std::unique_ptr<Task> task;
  std::vector<double> laxity;
  std::thread thread;
};

}  // namespace

Result<SyntheticRun> runSynthetic(const SyntheticPlan& plan) {
  const int cpu = lastCpu();
  const auto gate = KernelClassGate::probe(plan.realtime ? KernelClass::Fifo : KernelClass::None, {});
  KernelTime time;
  TraceLog trace;
  Scheduler scheduler(time, *gate, trace);
  AdmissionPolicy policy = scheduler.policy();
  policy.capacity = 1;
  policy.cpus = {cpu};
  scheduler.setPolicy(policy);
  const auto hogs = CpuHogs::start(plan.hogs, cpu);
  if (!hogs.ok()) return hogs.error();

  SyntheticRun run;
  run.granted = std::string(nameOf(gate->granted()));
  TaskContract contract;
  contract.lbap.rate = Rate::perSecond(plan.perSecond);
  contract.service = ServiceClass::Guaranteed;
  contract.processing = plan.work + std::max<Duration>(kAllowance, plan.work / 200);
  contract.cpuCap = 1;
  contract.supervised = false;  // the paper's system had no supervision; `budget` measures ours
  const Duration period = contract.lbap.rate.period();
  std::atomic<bool> begin{false};
  std::atomic<bool> end{false};
  std::atomic<int> ready{0};
  std::atomic<std::int64_t> common{0};  // all streams begin with a packet of this instant
  std::vector<Stream> streams(static_cast<std::size_t>(plan.tasks));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    contract.name = "synthetic " + std::to_string(i + 1);
    auto adopted = scheduler.adopt(contract, 0);
    if (!adopted.ok()) return adopted.error();
    auto& stream = streams[i];
    stream.task = std::move(adopted).value();
    run.admitted += stream.task->report().reserved;
    stream.laxity.reserve(static_cast<std::size_t>(plan.length / period) + 64);
    stream.thread = std::thread([&, shared = &stream] {
      keepOn(cpu);
      shared->task->bind(currentThreadId());
      ++ready;
      while (!begin.load(std::memory_order_relaxed)) std::this_thread::sleep_for(1ms);
      Duration used = time.threadCpu();
      std::optional<TimePoint> arrival = TimePoint(Duration(common.load()));
      while (!end.load(std::memory_order_relaxed)) {
        const Enforced packet = shared->task->enforce({}, ByteCount{0}, std::exchange(arrival, std::nullopt));
        // A packet's time includes its bookkeeping, as the paper's processing times do.
        used = std::max(used + plan.work, time.threadCpu() + plan.work / 2);
        computeUntil(used);
        const TimePoint done = MonotonicClock::now();
        shared->task->complete();
        if (shared->laxity.size() < shared->laxity.capacity()) {
          shared->laxity.push_back(inMilliseconds(packet.logicalArrival + period - done));
        }
      }
      shared->task->bind(0);
    });
  }
  while (ready < plan.tasks) std::this_thread::sleep_for(1ms);
  common = MonotonicClock::now().time_since_epoch().count();
  begin = true;
  const Duration settle = kSettle * period;
  std::this_thread::sleep_for(settle + plan.length);
  end = true;
  for (auto& stream : streams) stream.thread.join();
  for (auto& stream : streams) {
    auto& laxity = stream.laxity;
    laxity.erase(laxity.begin(),
                 laxity.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(kSettle, laxity.size())));
    run.packets += laxity.size();
    for (const double left : laxity) run.misses += left < 0;
    run.laxityMs.push_back(std::move(laxity));
  }
  return run;
}

NoRealtimeCeiling::NoRealtimeCeiling() {
  std::ifstream(kCeiling) >> m_before;
  if (m_before.empty() || m_before == "-1") return;
  std::ofstream out(kCeiling);
  out << "-1" << std::flush;
  m_lifted = static_cast<bool>(out);
}

NoRealtimeCeiling::~NoRealtimeCeiling() {
  if (m_lifted) std::ofstream(kCeiling) << m_before << std::flush;
}

}  // namespace tactus::lab
