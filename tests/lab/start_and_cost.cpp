// SPDX-License-Identifier: Apache-2.0
// What the real-time tasks cost when nothing disturbs: time until the first picture, and until one far behind
// its keyframe; processor time for each picture and while paused; memory. Compared with other players on the
// same film and screen.
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/lab/experiment.h"
#include "tests/lab/screen_sampler.h"
#include "tests/lab/statistics.h"
#include "tests/lab/svg_plot.h"
#include "tests/lab/video_player.h"
#include "tests/lab/virtual_screen.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::KernelTime;
using periodic::MonotonicClock;

// Promised, at most:
constexpr double kLaterMs = 20;         // than each of the others
constexpr double kCostRatio = 0.9;      // of mpv's
constexpr double kSoughtRatio = 1.1;    // of mpv's
constexpr double kMemoryRatio = 1.0;    // of mpv's
constexpr double kPausedPercent = 1.0;  // of one processor

constexpr int kFramesPerSecond = 30;
constexpr int kKeyframeDistance = 250;
constexpr int kSought = 2 * kKeyframeDistance - 5;  // so many pictures must be decoded for it

struct Cell {
  std::vector<double> startMs;
  std::vector<double> soughtMs;
  std::vector<double> memoryMiB;
  std::vector<double> cpuPerFrameMs;
  std::vector<double> steadyCpuPerFrameMs;
  std::vector<double> pausedPercent;
};

class StartAndCost {
 public:
  StartAndCost(const Plan& plan, VirtualScreen screen, ScreenSampler sampler, BlockFilm film,
               BlockFilm fewKeyframes, Duration span)
      : m_plan(plan),
        m_blocks(plan.blocks > 0 ? plan.blocks : (plan.quick ? 1 : 10)),
        m_span(span),
        m_pausedSpan(plan.quick ? 2s : 5s),
        m_screen(std::move(screen)),
        m_sampler(std::move(sampler)),
        m_film(std::move(film)),
        m_fewKeyframes(std::move(fewKeyframes)),
        m_csv(plan.out / "start-and-cost.csv",
              {"block", "player", "start_ms", "frames_seen", "cpu_per_frame_ms", "steady_cpu_per_frame_ms",
               "paused_percent", "sought_ms", "memory_mib"}) {
    for (const auto& player : videoPlayers()) {
      if (!plan.quick || player.kind == VideoPlayer::Kind::Tactus || player.kind == VideoPlayer::Kind::Mpv) {
        m_players.push_back(player);
      }
    }
  }

  Result<void> run() {
    // Block -1 warms the caches of files and plug-ins and is not counted.
    for (int block = -1; block < m_blocks; ++block) {
      auto players = m_players;
      std::rotate(players.begin(), players.begin() + (block + 1) % static_cast<int>(players.size()),
                  players.end());
      for (const auto& player : players) {
        if (const auto measured = measure(block, player); !measured.ok()) return measured.error();
      }
    }
    return {};
  }

  [[nodiscard]] Verdict verdict() const {
    const Cell& ours = m_cells.at("tactus");
    const Cell& mpv = m_cells.at("mpv");
    const auto ratio = [&](std::vector<double> Cell::*values) {
      return median(ours.*values) / std::max(median(mpv.*values), 1e-9);
    };
    double soonest = median(mpv.startMs);
    if (const auto playbin = m_cells.find("playbin3"); playbin != m_cells.end())
      soonest = std::min(soonest, median(playbin->second.startMs));
    const double cost = ratio(&Cell::cpuPerFrameMs);
    const double sought = ratio(&Cell::soughtMs);
    const double memory = ratio(&Cell::memoryMiB);
    const double paused = median(ours.pausedPercent);
    const bool holds = median(ours.startMs) <= soonest + kLaterMs && cost <= kCostRatio &&
                       sought <= kSoughtRatio && memory <= kMemoryRatio && paused < kPausedPercent;
    return {holds,
            "first picture after " + fixed(median(ours.startMs), 0) + " ms (mpv " +
                fixed(median(mpv.startMs), 0) + ", the soonest other " + fixed(soonest, 0) +
                "), one that lies 245 behind its keyframe after " + fixed(median(ours.soughtMs), 0) +
                " ms (mpv " + fixed(median(mpv.soughtMs), 0) + ", ratio " + fixed(sought, 2) +
                "), processor time a picture " + fixed(median(ours.cpuPerFrameMs), 2) + " ms (mpv " +
                fixed(median(mpv.cpuPerFrameMs), 2) + ", ratio " + fixed(cost, 2) + "; past the start " +
                fixed(ratio(&Cell::steadyCpuPerFrameMs), 2) + "), memory " +
                fixed(median(ours.memoryMiB), 0) + " MiB (mpv " + fixed(median(mpv.memoryMiB), 0) +
                ", ratio " + fixed(memory, 2) + "), paused " + fixed(paused, 2) + " % of a processor",
            ""};
  }

