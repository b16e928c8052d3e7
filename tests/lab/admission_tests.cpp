// SPDX-License-Identifier: Apache-2.0
// What each admission test accepts of random task sets, and whether what it accepted meets its deadlines in
// the simulator at the critical instant.
#include <array>
#include <map>
#include <random>

#include "core/periodic/simulation/simulator.h"
#include "core/periodic/simulation/uunifast.h"
#include "tests/lab/experiment.h"
#include "tests/lab/svg_plot.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using namespace tactus::periodic;

constexpr std::array kTests{AdmissionTest::LiuLayland,     AdmissionTest::Flat,
                            AdmissionTest::Hyperbolic,     AdmissionTest::ExactResponse,
                            AdmissionTest::EdfUtilisation, AdmissionTest::EdfDemand};

/// Packets late when all tasks are released at once, until the longest period has passed ten times.
std::uint64_t lateAtCriticalInstant(const std::vector<Demand>& set, bool edf) {
  std::vector<SimulatedTask> tasks;
  for (const auto& each : set) {
    SimulatedTask task;
    task.lbap = {Rate::fromPeriod(each.period).value()};
    task.level = each.level;
    task.processing = [c = each.processing](std::int64_t) { return c; };
    tasks.push_back(std::move(task));
  }
  SimulationSettings settings;
  settings.earliestDeadlineFirst = edf;
  settings.length = 1s;
  std::uint64_t late = 0;
  for (const auto misses : simulate(tasks, settings).misses) late += misses;
  return late;
}

}  // namespace

Result<Verdict> runAdmissionTests(const Plan& plan) {
  const int sets = plan.quick ? 200 : 2000;
  CsvFile csv(plan.out / "admission-tests.csv",
              {"tasks", "utilisation", "test", "accepted_percent", "accepted_that_miss"});
  Figure figure{"What each test accepts",
                std::to_string(sets) +
                    " UUniFast sets a point, periods log-uniform from 5 to 100 ms, rate-monotonic levels",
                {}};
  std::uint64_t exactMisses = 0;
  std::uint64_t flatMisses = 0;
  std::uint64_t flatAccepted = 0;
  double exactAt88 = 0;
  double liuLaylandAt88 = 0;
  std::mt19937_64 random(20261121);
  for (const int n : {2, 4, 8, 16}) {
    Panel panel;
    panel.title = std::to_string(n) + " tasks";
    panel.xLabel = "utilisation";
    panel.yLabel = "sets accepted, %";
    panel.top = 100;
    std::map<AdmissionTest, std::vector<double>> accepted;
    for (const double load : {0.70, 0.75, 0.80, 0.85, 0.88, 0.90, 0.95, 0.98}) {
      panel.categories.push_back(fixed(load, 2));
      std::map<AdmissionTest, std::pair<int, int>> counts;  // accepted, of them missing
      for (int i = 0; i < sets; ++i) {
        auto set = uunifast(random, n, load);
        assignRateMonotonicLevels(set);
        bool misses = false;
        bool simulated = false;
        for (const auto which : kTests) {
          if (!test(which, set).fits) continue;
          auto& [taken, late] = counts[which];
          ++taken;
          const bool edf = which == AdmissionTest::EdfUtilisation || which == AdmissionTest::EdfDemand;
          if (edf) {
            late += i % 20 == 0 && lateAtCriticalInstant(set, true) > 0;  // a sample: both criteria are exact
            continue;
          }
          if (!simulated) misses = lateAtCriticalInstant(set, false) > 0;
          simulated = true;
          late += misses;
        }
      }
      for (const auto which : kTests) {
        const auto [taken, late] = counts[which];
        const double percent = 100.0 * taken / sets;
        accepted[which].push_back(percent);
        csv.add({std::to_string(n), fixed(load, 2), std::string(nameOf(which)), fixed(percent, 1),
                 std::to_string(late)});
        if (which == AdmissionTest::ExactResponse) exactMisses += static_cast<std::uint64_t>(late);
        if (which == AdmissionTest::Flat) {
          flatMisses += static_cast<std::uint64_t>(late);
          flatAccepted += static_cast<std::uint64_t>(taken);
        }
        if (n == 4 && load == 0.88) {
          if (which == AdmissionTest::ExactResponse) exactAt88 = percent;
          if (which == AdmissionTest::LiuLayland) liuLaylandAt88 = percent;
        }
      }
    }
    for (const auto which : kTests) panel.series.push_back({std::string(nameOf(which)), accepted[which]});
    figure.panels.push_back(std::move(panel));
  }
  if (auto written = writeFile(plan.out / "admission-tests.svg", toSvg(figure)); !written.ok())
    return written.error();
  return Verdict{exactAt88 >= 90 && exactMisses == 0,
                 "4 tasks at 0.88: exact analysis accepts " + fixed(exactAt88, 1) + " %, Liu-Layland " +
                     fixed(liuLaylandAt88, 1) + " %; " + std::to_string(exactMisses) +
                     " accepted sets miss in the simulator; of what flat 0.88 accepts, " +
                     fixed(100 * static_cast<double>(flatMisses) /
                               static_cast<double>(std::max<std::uint64_t>(1, flatAccepted)),
                           1) +
                     " % do",
                 ""};
}

}  // namespace tactus::lab
