// SPDX-License-Identifier: Apache-2.0
// RTSS, figure 13: the same clip is opened again and again on one processor; each stream needs about 27 % of
// it. With admission the first three keep 30 pictures a second and the fourth is refused; without, each
// stream added slows all of them.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "tests/lab/capture.h"
#include "tests/lab/child_process.h"
#include "tests/lab/experiment.h"
#include "tests/lab/load.h"
#include "tests/lab/statistics.h"
#include "tests/lab/svg_plot.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;

constexpr int kRate = 30;
constexpr int kMost = 6;            // streams
constexpr double kPromised = 0.88;  // share of a processor that the player's admission gives away
constexpr double kShare = 0.27;     // share of a processor that one stream shall need
constexpr double kKept = 0.98;      // promised share of the rate

struct Outcome {
  std::vector<double> rates;  // pictures a second of each that plays
  int refused = 0;
  double used = 0;  // processors
};

class RtssAdmission {
 public:
  RtssAdmission(const Plan& plan)
      : m_plan(plan),
        m_seconds(plan.quick ? 2 : 10),
        m_csv(plan.out / "rtss-admission.csv", {"block", "admission", "streams", "stream", "rate"}) {}

  Result<void> run() {
    if (const auto chosen = chooseFilm(); !chosen.ok()) return chosen.error();
    const int blocks = m_plan.blocks > 0 ? m_plan.blocks : (m_plan.quick ? 1 : 10);
    for (int block = 0; block < blocks; ++block) {
      for (int streams = m_plan.quick ? 4 : 1; streams <= (m_plan.quick ? 4 : kMost); ++streams) {
        for (const bool admission : {block % 2 == 0, block % 2 != 0}) {
          const auto outcome = play(m_film, streams, admission);
          if (!outcome.ok()) return outcome.error();
          note(block, streams, admission, outcome.value());
        }
      }
    }
    return {};
  }

  [[nodiscard]] Verdict verdict() const {
    const int fits = static_cast<int>(kPromised / m_demand);
    double kept = 1;
    double degraded = 1;
    bool right = true;
    for (const auto& [streams, runs] : m_with) {
      kept = std::min(kept, median(runs.least) / kRate);
      right = right && std::lround(median(runs.admitted)) == std::min(streams, fits);
    }
    for (const auto& [streams, runs] : m_without)
      if (streams > fits + 1) degraded = std::min(degraded, median(runs.mean) / kRate);
    const auto after = m_without.find(fits + 1);
    const double next = after == m_without.end() ? 1 : median(after->second.mean) / kRate;
    Verdict verdict;
    verdict.holds = right && kept >= kKept;
    verdict.figure = "each stream takes " + fixed(100 * m_demand, 0) +
                     " % of a processor: " + (right ? "" : "not always ") + std::to_string(fits) +
                     " are admitted however many ask, and keep at least " + fixed(100 * kept, 1) +
                     " % of their rate; without admission one more leaves all " + fixed(100 * next, 0) +
                     " %, and " + std::to_string(m_without.rbegin()->first) + " " +
                     fixed(100 * std::min(degraded, next), 0) + " %";
    return verdict;
  }

  [[nodiscard]] Figure figure() const {
    Figure figure{"The same clip opened again and again",
                  machine() + "; one processor, of which each takes " + fixed(100 * m_demand, 0) +
                      " %; medians over the blocks",
                  {}};
    Panel panel{.title = "mean rate of those that play",
                .xLabel = "streams that ask",
                .yLabel = "pictures a second",
                .kind = Panel::Kind::Lines,
                .categories = {},
                .series = {},
                .limit = Panel::Limit{kKept * kRate, "promised"},
                .top = kRate + 3.0};
    Series with{"with admission", {}};
    Series without{"without", {}};
    Series admitted{"admitted", {}};
    for (const auto& [streams, runs] : m_with) {
      panel.categories.push_back(std::to_string(streams));
      with.values.push_back(median(runs.mean));
      without.values.push_back(median(m_without.at(streams).mean));
      admitted.values.push_back(median(runs.admitted));
    }
    panel.series = {std::move(with), std::move(without)};
    Panel count = panel;
    count.title = "streams admitted";
    count.yLabel = "streams";
    count.limit.reset();
    count.top = kMost;
    count.series = {std::move(admitted)};
    figure.panels = {std::move(panel), std::move(count)};
    return figure;
  }

