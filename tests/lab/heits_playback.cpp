// SPDX-License-Identifier: Apache-2.0
// HeiTS, figure 4: a film beside processor hogs, with and without real-time scheduling. Judged from outside,
// by what the screen shows; and from inside, by the player's own count of missed deadlines.
#include <algorithm>
#include <csignal>
#include <map>
#include <tuple>

#include "tests/lab/experiment.h"
#include "tests/lab/load.h"
#include "tests/lab/screen_sampler.h"
#include "tests/lab/statistics.h"
#include "tests/lab/svg_plot.h"
#include "tests/lab/video_player.h"
#include "tests/lab/virtual_screen.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using periodic::KernelTime;
using periodic::MonotonicClock;

constexpr double kSeenShare = 0.995;    // promised share of the pictures
constexpr double kLongIntervalMs = 45;  // promised limit of 99 in 100 intervals at 30 pictures a second
constexpr double kDisturbedMs = 15;     // half a picture
constexpr int kMostHogs = 16;

struct Condition {
  bool realtimeScreen = false;
  int framesPerSecond = 30;
  int hogs = 0;
  bool operator<(const Condition& other) const {
    return std::tie(realtimeScreen, framesPerSecond, hogs) <
           std::tie(other.realtimeScreen, other.framesPerSecond, other.hogs);
  }
};

/// Results of one player under one condition, one value for each block.
struct Cell {
  std::vector<double> share;
  std::vector<double> intervalP50;
  std::vector<double> intervalP99;
  std::vector<double> intervalLongest;
  long skipped = 0;
  long violations = 0;
  long crashes = 0;  ///< ended before the film did, or by a signal other than ours
};

struct Settings {
  std::vector<Condition> conditions;
  std::vector<VideoPlayer> players;
  std::chrono::seconds span{};
  int blocks = 1;
};

Settings settingsOf(const Plan& plan) {
  Settings settings;
  for (const bool realtime : {false, true}) {
    if (plan.quick) {
      settings.conditions.push_back({realtime, 30, kMostHogs});
      continue;
    }
    for (const int hogs : {0, 1, 2, 3, 4, kMostHogs}) settings.conditions.push_back({realtime, 30, hogs});
  }
  if (!plan.quick) {
    for (const int hogs : {0, 3, kMostHogs}) settings.conditions.push_back({true, 15, hogs});
  }
  for (const auto& player : videoPlayers()) {
    if (!plan.quick || player.kind == VideoPlayer::Kind::Tactus || player.kind == VideoPlayer::Kind::Mpv) {
      settings.players.push_back(player);
    }
  }
  settings.span = plan.quick ? 6s : 5s;
  settings.blocks = plan.blocks > 0 ? plan.blocks : (plan.quick ? 1 : 10);
  return settings;
}

class HeitsPlayback {
 public:
  HeitsPlayback(const Plan& plan, VirtualScreen screen, ScreenSampler sampler, std::map<int, BlockFilm> films)
      : m_plan(plan),
        m_settings(settingsOf(plan)),
        m_screen(std::move(screen)),
        m_sampler(std::move(sampler)),
        m_films(std::move(films)),
        m_csv(plan.out / "heits-playback.csv",
              {"block", "screen", "fps", "hogs", "player", "class", "seen_share", "seen", "skipped",
               "interval_p50_ms", "interval_p99_ms", "interval_longest_ms", "violations", "watcher_delay_ms",
               "exit"}) {}

  Result<void> run() {
    for (int block = 0; block < m_settings.blocks; ++block) {
      for (const auto& condition : m_settings.conditions) {
        if (const auto set = m_screen.setRealtime(condition.realtimeScreen); !set.ok()) return set.error();
        const auto hogs = CpuHogs::start(condition.hogs);
        if (!hogs.ok()) return hogs.error();
        // Each block begins with another player, so that none always comes first.
        auto players = m_settings.players;
        std::rotate(players.begin(), players.begin() + block % static_cast<int>(players.size()),
                    players.end());
        for (const auto& player : players) {
          if (const auto played = play(block, condition, player); !played.ok()) return played.error();
        }
      }
    }
    return {};
  }

