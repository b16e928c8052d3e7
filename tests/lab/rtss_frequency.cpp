// SPDX-License-Identifier: Apache-2.0
// RTSS, figures 8 and 9: three windows of one capture at 10 pictures a second, overloaded from the third
// second to the twenty-fourth. With shedding the first keeps its rate and the others give way; without, all
// fall. The film is decoded three times on one processor. During the overload another real-time program takes
// a share of that processor: the three together no longer fit, but their promised parts (1.0, 0.7 and 0.5 of
// their pictures) just fit.
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <thread>

#include "tests/lab/capture.h"
#include "tests/lab/child_process.h"
#include "tests/lab/experiment.h"
#include "tests/lab/load.h"
#include "tests/lab/statistics.h"
#include "tests/lab/svg_plot.h"
#include "tests/lab/video_player.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using periodic::inSeconds;

constexpr double kRate = 10;
constexpr double kKept = 0.97;         // promised share of the first window's rate, over any five seconds
constexpr double kRecovery = 3;        // seconds after the overload until all is as before
constexpr double kLeft = 0.87;         // the overload leaves this share of the three windows' demand
constexpr double kDemand = 0.7;        // the share of a processor that the three shall need
constexpr auto kStart = 2s;            // the player opens, and decodes its first pictures ahead
constexpr auto kMeasure = 4s;          // the demand of the three is measured for this long
constexpr double kFirstPicture = 0.5;  // seconds from the player's start, with a margin
constexpr std::array<const char*, 3> kWindows{"Primary", "Secondary", "Textured"};
constexpr std::array<double, 3> kFloors{1.0, 0.7, 0.5};

struct Timeline {
  double from, to, end;  // seconds: begin and end of the overload, end of the run
};

/// When pictures of one window were shown, s on the timeline.
using Shown = std::vector<std::vector<double>>;

double leastRate(const std::vector<double>& times, double from, double to, double window) {
  double least = kRate;
  for (double at = from; at + window <= to + 1e-9; at += 0.5)
    least = std::min(least, rateWithin(times, at, at + window));
  return least;
}

double longestGap(const std::vector<double>& times, double from, double to) {
  double longest = 0;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i - 1] >= from && times[i] < to) longest = std::max(longest, times[i] - times[i - 1]);
  return longest;
}

/// How often the rate turned by more than a picture and a half a second, second by second.
int turns(const std::vector<double>& times, double from, double to) {
  int count = 0;
  double extreme = rateWithin(times, from, from + 1);
  int direction = 0;
  for (double at = from + 1; at + 1 <= to; at += 1) {
    const double rate = rateWithin(times, at, at + 1);
    if (std::abs(rate - extreme) <= 1.5) continue;
    const int now = rate > extreme ? 1 : -1;
    if (direction != 0 && now != direction) ++count;
    direction = now;
    extreme = rate;
  }
  return count;
}

class RtssFrequency {
 public:
  explicit RtssFrequency(const Plan& plan)
      : m_plan(plan),
        m_time(plan.quick ? Timeline{3, 11, 16} : Timeline{3, 24, 30}),
        m_csv(plan.out / "rtss-frequency.csv", {"block", "shedding", "window", "second", "rate"}) {}

  Result<void> run() {
    const int blocks = m_plan.blocks > 0 ? m_plan.blocks : (m_plan.quick ? 1 : 10);
    if (const auto chosen = chooseFilm(); !chosen.ok()) return chosen.error();
    const double left = kLeft * m_demand;
    const auto share = RealtimeLoad::shareThatLeaves(left, lastCpu());
    if (!share.ok()) return share.error();
    m_kernel = 1 - left - share.value();
    for (int block = 0; block < blocks; ++block) {
      for (const bool shedding : {block % 2 == 0, block % 2 != 0}) {
        const auto shown = play(shedding, m_time.end);
        if (!shown.ok()) return shown.error();
        note(block, shedding, shown.value());
      }
    }
    return {};
  }

