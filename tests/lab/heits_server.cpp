// SPDX-License-Identifier: Apache-2.0
// HeiTS, figures 8 and 9: how many streams of a video server, 30 packets a second each, one processor serves
// without late packets.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tests/lab/experiment.h"
#include "tests/lab/statistics.h"
#include "tests/lab/svg_plot.h"
#include "tests/lab/synthetic_tasks.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;

constexpr int kPerSecond = 30;

struct Condition {
  int streams;
  int hogs;
  bool realtime;
  [[nodiscard]] auto key() const { return std::tie(streams, hogs, realtime); }
  friend bool operator<(const Condition& a, const Condition& b) { return a.key() < b.key(); }
  friend bool operator==(const Condition& a, const Condition& b) { return a.key() == b.key(); }
};

struct Server {
  std::string name;
  std::string title;
  Duration work;
  std::vector<Condition> conditions;
  /// Must not miss: with Tactus.
  std::vector<Condition> promised;
};

struct Measured {
  std::map<Condition, std::vector<double>> shares;  // of packets late, in percent: one value for each block
  std::map<Condition, std::vector<double>> sample;  // laxity of every packet of the last block, in ms
  std::string granted;
};

Result<Measured> measure(const Plan& plan, const Server& server, int blocks) {
  Measured measured;
  CsvFile csv(plan.out / (server.name + ".csv"), {"block", "streams", "hogs", "realtime", "class", "admitted",
                                                  "packets", "misses", "worst_laxity_ms"});
  for (int block = 0; block < blocks; ++block) {
    auto order = server.conditions;
    std::rotate(order.begin(), order.begin() + block % static_cast<int>(order.size()), order.end());
    for (const auto& condition : order) {
      auto made = runSynthetic({condition.streams, kPerSecond, server.work, condition.hogs,
                                condition.realtime, plan.quick ? 1500ms : 5000ms});
      if (!made.ok()) return made.error();
      const SyntheticRun& found = made.value();
      if (condition.realtime) measured.granted = found.granted;
      std::vector<double> all;
      for (const auto& laxity : found.laxityMs) all.insert(all.end(), laxity.begin(), laxity.end());
      const double worst = all.empty() ? 0 : *std::min_element(all.begin(), all.end());
      measured.shares[condition].push_back(100 * static_cast<double>(found.misses) /
                                           static_cast<double>(std::max<std::size_t>(1, found.packets)));
      measured.sample[condition] = std::move(all);
      csv.add({std::to_string(block), std::to_string(condition.streams), std::to_string(condition.hogs),
               condition.realtime ? "1" : "0", found.granted, std::to_string(found.admitted),
               std::to_string(found.packets), std::to_string(found.misses), fixed(worst, 3)});
    }
  }
  return measured;
}

Figure plot(const Server& server, const Measured& measured, int blocks) {
  Figure figure{server.title,
                machine() + ", " + measured.granted + "; medians of " + std::to_string(blocks) + " block(s)",
                {}};
  Panel panel;
  panel.title = "Packets late";
  panel.xLabel = "streams + hogs";
  panel.yLabel = "% of packets";
  panel.kind = Panel::Kind::Bars;
  std::vector<double> with;
  std::vector<double> without;
  for (const auto& [condition, values] : measured.shares) {
    const std::string category = std::to_string(condition.streams) + "+" + std::to_string(condition.hogs);
    if (panel.categories.empty() || panel.categories.back() != category) {
      panel.categories.push_back(category);
      with.push_back(std::nan(""));
      without.push_back(std::nan(""));
    }
    (condition.realtime ? with : without).back() = median(values);
  }
  panel.series = {{"with Tactus", with}, {"without", without}};
  figure.panels.push_back(panel);
  for (const auto& condition : server.promised) {
    Panel chart;
    chart.title = "With Tactus, " + std::to_string(condition.streams) + " streams, " +
                  std::to_string(condition.hogs) + " hogs: every packet";
    chart.xLabel = "packet, stream by stream";
    chart.yLabel = "laxity, ms";
    chart.kind = Panel::Kind::Dots;
    chart.top = 35;
    chart.low = -5;
    chart.limit = Panel::Limit{0, "deadline"};
    chart.series = {{"laxity", measured.sample.at(condition)}};
    figure.panels.push_back(std::move(chart));
  }
  return figure;
}