  [[nodiscard]] Verdict verdict() const {
    Verdict verdict{true, "", ""};
    for (const bool realtime : {false, true}) {
      const Cell& with = m_cells.at({Condition{realtime, 30, kMostHogs}, "tactus"});
      const Cell& mpv = m_cells.at({Condition{realtime, 30, kMostHogs}, "mpv"});
      verdict.holds = verdict.holds && median(with.share) >= kSeenShare && with.violations == 0 &&
                      median(with.intervalP99) <= kLongIntervalMs;
      verdict.figure += std::string(realtime ? "; X server in SCHED_FIFO: "
                                             : "16 hogs, 30 fps, X server at normal priority: ") +
                        "tactus " + told(with) + " and " + std::to_string(with.violations) +
                        " violations, mpv " + told(mpv);
    }
    long crashes = 0;
    for (const auto& [key, cell] : m_cells) crashes += key.second == "tactus" ? cell.crashes : 0;
    if (crashes > 0) {
      verdict.holds = false;
      verdict.figure += "; tactus crashed in " + std::to_string(crashes) + " run(s)";
    }
    verdict.figure += " (tactus granted " + m_class + ")";
    // Something above the watcher (another real-time program, the host of a virtual machine) held it up.
    if (m_watcherDelayMs > kDisturbedMs) {
      verdict.figure +=
          "; disturbed: the watcher itself was woken up to " + fixed(m_watcherDelayMs, 0) + " ms late";
    }
    return verdict;
  }

  [[nodiscard]] Figure figure() const {
    Figure figure{"A film beside processor hogs",
                  machine() + "; 1280x720 H.264, Xvfb; tactus granted " + m_class + "; medians of " +
                      std::to_string(m_settings.blocks) + " block(s)",
                  {}};
    for (const auto& [realtime, rate] : {std::pair{false, 30}, std::pair{true, 30}, std::pair{true, 15}}) {
      const std::string about =
          std::to_string(rate) + " fps, X server " + (realtime ? "in SCHED_FIFO" : "normal");
      Panel seen{.title = about,
                 .xLabel = "processor hogs",
                 .yLabel = "pictures seen, %",
                 .kind = Panel::Kind::Lines,
                 .categories = {},
                 .series = {},
                 .limit = std::nullopt,
                 .top = 100};
      Panel interval{.title = about,
                     .xLabel = "processor hogs",
                     .yLabel = "interval between pictures, p99, ms",
                     .kind = Panel::Kind::Lines,
                     .categories = {},
                     .series = {},
                     .limit = std::nullopt,
                     .top = std::nullopt};
      if (rate == 30) interval.limit = Panel::Limit{kLongIntervalMs, "promised"};
      fill(seen, interval, realtime, rate);
      if (seen.categories.empty()) continue;
      if (seen.categories.size() == 1) seen.kind = interval.kind = Panel::Kind::Bars;
      figure.panels.push_back(std::move(seen));
      figure.panels.push_back(std::move(interval));
    }
    return figure;
  }

 private:
  /// By a signal other than the SIGTERM it was sent (tactus answers that with 130).
  static bool crashed(const ChildEnd& end) {
    return end.status > 128 && end.status != 128 + SIGTERM && end.status != 130;
  }

  static std::string told(const Cell& cell) {
    return fixed(100 * median(cell.share), 1) + " % seen, interval p50/p99/max " +
           fixed(median(cell.intervalP50), 1) + "/" + fixed(median(cell.intervalP99), 1) + "/" +
           fixed(median(cell.intervalLongest), 1) + " ms";
  }

  void fill(Panel& seen, Panel& interval, bool realtime, int rate) const {
    for (const auto& condition : m_settings.conditions) {
      if (condition.realtimeScreen != realtime || condition.framesPerSecond != rate) continue;
      seen.categories.push_back(std::to_string(condition.hogs));
    }
    interval.categories = seen.categories;
    for (const auto& player : m_settings.players) {
      Series share{player.name, {}};
      Series p99{player.name, {}};
      for (const auto& condition : m_settings.conditions) {
        if (condition.realtimeScreen != realtime || condition.framesPerSecond != rate) continue;
        const Cell& cell = m_cells.at({condition, player.name});
        share.values.push_back(100 * median(cell.share));
        p99.values.push_back(median(cell.intervalP99));
      }
      seen.series.push_back(std::move(share));
      interval.series.push_back(std::move(p99));
    }
  }