  [[nodiscard]] Verdict verdict() const {
    Verdict verdict;
    const double kept = median(m_kept);
    const double back = median(m_back);
    verdict.holds =
        kept >= kKept * kRate && median(m_gap) <= 1 && back >= kKept * kRate && median(m_turns) <= 2;
    verdict.figure = "three windows that need " + fixed(100 * m_demand, 0) + " % of a processor, " +
                     fixed(100 * kLeft, 0) + " % of that left: first window at least " + fixed(kept, 1) +
                     " of 10 a second over any 5 s (without shedding " + fixed(median(m_keptWithout), 1) +
                     "), others " + fixed(median(m_second), 1) + " and " + fixed(median(m_third), 1) +
                     " (without " + fixed(median(m_secondWithout), 1) + " and " +
                     fixed(median(m_thirdWithout), 1) + "), longest gap " + fixed(median(m_gap), 2) +
                     " of its promise, " + fixed(median(m_turns), 0) + " turns once settled, " +
                     fixed(back, 1) + " a second from 3 s after the overload";
    return verdict;
  }

  [[nodiscard]] Figure figure() const {
    Figure figure{"Three windows of one capture, overloaded from " + fixed(m_time.from, 0) + " to " +
                      fixed(m_time.to, 0) + " s",
                  machine() + "; " + std::to_string(m_height) +
                      " lines of Motion JPEG at 10 fps three times on one processor; the first block",
                  {}};
    for (const bool shedding : {true, false}) {
      Panel panel{
          .title = shedding ? "with shedding: f at least 1.0, 0.7, 0.5" : "without, at normal priority",
          .xLabel = "second",
          .yLabel = "pictures a second",
          .kind = Panel::Kind::Lines,
          .categories = {},
          .series = {},
          .limit = Panel::Limit{kKept * kRate, "promised"},
          .top = 12};
      for (int second = 0; second < static_cast<int>(m_time.end); ++second)
        panel.categories.push_back(second % 3 == 0 ? std::to_string(second) : "");
      for (std::size_t i = 0; i < kWindows.size(); ++i) {
        Series series{kWindows[i], {}};
        for (int second = 0; second < static_cast<int>(m_time.end); ++second)
          series.values.push_back(rateWithin(m_first.at(shedding)[i], second, second + 1));
        panel.series.push_back(std::move(series));
      }
      figure.panels.push_back(std::move(panel));
    }
    return figure;
  }

 private:
  /// A film of the size at which the three windows need kDemand.
  Result<void> chooseFilm() {
    const auto encode = [&](int height) {
      return encodeCapture(m_plan.scratch, static_cast<int>(kRate), height, m_plan.quick ? 24s : 38s,
                           CaptureCoding::Pictures);
    };
    const auto measure = [&](const std::filesystem::path& film) -> Result<double> {
      m_film = film;
      if (const auto shown = play(true, 0); !shown.ok()) return shown.error();
      if (m_used > 0.9)
        return Error{ErrorCode::Unsupported,
                     "This machine needs " + fixed(m_used, 2) + " processors for the three windows."};
      return m_used;
    };
    const auto found = captureThatNeeds(kDemand, 1080, encode, measure);
    if (!found.ok()) return found.error();
    m_film = found.value().file;
    m_height = found.value().height;
    m_demand = found.value().used;
    return {};
  }

  Result<Shown> play(bool shedding, double length) {
    const auto trace = m_plan.scratch / "tiles.trace";
    const auto report = m_plan.scratch / "tiles.json";
    std::error_code ignored;
    std::filesystem::remove(trace, ignored);
    const double lead = inSeconds(kStart + kMeasure);
    const double seconds = lead + (length > 0 ? length - m_time.from + 1 : 0.5);
    const std::string cpu = std::to_string(lastCpu());
    std::vector<std::string> arguments{"taskset",
                                       "-c",
                                       cpu,
                                       m_plan.tactus.string(),
                                       "--headless",
                                       "--no-audio",
                                       "--decoder-threads=1",
                                       "--duration=" + fixed(seconds, 1),
                                       "--trace=" + trace.string(),
                                       "--report=json:" + report.string()};
    if (!shedding) {
      arguments.push_back("--shedding=off");
      arguments.push_back("--realtime=none");
    }
    const std::array<std::string, 3> terms{"@high", "@normal,f_min=0.7", "@normal,f_min=0.5"};
    for (std::size_t i = 0; i < kWindows.size(); ++i)
      arguments.push_back("--tile=" + m_film.string() + terms[i] + ",name=" + kWindows[i]);
    auto player =
        ChildProcess::start(arguments, {.environment = {{"XDG_STATE_HOME", m_plan.scratch.string()}},
                                        .outputFile = (m_plan.scratch / "player.log").string(),
                                        .keptDescriptor = -1});
    if (!player.ok()) return player.error();
    std::this_thread::sleep_for(kStart);
    const auto used = usedBy(player.value());
    if (!used.ok()) return used.error();
    m_used = used.value();
    if (length > 0) {  // of what it takes in this very run: the machine's speed is not always the same
      const auto load = RealtimeLoad::start(1 - m_kernel - kLeft * m_used, lastCpu());
      if (!load.ok()) return load.error();
      std::this_thread::sleep_for(periodic::fromSeconds(m_time.to - m_time.from));
    }
    const auto end = player.value().wait(60s);
    if (!end || (end->status != 0 && end->status != 4))
      return Error{ErrorCode::System, "The player broke off; see player.log."};
    Shown shown = shownPictures(trace, {kWindows.begin(), kWindows.end()});
    for (auto& times : shown)
      for (double& time : times) time -= lead - m_time.from - kFirstPicture;
    return shown;
  }