/// The least number of streams of which packets are late without Tactus, in words.
std::string breakWithout(const Measured& measured) {
  int breaks = 0;
  double broken = 0;
  for (const auto& [condition, values] : measured.shares) {
    if (condition.realtime || median(values) == 0 || (breaks != 0 && condition.streams >= breaks)) continue;
    breaks = condition.streams;
    broken = median(values);
  }
  if (breaks == 0) return "; without, none broke";
  return "; without, " + std::to_string(breaks) + " streams have " + fixed(broken, 1) + " % late beside hogs";
}

Verdict judge(const Server& server, const Measured& measured) {
  Verdict verdict;
  if (measured.granted != "SCHED_FIFO") {
    verdict.missing = "SCHED_FIFO was not granted";
    return verdict;
  }
  verdict.holds = true;
  for (const auto& condition : server.promised) {
    const auto& shares = measured.shares.at(condition);
    double late = 0;
    for (const double share : shares) late = std::max(late, share);
    verdict.holds = verdict.holds && late == 0;
    verdict.figure += (verdict.figure.empty() ? "" : "; ") + std::to_string(condition.streams) +
                      " streams beside " + std::to_string(condition.hogs) + " hogs " +
                      fixed(median(shares), 2) + " % late (worst block " + fixed(late, 2) + " %)";
  }
  for (const auto& [condition, values] : measured.shares) {
    const bool promised =
        std::find(server.promised.begin(), server.promised.end(), condition) != server.promised.end();
    if (!condition.realtime || promised || condition.hogs == 0 ||
        condition.streams < server.promised.back().streams)
      continue;
    verdict.figure += "; " + std::to_string(condition.streams) + " beside " + std::to_string(condition.hogs) +
                      " hogs " + fixed(median(values), 2) + " % late";
  }
  verdict.figure += breakWithout(measured);
  return verdict;
}

Result<Verdict> run(const Plan& plan, const Server& server) {
  const int blocks = plan.blocks > 0 ? plan.blocks : (plan.quick ? 1 : 10);
  const NoRealtimeCeiling ceiling;
  const auto measured = measure(plan, server, blocks);
  if (!measured.ok()) return measured.error();
  const Figure figure = plot(server, measured.value(), blocks);
  if (auto written = writeFile(plan.out / (server.name + ".svg"), toSvg(figure)); !written.ok())
    return written.error();
  Verdict verdict = judge(server, measured.value());
  verdict.figure += ceiling.lifted() ? "; ceiling of 95 % lifted for the run" : "; ceiling of 95 % in force";
  return verdict;
}

}  // namespace

Result<Verdict> runHeitsServerSlow(const Plan& plan) {
  // Kernels since 6.12 give ordinary tasks 5 % of a processor in one block if they had less. 19 streams
  // of 5 % each leave them 4.7 %, because switching takes time too. So 18 streams are promised beside hogs,
  // and the result of 19 is only reported.
  Server server{"heits-server-slow",
                "A slow server: streams of 5 %, 30 packets a second",
                1667us,
                {{17, 0, false},
                 {17, 4, false},
                 {5, 4, false},
                 {17, 0, true},
                 {17, 4, true},
                 {18, 4, true},
                 {19, 0, true},
                 {19, 4, true}},
                {{19, 0, true}, {18, 4, true}}};
  if (plan.quick) server.conditions = {{17, 4, false}, {18, 4, true}, {19, 0, true}, {19, 4, true}};
  return run(plan, server);
}

Result<Verdict> runHeitsServerFast(const Plan& plan) {
  Server server{"heits-server-fast",
                "A fast server: streams of 2.7 %, 30 packets a second",
                900us,
                {{10, 16, false},
                 {30, 4, false},
                 {30, 16, false},
                 {36, 0, false},
                 {36, 4, false},
                 {30, 16, true},
                 {34, 4, true},
                 {35, 4, true},
                 {36, 0, true}},
                {{36, 0, true}, {34, 4, true}}};
  if (plan.quick) server.conditions = {{30, 16, false}, {36, 4, false}, {34, 4, true}, {36, 0, true}};
  return run(plan, server);
}

}  // namespace tactus::lab