  Result<void> play(int block, const Condition& condition, const VideoPlayer& player) {
    const BlockFilm& film = m_films.at(condition.framesPerSecond);
    auto process = player.start(m_plan, film, m_screen.display());
    if (!process.ok()) return process.error();
    const auto begin = process.value().started();
    const auto from = static_cast<std::uint32_t>(condition.framesPerSecond / 2);
    SeenFrames figures;
    if (const auto first = m_sampler.await(from, begin, 20s)) {
      (void)m_sampler.takeLongestDelay();
      KernelTime::sleepUntil(first->when + m_settings.span + 100ms);
      figures = judge(m_sampler.sightingsSince(begin), condition.framesPerSecond, from, m_settings.span);
    }
    const bool endedEarly = process.value().poll().has_value();
    const double watcherDelay = periodic::inMilliseconds(m_sampler.takeLongestDelay());
    m_watcherDelayMs = std::max(m_watcherDelayMs, watcherDelay);
    const ChildEnd end = process.value().stop(10s);
    const auto violations = player.violations(m_plan);
    if (player.kind == VideoPlayer::Kind::Tactus && violations) m_class = player.kernelClass(m_plan);
    Cell& cell = m_cells[{condition, player.name}];
    cell.share.push_back(figures.share);
    cell.intervalP50.push_back(figures.intervalP50);
    cell.intervalP99.push_back(figures.intervalP99);
    cell.intervalLongest.push_back(figures.intervalLongest);
    cell.skipped += static_cast<long>(figures.skipped);
    cell.violations += violations.value_or(0);
    // A crash of a player is a result; it does not end a run of an hour.
    const bool noReport = player.kind == VideoPlayer::Kind::Tactus && !violations;
    if (endedEarly || crashed(end) || noReport) ++cell.crashes;
    m_csv.add({std::to_string(block), condition.realtimeScreen ? "fifo" : "normal",
               std::to_string(condition.framesPerSecond), std::to_string(condition.hogs), player.name,
               player.kernelClass(m_plan), fixed(figures.share, 4), std::to_string(figures.seen),
               std::to_string(figures.skipped), fixed(figures.intervalP50, 2), fixed(figures.intervalP99, 2),
               fixed(figures.intervalLongest, 2), violations ? std::to_string(*violations) : "",
               fixed(watcherDelay, 2), std::to_string(end.status)});
    return {};
  }

  Plan m_plan;
  Settings m_settings;
  VirtualScreen m_screen;
  ScreenSampler m_sampler;
  std::map<int, BlockFilm> m_films;
  CsvFile m_csv;
  std::map<std::pair<Condition, std::string>, Cell> m_cells;
  std::string m_class = "nothing";
  double m_watcherDelayMs = 0;  // at worst
};

}  // namespace

Result<Verdict> runHeitsPlayback(const Plan& plan) {
  for (const char* program : {"Xvfb", "ffmpeg", "mpv", "gst-launch-1.0"}) {
    if (!programExists(program))
      return Verdict{false, "", std::string("the program ") + program + " is missing"};
  }
  if (!programExists(plan.tactus)) return Verdict{false, "", "there is no player " + plan.tactus.string()};
  auto screen = VirtualScreen::create(BlockFilm::kWidth, BlockFilm::kHeight);
  if (!screen.ok()) return screen.error();
  if (const auto granted = screen.value().setRealtime(true); !granted.ok()) {
    return Verdict{false, "", granted.error().message};
  }
  auto sampler = ScreenSampler::start(screen.value().display());
  if (!sampler.ok()) return Verdict{false, "", sampler.error().message};
  const Settings settings = settingsOf(plan);
  std::map<int, BlockFilm> films;
  for (const auto& condition : settings.conditions) {
    if (films.contains(condition.framesPerSecond)) continue;
    auto film = BlockFilm::create(plan.scratch, condition.framesPerSecond, settings.span + 5s);
    if (!film.ok()) return film.error();
    films.emplace(condition.framesPerSecond, std::move(film).value());
  }
  HeitsPlayback experiment(plan, std::move(screen).value(), std::move(sampler).value(), std::move(films));
  if (const auto ran = experiment.run(); !ran.ok()) return ran.error();
  if (const auto drawn = writeFile(plan.out / "heits-playback.svg", toSvg(experiment.figure()));
      !drawn.ok()) {
    return drawn.error();
  }
  return experiment.verdict();
}

}  // namespace tactus::lab
