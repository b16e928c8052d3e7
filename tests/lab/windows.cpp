// SPDX-License-Identifier: Apache-2.0
// Many films on one screen: what the window that matters keeps, and how evenly the others give way, beside as
// many windows of mpv's. Judged from outside, by what the screen shows.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "tests/lab/experiment.h"
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

constexpr int kColumns = 6, kRows = 4;
constexpr int kWidth = 400, kHeight = 225;
constexpr int kRate = 30;
constexpr double kWhole = 0.99;  // promised share of the High window's pictures
constexpr double kUseful = 1.3;  // promised multiple of mpv's pictures in all windows, once mpv is overloaded
/// Below this share of its pictures mpv counts as overloaded; above it there are no 1.3 times as many to
/// show.
constexpr double kOverloaded = 0.75;

/// The film with a sound track that costs next to nothing to decode.
Result<std::filesystem::path> withSilence(const std::filesystem::path& film,
                                          const std::filesystem::path& folder) {
  auto file = folder / "sounding.mov";
  const auto made =
      runFfmpeg({"-i", film.string(), "-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-map", "0:v", "-map",
                 "1:a", "-c:v", "copy", "-c:a", "pcm_s16le", "-shortest", file.string()},
                "add a sound track", folder);
  if (!made.ok()) return made.error();
  return file;
}

/// What one player's windows showed, in shares of the film's pictures, and their gaps.
struct Cell {
  std::vector<double> first, others, gapP99, total;
};

class ManyWindows {
 public:
  ManyWindows(const Plan& plan, VirtualScreen screen, BlockFilm film, std::filesystem::path sounding)
      : m_plan(plan),
        m_screen(std::move(screen)),
        m_film(std::move(film)),
        m_sounding(std::move(sounding)),
        m_counts(plan.quick ? std::vector<int>{2} : std::vector<int>{1, 4, 8, 12, 16, 24}),
        m_span(plan.quick ? 3s : 6s),
        m_csv(plan.out / "windows.csv", {"block", "windows", "player", "first_share", "others_share",
                                         "others_least", "others_gap_p99_ms", "useful_per_s"}) {}

  Result<void> run() {
    const int blocks = m_plan.blocks > 0 ? m_plan.blocks : (m_plan.quick ? 1 : 10);
    for (int block = 0; block < blocks; ++block) {
      for (const int count : m_counts) {
        for (const bool ours : {block % 2 == 0, block % 2 != 0}) {
          if (const auto played = play(block, count, ours); !played.ok()) return played.error();
        }
      }
    }
    return {};
  }

  [[nodiscard]] Verdict verdict() const {
    Verdict verdict{true, "", ""};
    for (const int count : m_counts) {
      const Cell& with = m_cells.at({count, true});
      const Cell& mpv = m_cells.at({count, false});
      const double ratio = median(with.total) / std::max(1.0, median(mpv.total));
      const bool overloaded = median(mpv.total) < kOverloaded * kRate * count;
      verdict.holds = verdict.holds && median(with.first) >= kWhole && (!overloaded || ratio >= kUseful);
      verdict.figure += (verdict.figure.empty() ? "" : "; ") + std::to_string(count) + ": High " +
                        fixed(100 * median(with.first), 1) + " %, others " +
                        fixed(100 * median(with.others), 0) + " % with gaps of " +
                        fixed(median(with.gapP99), 0) + " ms (mpv " + fixed(100 * median(mpv.first), 1) +
                        " %, " + fixed(100 * median(mpv.others), 0) + " %, " + fixed(median(mpv.gapP99), 0) +
                        " ms), all together " + fixed(ratio, 2) + " of mpv's";
    }
    return verdict;
  }

  [[nodiscard]] Figure figure() const {
    Figure figure{"Many films on one screen",
                  machine() + "; 1280x720 H.264 at 30 fps in windows of 400x225, Xvfb; medians of the blocks",
                  {}};
    Panel shares{.title = "what is seen",
                 .xLabel = "windows",
                 .yLabel = "pictures seen, %",
                 .kind = Panel::Kind::Lines,
                 .categories = {},
                 .series = {},
                 .limit = Panel::Limit{100 * kWhole, "promised to High"},
                 .top = 105};
    Panel gaps{.title = "how evenly",
               .xLabel = "windows",
               .yLabel = "longest gap of 99 of 100, other windows, ms",
               .kind = Panel::Kind::Lines,
               .categories = {},
               .series = {},
               .limit = std::nullopt,
               .top = std::nullopt};
    for (const int count : m_counts) shares.categories.push_back(std::to_string(count));
    gaps.categories = shares.categories;
    for (const bool ours : {true, false}) {
      Series first{ours ? "tactus, the one at High" : "mpv, the first", {}};
      Series others{ours ? "tactus, the others" : "mpv, the others", {}};
      Series gap{others.name, {}};
      for (const int count : m_counts) {
        const Cell& cell = m_cells.at({count, ours});
        first.values.push_back(100 * median(cell.first));
        others.values.push_back(count > 1 ? 100 * median(cell.others) : std::nan(""));
        gap.values.push_back(count > 1 ? median(cell.gapP99) : std::nan(""));
      }
      shares.series.push_back(std::move(first));
      shares.series.push_back(std::move(others));
      gaps.series.push_back(std::move(gap));
    }
    figure.panels = {shares, gaps};
    return figure;
  }