  [[nodiscard]] Figure figure() const {
    Figure figure{"First picture and cost",
                  machine() + "; 1280x720 H.264 at 30 fps, Xvfb, no load; medians of " +
                      std::to_string(m_blocks) + " block(s)",
                  {}};
    figure.panels.push_back(panel("First picture", "from exec to the screen, ms", &Cell::startMs));
    figure.panels.push_back(panel("One behind 245 others", "from exec to the screen, ms", &Cell::soughtMs));
    figure.panels.push_back(panel("Memory", "most resident, MiB", &Cell::memoryMiB));
    figure.panels.push_back(panel("A played picture", "processor time, ms", &Cell::cpuPerFrameMs));
    figure.panels.push_back(
        panel("A played picture, past the start", "processor time, ms", &Cell::steadyCpuPerFrameMs));
    figure.panels.push_back(panel("Paused", "of one processor, %", &Cell::pausedPercent));
    figure.panels.back().limit = Panel::Limit{kPausedPercent, "promised"};
    return figure;
  }

 private:
  [[nodiscard]] Panel panel(const std::string& title, const std::string& unit,
                            std::vector<double> Cell::*values) const {
    Panel panel{.title = title,
                .xLabel = "",
                .yLabel = unit,
                .kind = Panel::Kind::Bars,
                .categories = {""},
                .series = {},
                .limit = std::nullopt,
                .top = std::nullopt};
    for (const auto& player : m_players) {
      const auto& found = m_cells.at(player.name).*values;
      panel.series.push_back({player.name, {found.empty() ? std::nan("") : median(found)}});
    }
    return panel;
  }

  Result<void> measure(int block, const VideoPlayer& player) {
    auto process = player.start(m_plan, m_film, m_screen.display());
    if (!process.ok()) return process.error();
    const auto begin = process.value().started();
    const auto first = m_sampler.await(0, begin, 20s);
    if (!first) return Error{ErrorCode::Timeout, player.name + " showed no picture within 20 s"};
    KernelTime::sleepUntil(first->when + 1s);
    const Duration cpuBefore = process.value().cpu();
    const auto before = MonotonicClock::now();
    KernelTime::sleepUntil(first->when + m_span);
    const Duration cpuAfter = process.value().cpu();
    const auto after = MonotonicClock::now();
    const auto end = process.value().stop(10s);
    const auto seen = m_sampler.sightingsSince(begin);
    const auto steady = std::count_if(seen.begin(), seen.end(),
                                      [&](const Sighting& s) { return s.when >= before && s.when < after; });
    double pausedPercent = std::nan("");
    double soughtMs = std::nan("");
    if (player.kind != VideoPlayer::Kind::Gstreamer) {
      const auto paused = measurePaused(player);
      if (!paused.ok()) return paused.error();
      pausedPercent = paused.value();
      const auto sought = measureSought(player);
      if (!sought.ok()) return sought.error();
      soughtMs = sought.value();
    }
    if (block < 0) return {};
    Cell& cell = m_cells[player.name];
    cell.startMs.push_back(periodic::inMilliseconds(first->when - begin));
    cell.cpuPerFrameMs.push_back(periodic::inMilliseconds(end.cpu) /
                                 static_cast<double>(std::max<std::size_t>(seen.size(), 1)));
    cell.steadyCpuPerFrameMs.push_back(periodic::inMilliseconds(cpuAfter - cpuBefore) /
                                       static_cast<double>(std::max<std::ptrdiff_t>(steady, 1)));
    cell.memoryMiB.push_back(end.memory);
    if (!std::isnan(pausedPercent)) cell.pausedPercent.push_back(pausedPercent);
    if (!std::isnan(soughtMs)) cell.soughtMs.push_back(soughtMs);
    m_csv.add({std::to_string(block), player.name, fixed(cell.startMs.back(), 1), std::to_string(seen.size()),
               fixed(cell.cpuPerFrameMs.back(), 3), fixed(cell.steadyCpuPerFrameMs.back(), 3),
               std::isnan(pausedPercent) ? "" : fixed(pausedPercent, 3),
               std::isnan(soughtMs) ? "" : fixed(soughtMs, 1), fixed(end.memory, 1)});
    return {};
  }

