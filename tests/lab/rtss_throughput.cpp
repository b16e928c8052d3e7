// SPDX-License-Identifier: Apache-2.0
// RTSS, figures 10 and 11: how much of a bare socket's throughput a stream of our ports reaches, one way,
// with buffers of 125 B to 128 KB. Two processes a trial; trials of all ways take turns.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/lab/experiment.h"
#include "tests/lab/statistics.h"
#include "tests/lab/svg_plot.h"
#include "tests/lab/throughput_ways.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using Kind = ComparedWay::Kind;
using FigureOf = double (TrialFigures::*)() const noexcept;

constexpr std::array<std::size_t, 11> kSizes{125,  250,    500,    1000,   2000,   4000,
                                             8000, 16'000, 32'000, 64'000, 128'000};
constexpr std::array<std::size_t, 4> kQuickSizes{125, 1000, 8000, 128'000};
constexpr double kPromised = 0.95;  // of what arrives over a bare socket, at each size

/// A warm trial begins when buffers have passed for a while; a cold one with the first buffer of two
/// processes that have just been started.
enum class Phase { Warm, Cold };

std::string nameOf(std::size_t size) {
  return size < 1000 ? std::to_string(size) : std::to_string(size / 1000) + "K";
}

class RtssThroughput {
 public:
  explicit RtssThroughput(const Plan& plan)
      : m_plan(plan),
        m_sizes(plan.quick ? std::vector<std::size_t>(kQuickSizes.begin(), kQuickSizes.end())
                           : std::vector<std::size_t>(kSizes.begin(), kSizes.end())),
        m_ways(comparedWays(m_absent)),
        m_csv(plan.out / "rtss-throughput.csv",
              {"block", "phase", "way", "buffer_bytes", "mbit", "buffers_per_s", "sent_per_s", "lost_percent",
               "sender_ns_a_buffer", "receiver_ns_a_buffer", "ratio"}) {}

  Result<void> run() {
    if (auto cold = runBlock(0, Phase::Cold); !cold.ok()) return cold;
    m_blocks = m_plan.blocks > 0 ? m_plan.blocks : (m_plan.quick ? 1 : 10);
    for (int block = 0; block < m_blocks; ++block)
      if (auto warm = runBlock(block, Phase::Warm); !warm.ok()) return warm;
    for (const Phase phase : {Phase::Cold, Phase::Warm}) summarise(phase);
    return {};
  }

  [[nodiscard]] Verdict verdict() const {
    Verdict verdict;
    verdict.holds = true;
    for (std::size_t way = 0; way < m_ways.size(); ++way) {
      if (m_ways[way].kind != Kind::Socket) continue;
      std::pair<double, std::size_t> least{std::numeric_limits<double>::max(), 0};
      std::string below;
      for (const std::size_t size : m_sizes) {
        const double ratio = ratioTo(way, oursBeside(way), size, Phase::Warm);
        least = std::min(least, {ratio, size});
        if (ratio < kPromised) below += (below.empty() ? "" : ", ") + nameOf(size) + " " + fixed(ratio, 2);
      }
      verdict.holds = verdict.holds && below.empty();
      verdict.figure += std::string(verdict.figure.empty() ? "" : "; ") + m_ways[way].row + ": " +
                        (below.empty() ? "at least " + fixed(least.first, 2) + " of a bare socket (" +
                                             nameOf(least.second) + " B)"
                                       : "below 0.95 of a bare socket at " + below);
    }
    for (const auto& each : m_absent) verdict.figure += "; not run: " + each;
    return verdict;
  }

  [[nodiscard]] Figure figure() const {
    Figure figure{"Streams of ports beside bare sockets, on the loopback device",
                  machine() + "; medians of " + std::to_string(m_blocks) + " blocks, of 1 where cold",
                  {}};
    for (std::size_t way = 0; way < m_ways.size(); ++way) {
      if (m_ways[way].kind != Kind::Socket) continue;
      figure.panels.push_back(panelOf(way, Measure::Arrives));
      figure.panels.push_back(panelOf(way, Measure::Ratio));
    }
    return figure;
  }

 private:
  struct Which {
    std::size_t way = 0, size = 0;
    Phase phase = Phase::Warm;
    friend bool operator<(const Which& one, const Which& other) noexcept {
      return std::tie(one.way, one.size, one.phase) < std::tie(other.way, other.size, other.phase);
    }
  };

  [[nodiscard]] TrialSpan spanOf(Phase phase) const noexcept {
    if (phase == Phase::Cold) return {0ms, m_plan.quick ? 250ms : 1000ms};
    return m_plan.quick ? TrialSpan{50ms, 150ms} : TrialSpan{100ms, 500ms};
  }

  /// Each block begins with another way.
  Result<void> runBlock(int block, Phase phase) {
    for (const std::size_t size : m_sizes) {
      for (std::size_t i = 0; i < m_ways.size(); ++i) {
        const std::size_t way = (i + static_cast<std::size_t>(block)) % m_ways.size();
        auto figures = runTrial(m_ways[way].way, size, spanOf(phase), m_plan.scratch);
        if (!figures.ok()) return figures.error();
        m_trials[{way, size, phase}].push_back(figures.value());
        const auto of = [&](FigureOf value) { return (figures.value().*value)(); };
        add(std::to_string(block), {way, size, phase}, of, "");
      }
    }
    return {};
  }

  /// A line of the table: `of` says each of its figures.
  template <typename Of>
  void add(const std::string& block, const Which& which, const Of& of, const std::string& ratio) {
    m_csv.add({block, which.phase == Phase::Warm ? "warm" : "cold", m_ways[which.way].way.name,
               std::to_string(which.size), fixed(of(&TrialFigures::mbit), 1),
               fixed(of(&TrialFigures::buffersPerSecond), 0), fixed(of(&TrialFigures::sentPerSecond), 0),
               fixed(100 * of(&TrialFigures::lost), 1), fixed(of(&TrialFigures::senderNs), 0),
               fixed(of(&TrialFigures::receiverNs), 0), ratio});
  }

  /// The block of medians, with the ratios that the verdict looks at.
  void summarise(Phase phase) {
    for (const std::size_t size : m_sizes) {
      for (std::size_t way = 0; way < m_ways.size(); ++way) {
        const Which which{way, size, phase};
        const bool compared = m_ways[way].kind == Kind::Socket;
        add(
            "median", which, [&](FigureOf value) { return medianOf(which, value); },
            compared ? fixed(ratioTo(way, oursBeside(way), size, phase), 3) : "");
      }
    }
  }

  [[nodiscard]] double medianOf(const Which& which, FigureOf value) const {
    std::vector<double> values;
    for (const TrialFigures& each : m_trials.at(which)) values.push_back((each.*value)());
    return median(values);
  }

  /// Our way of the same transport.
  [[nodiscard]] std::size_t oursBeside(std::size_t socket) const {
    const auto found = std::find_if(m_ways.begin(), m_ways.end(), [&](const ComparedWay& each) {
      return each.kind == Kind::Ours && each.transport == m_ways[socket].transport;
    });
    return static_cast<std::size_t>(found - m_ways.begin());
  }

  /// What arrives over `way`, in parts of what arrives over a bare socket: the median of the blocks' ratios.
  [[nodiscard]] double ratioTo(std::size_t socket, std::size_t way, std::size_t size, Phase phase) const {
    const auto& those = m_trials.at({way, size, phase});
    const auto& bare = m_trials.at({socket, size, phase});
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(those.size(), bare.size()); ++i)
      ratios.push_back(those[i].mbit() / bare[i].mbit());
    return median(ratios);
  }

  enum class Measure { Arrives, Ratio };

  [[nodiscard]] Series seriesOf(const char* name, std::optional<std::size_t> way, std::size_t socket,
                                Measure measure, Phase phase = Phase::Warm) const {
    Series series{name, {}};
    for (const std::size_t size : m_sizes) {
      double value = std::numeric_limits<double>::quiet_NaN();
      if (way && measure == Measure::Arrives)
        value = medianOf({*way, size, phase}, &TrialFigures::mbit) / 1000;
      if (way && measure == Measure::Ratio) value = ratioTo(socket, *way, size, phase);
      series.values.push_back(value);
    }
    return series;
  }

  /// All panels have the same series, of which some have no values.
  [[nodiscard]] Panel panelOf(std::size_t socket, Measure measure) const {
    Panel panel;
    const bool ratio = measure == Measure::Ratio;
    panel.title = m_ways[socket].row + (ratio ? ": beside a bare socket" : "");
    panel.xLabel = "bytes of a buffer";
    panel.yLabel = ratio ? "of what arrives over a bare socket" : "Gbit/s that arrive";
    if (ratio) panel.limit = Panel::Limit{kPromised, "promised"};
    for (const std::size_t size : m_sizes) panel.categories.push_back(nameOf(size));
    const auto rpc = [&](const std::string& name) -> std::optional<std::size_t> {
      for (std::size_t way = 0; way < m_ways.size(); ++way)
        if (m_ways[way].way.name == name && m_ways[way].transport == m_ways[socket].transport) return way;
      return std::nullopt;
    };
    const std::size_t ours = oursBeside(socket);
    panel.series = {seriesOf("Tactus", ours, socket, measure),
                    seriesOf("bare socket", ratio ? std::nullopt : std::optional(socket), socket, measure),
                    seriesOf("gRPC", rpc("gRPC"), socket, measure),
                    seriesOf("Cap'n Proto", rpc("Cap'n Proto"), socket, measure),
                    seriesOf("Tactus, the first second", ours, socket, measure, Phase::Cold)};
    return panel;
  }

  const Plan& m_plan;
  const std::vector<std::size_t> m_sizes;
  std::vector<std::string> m_absent;  // before m_ways, which fills it
  const std::vector<ComparedWay> m_ways;
  CsvFile m_csv;
  int m_blocks = 0;
  std::map<Which, std::vector<TrialFigures>> m_trials;  // by block
};

}  // namespace

Result<Verdict> runRtssThroughput(const Plan& plan) {
  RtssThroughput experiment(plan);
  if (const auto ran = experiment.run(); !ran.ok()) return ran.error();
  if (const auto written = writeFile(plan.out / "rtss-throughput.svg", toSvg(experiment.figure()));
      !written.ok())
    return written.error();
  return experiment.verdict();
}

}  // namespace tactus::lab
