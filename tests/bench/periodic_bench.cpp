// SPDX-License-Identifier: Apache-2.0
// The per-packet path and its peers side by side: `periodic_bench --benchmark_repetitions=10`.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <vector>

#include "core/periodic/task/scheduler.h"
#include "core/periodic/trace/histogram.h"

namespace tactus::periodic {
namespace {

/// A task bound to this thread whose packets never have to wait.
class Bench {
 public:
  explicit Bench(bool traced)
      : gate(KernelClassGate::probe(KernelClass::None, {})), scheduler(time, *gate, trace, false) {
    if (traced) trace.start();
    TaskContract contract;
    contract.name = "bench";
    contract.lbap = {Rate::perSecond(1000000), 1000000000};
    task = std::move(scheduler.adopt(contract, currentThreadId())).value();
  }
  KernelTime time;
  TraceLog trace;
  std::unique_ptr<KernelClassGate> gate;
  Scheduler scheduler;
  std::unique_ptr<Task> task;
};

void enforceUnblocked(benchmark::State& state) {
  Bench bench(false);
  for (auto _ : state) benchmark::DoNotOptimize(bench.task->enforce());
}
BENCHMARK(enforceUnblocked);

void enforceAndComplete(benchmark::State& state) {
  Bench bench(false);
  for (auto _ : state) {
    benchmark::DoNotOptimize(bench.task->enforce());
    bench.task->complete();
  }
}
BENCHMARK(enforceAndComplete);

void enforceAndCompleteTraced(benchmark::State& state) {
  Bench bench(true);
  int packets = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(bench.task->enforce());
    bench.task->complete();
    if (++packets % 1000 == 0) {
      state.PauseTiming();
      bench.trace.collect();
      state.ResumeTiming();
    }
  }
}
BENCHMARK(enforceAndCompleteTraced);

void traceEvent(benchmark::State& state) {
  TraceRing ring;
  std::vector<TraceRecord> drained;
  std::size_t pushed = 0;
  for (auto _ : state) {
    ring.push({MonotonicClock::now(), Duration{1}, 2, TraceEvent::Run});
    if (++pushed % TraceRing::kCapacity == 0) {
      state.PauseTiming();
      drained.clear();
      ring.drain(drained);
      state.ResumeTiming();
    }
  }
}
BENCHMARK(traceEvent);

void histogramRecord(benchmark::State& state) {
  DurationHistogram histogram;
  std::int64_t value = 1;
  for (auto _ : state) histogram.record(Duration(value = value * 7 % 40000000));
}
BENCHMARK(histogramRecord);

/// What the kernel itself asks for one reading.
void peerClockGettime(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(MonotonicClock::now());
}
BENCHMARK(peerClockGettime);

}  // namespace
}  // namespace tactus::periodic

BENCHMARK_MAIN();