  /// Processors that the player uses now, measured on one kept busy.
  static Result<double> usedBy(const ChildProcess& player) {
    const auto hogs = CpuHogs::startIdle(lastCpu());
    if (!hogs.ok()) return hogs.error();
    return processorsUsed([&] { return player.cpu(); }, kMeasure);
  }

  void note(int block, bool shedding, const Shown& shown) {
    if (block == 0) m_first[shedding] = shown;
    for (std::size_t i = 0; i < kWindows.size(); ++i)
      for (int second = 0; second < static_cast<int>(m_time.end); ++second)
        m_csv.add({std::to_string(block), shedding ? "on" : "off", kWindows[i], std::to_string(second),
                   fixed(rateWithin(shown[i], second, second + 1), 1)});
    const double from = m_time.from + 1;
    const double to = m_time.to - 0.5;
    const double settled = std::min(m_time.from + 6, to - 2);
    if (!shedding) {
      m_keptWithout.push_back(leastRate(shown[0], from, to, 5));
      m_secondWithout.push_back(rateWithin(shown[1], settled, to));
      m_thirdWithout.push_back(rateWithin(shown[2], settled, to));
      return;
    }
    m_kept.push_back(leastRate(shown[0], from, to, 5));
    m_second.push_back(rateWithin(shown[1], settled, to));
    m_third.push_back(rateWithin(shown[2], settled, to));
    double gap = 0;
    double back = kRate;
    int most = 0;
    for (std::size_t i = 0; i < kWindows.size(); ++i) {
      // The promise is one of ceil(1/f) pictures; half a period is for the screen.
      const double promised = (std::ceil(1 / kFloors[i]) + 0.5) / kRate;
      gap = std::max(gap, longestGap(shown[i], settled, to) / promised);
      back = std::min(back, rateWithin(shown[i], m_time.to + 0.5 + kRecovery, m_time.end));
      most = std::max(most, turns(shown[i], settled, to));
    }
    m_gap.push_back(gap);
    m_back.push_back(back);
    m_turns.push_back(most);
  }

  const Plan& m_plan;
  std::filesystem::path m_film;
  int m_height = 0;
  const Timeline m_time;
  CsvFile m_csv;
  double m_demand = 0, m_used = 0;  // processors: of the three, and when it was last measured
  double m_kernel = 0;              // of the processor, that the kernel takes beside an overload
  std::map<bool, Shown> m_first;
  std::vector<double> m_kept, m_second, m_third, m_gap, m_back, m_turns;
  std::vector<double> m_keptWithout, m_secondWithout, m_thirdWithout;
};

}  // namespace

Result<Verdict> runRtssFrequency(const Plan& plan) {
  if (!RealtimeLoad::granted()) {
    Verdict verdict;
    verdict.missing = "SCHED_FIFO, for the program that overloads";
    return verdict;
  }
  RtssFrequency experiment(plan);
  if (const auto ran = experiment.run(); !ran.ok()) return ran.error();
  if (const auto written = writeFile(plan.out / "rtss-frequency.svg", toSvg(experiment.figure()));
      !written.ok())
    return written.error();
  return experiment.verdict();
}

}  // namespace tactus::lab