  Result<double> measurePaused(const VideoPlayer& player) {
    auto process = player.start(m_plan, m_film, m_screen.display(), {.paused = true});
    if (!process.ok()) return process.error();
    if (!m_sampler.await(0, process.value().started(), 20s)) {
      return Error{ErrorCode::Timeout, player.name + " showed no picture while paused"};
    }
    KernelTime::sleepUntil(MonotonicClock::now() + 3s);  // the player's controls fade out
    const Duration before = process.value().cpu();
    KernelTime::sleepUntil(MonotonicClock::now() + m_pausedSpan);
    const Duration used = process.value().cpu() - before;
    process.value().stop(10s);
    return 100 * periodic::inMilliseconds(used) / periodic::inMilliseconds(m_pausedSpan);
  }

  Result<double> measureSought(const VideoPlayer& player) {
    auto process = player.start(m_plan, m_fewKeyframes, m_screen.display(), {.frame = kSought});
    if (!process.ok()) return process.error();
    const auto begin = process.value().started();
    const auto first = m_sampler.await(kSought, begin, 20s);
    if (!first)
      return Error{ErrorCode::Timeout, player.name + " showed no picture that it was to begin with"};
    process.value().stop(10s);
    return periodic::inMilliseconds(first->when - begin);
  }

  Plan m_plan;
  int m_blocks;
  Duration m_span;
  Duration m_pausedSpan;
  VirtualScreen m_screen;
  ScreenSampler m_sampler;
  BlockFilm m_film, m_fewKeyframes;
  CsvFile m_csv;
  std::vector<VideoPlayer> m_players;
  std::map<std::string, Cell> m_cells;
};

}  // namespace

Result<Verdict> runStartAndCost(const Plan& plan) {
  for (const char* program : {"Xvfb", "ffmpeg", "mpv", "gst-launch-1.0"}) {
    if (!programExists(program))
      return Verdict{false, "", std::string("the program ") + program + " is missing"};
  }
  if (!programExists(plan.tactus)) return Verdict{false, "", "there is no player " + plan.tactus.string()};
  const auto span = plan.quick ? 5s : 20s;
  auto film = BlockFilm::create(plan.scratch, kFramesPerSecond, span + 5s);
  if (!film.ok()) return film.error();
  auto few = BlockFilm::create(plan.scratch, kFramesPerSecond, 25s, kKeyframeDistance);
  if (!few.ok()) return few.error();
  auto screen = VirtualScreen::create(BlockFilm::kWidth, BlockFilm::kHeight);
  if (!screen.ok()) return screen.error();
  auto sampler = ScreenSampler::start(screen.value().display());
  if (!sampler.ok()) return Verdict{false, "", sampler.error().message};
  StartAndCost experiment(plan, std::move(screen).value(), std::move(sampler).value(),
                          std::move(film).value(), std::move(few).value(), span);
  if (const auto ran = experiment.run(); !ran.ok()) return ran.error();
  if (const auto drawn = writeFile(plan.out / "start-and-cost.svg", toSvg(experiment.figure()));
      !drawn.ok()) {
    return drawn.error();
  }
  return experiment.verdict();
}

}  // namespace tactus::lab