 private:
  struct Runs {
    std::vector<double> least, mean, admitted;  // one a block
  };

  /// The size at which one stream needs about as much as in the paper.
  Result<void> chooseFilm() {
    const auto encode = [&](int height) {
      return encodeCapture(m_plan.scratch, kRate, height, std::chrono::seconds(m_seconds + 16),
                           CaptureCoding::Film);
    };
    const auto measure = [&](const std::filesystem::path& film) -> Result<double> {
      const auto alone = play(film, 1, true);
      if (!alone.ok()) return alone.error();
      return alone.value().used;
    };
    const auto found = captureThatNeeds(kShare, 720, encode, measure);
    if (!found.ok()) return found.error();
    m_film = found.value().file;
    m_demand = found.value().used;
    if (m_demand < kPromised / kMost || m_demand > kPromised / 2)
      return Error{ErrorCode::Unsupported, "No film of ours takes about 27 % of a processor here."};
    return {};
  }

  Result<Outcome> play(const std::filesystem::path& film, int streams, bool admission) {
    const auto trace = m_plan.scratch / "tiles.trace";
    const auto log = m_plan.scratch / "player.log";
    std::error_code ignored;
    std::filesystem::remove(trace, ignored);
    // The player opens the next stream once it knows what the last one needs.
    const double opening = 3 + 1.7 * streams;
    const double seconds = m_seconds + opening + 1;
    std::vector<std::string> arguments{"taskset",
                                       "-c",
                                       std::to_string(lastCpu()),
                                       m_plan.tactus.string(),
                                       "--headless",
                                       "--no-audio",
                                       "--decoder-threads=1",
                                       "--duration=" + fixed(seconds, 1),
                                       "--trace=" + trace.string()};
    if (admission) {
      arguments.emplace_back("--admission=strict");
    } else {
      arguments.insert(arguments.end(), {"--shedding=off", "--realtime=none"});
    }
    std::vector<std::string> names;
    for (int i = 0; i < streams; ++i) {
      names.push_back("stream" + std::to_string(i + 1));
      arguments.push_back("--tile=" + film.string() + "@high,name=" + names.back());
    }
    auto player =
        ChildProcess::start(arguments, {.environment = {{"XDG_STATE_HOME", m_plan.scratch.string()}},
                                        .outputFile = log.string(),
                                        .keptDescriptor = -1});
    if (!player.ok()) return player.error();
    const auto end = player.value().wait(60s);
    // 3: one was refused. 4: pictures were late.
    if (!end || (end->status != 0 && end->status != 3 && end->status != 4))
      return Error{ErrorCode::System, "The player broke off; see player.log."};
    Outcome outcome;
    outcome.used = periodic::inSeconds(end->cpu) / seconds;
    std::ifstream in(log);
    const std::string said{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto shown = shownPictures(trace, names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (said.find("There is no room for '" + names[i] + "'") != std::string::npos) {
        ++outcome.refused;
      } else {
        outcome.rates.push_back(rateWithin(shown[i], opening, opening + m_seconds));
      }
    }
    return outcome;
  }

  void note(int block, int streams, bool admission, const Outcome& outcome) {
    auto& runs = (admission ? m_with : m_without)[streams];
    double sum = 0;
    double least = kRate;
    for (std::size_t i = 0; i < outcome.rates.size(); ++i) {
      sum += outcome.rates[i];
      least = std::min(least, outcome.rates[i]);
      m_csv.add({std::to_string(block), admission ? "on" : "off", std::to_string(streams),
                 std::to_string(i + 1), fixed(outcome.rates[i], 2)});
    }
    runs.least.push_back(least);
    runs.mean.push_back(outcome.rates.empty() ? 0 : sum / static_cast<double>(outcome.rates.size()));
    runs.admitted.push_back(static_cast<double>(outcome.rates.size()));
  }

  const Plan& m_plan;
  const int m_seconds;
  CsvFile m_csv;
  std::filesystem::path m_film;
  double m_demand = 0;  // processors that one stream needs
  std::map<int, Runs> m_with, m_without;
};

}  // namespace

Result<Verdict> runRtssAdmission(const Plan& plan) {
  RtssAdmission experiment(plan);
  if (const auto ran = experiment.run(); !ran.ok()) return ran.error();
  if (const auto written = writeFile(plan.out / "rtss-admission.svg", toSvg(experiment.figure()));
      !written.ok())
    return written.error();
  return experiment.verdict();
}

}  // namespace tactus::lab