 private:
  Result<std::vector<ChildProcess>> start(int count, bool ours) const {
    const ChildProcess::Options options{.environment = {{"DISPLAY", m_screen.display()},
                                                        {"WAYLAND_DISPLAY", ""},
                                                        {"QT_QPA_PLATFORM", "xcb"},
                                                        {"XDG_CONFIG_HOME", m_plan.scratch.string()},
                                                        {"XDG_STATE_HOME", m_plan.scratch.string()}},
                                        .outputFile = (m_plan.scratch / "player.log").string(),
                                        .keptDescriptor = -1};
    const std::string size = std::to_string(kWidth) + "x" + std::to_string(kHeight);
    std::vector<std::vector<std::string>> commands;
    if (ours) {
      commands.push_back({m_plan.tactus.string(), "--no-audio", "--loop", "--geometry=" + size + "+0+0"});
      for (int i = 0; i < count; ++i)
        commands.back().push_back("--tile=" + m_film.file.string() + (i == 0 ? "@high" : "@normal"));
    } else {
      for (int i = 0; i < count; ++i) {
        // With sound, if unheard: without, it has no clock and shows an overloaded film in slow motion.
        commands.push_back({"mpv", "--no-config", "--vo=x11", "--hwdec=no", "--ao=null", "--no-osc",
                            "--osd-level=0", "--no-border", "--loop-file=inf",
                            "--geometry=" + size + "+" + std::to_string(i % kColumns * kWidth) + "+" +
                                std::to_string(i / kColumns * kHeight),
                            m_sounding.string()});
      }
    }
    std::vector<ChildProcess> players;
    for (const auto& command : commands) {
      auto player = ChildProcess::start(command, options);
      if (!player.ok()) return player.error();
      players.push_back(std::move(player).value());
    }
    return players;
  }

  Result<void> play(int block, int count, bool ours) {
    std::vector<WatchedWindow> watched;
    for (int i = 0; i < count; ++i)
      watched.push_back({i % kColumns * kWidth, i / kColumns * kHeight, double{kWidth} / BlockFilm::kWidth});
    const auto sampler = ScreenSampler::start(m_screen.display(), watched);
    if (!sampler.ok()) return sampler.error();
    auto players = start(count, ours);
    if (!players.ok()) return players.error();
    // Until every window shows something, and three seconds more for the governor to settle.
    const auto begin = players.value().front().started();
    const auto limit = begin + 60s;
    const auto allShown = [&] {
      std::vector<bool> seen(static_cast<std::size_t>(count));
      for (const auto& sighting : sampler.value().sightingsSince(begin)) seen[sighting.window] = true;
      return std::all_of(seen.begin(), seen.end(), [](bool each) { return each; });
    };
    while (!allShown() && MonotonicClock::now() < limit) KernelTime::sleepUntil(MonotonicClock::now() + 50ms);
    KernelTime::sleepUntil(MonotonicClock::now() + (m_plan.quick ? 1s : 3s));
    const auto from = MonotonicClock::now();
    KernelTime::sleepUntil(from + m_span + 100ms);
    const auto sightings = sampler.value().sightingsSince(from);
    for (auto& player : players.value()) (void)player.stop(10s);

    std::vector<double> shares;
    std::vector<double> gaps;
    for (int i = 0; i < count; ++i) {
      std::vector<Sighting> own;
      std::copy_if(sightings.begin(), sightings.end(), std::back_inserter(own),
                   [&](const Sighting& each) { return each.window == static_cast<std::uint32_t>(i); });
      const SeenFrames seen = judge(own, kRate, 0, m_span);
      shares.push_back(seen.share);
      if (i > 0) gaps.push_back(own.empty() ? 1e3 * periodic::inSeconds(m_span) : seen.intervalP99);
    }
    Cell& cell = m_cells[{count, ours}];
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0) * kRate;
    const std::vector<double> others(shares.begin() + 1, shares.end());
    cell.first.push_back(shares.front());
    cell.others.push_back(median(others));
    cell.gapP99.push_back(percentile(gaps, 1));
    cell.total.push_back(total);
    m_csv.add({std::to_string(block), std::to_string(count), ours ? "tactus" : "mpv",
               fixed(shares.front(), 4), fixed(median(others), 4), fixed(percentile(others, 0), 4),
               fixed(percentile(gaps, 1), 1), fixed(total, 1)});
    return {};
  }

  const Plan& m_plan;
  VirtualScreen m_screen;
  const BlockFilm m_film;
  const std::filesystem::path m_sounding;  // the same film with silence, for the peer
  const std::vector<int> m_counts;
  const std::chrono::seconds m_span;
  CsvFile m_csv;
  std::map<std::pair<int, bool>, Cell> m_cells;
};

}  // namespace

Result<Verdict> runWindows(const Plan& plan) {
  for (const char* program : {"Xvfb", "ffmpeg", "mpv"}) {
    if (!programExists(program))
      return Verdict{false, "", std::string("the program ") + program + " is missing"};
  }
  if (!programExists(plan.tactus)) return Verdict{false, "", "there is no player " + plan.tactus.string()};
  auto screen = VirtualScreen::create(kColumns * kWidth, kRows * kHeight);
  if (!screen.ok()) return screen.error();
  {
    const auto sampler = ScreenSampler::start(screen.value().display());
    if (!sampler.ok()) return Verdict{false, "", sampler.error().message};
  }
  // Long enough that no window starts over while it is watched: all would do so at once.
  auto film = BlockFilm::create(plan.scratch, kRate, plan.quick ? 6s : 40s);
  if (!film.ok()) return film.error();
  const auto sounding = withSilence(film.value().file, plan.scratch);
  if (!sounding.ok()) return sounding.error();
  ManyWindows experiment(plan, std::move(screen).value(), std::move(film).value(), sounding.value());
  if (const auto ran = experiment.run(); !ran.ok()) return ran.error();
  if (const auto drawn = writeFile(plan.out / "windows.svg", toSvg(experiment.figure())); !drawn.ok())
    return drawn.error();
  return experiment.verdict();
}

}  // namespace tactus::lab
