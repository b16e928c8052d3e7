// SPDX-License-Identifier: Apache-2.0
// QLinux, figure 7: two UDP floods of weights 1 and 4 over one line, with packets of equal and of different
// size. Shares are counted in bytes, second by second, beside the kernel's HTB.
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <thread>

#include "core/net/link/link_task.h"
#include "tests/lab/experiment.h"
#include "tests/lab/network_cable.h"
#include "tests/lab/network_traffic.h"
#include "tests/lab/statistics.h"
#include "tests/lab/svg_plot.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;

constexpr net::BitRate kLine = net::BitRate::perSecond(20'000'000);
constexpr net::BitRate kLink =
    net::BitRate::perSecond(19'600'000);  // below the line's, so that our queue fills
constexpr std::array<double, 2> kWeights{1, 4};
constexpr double kPromised = 2;  // % of the heavier flow's share, in any second
constexpr std::array<std::array<std::size_t, 2>, 2> kSizes{{{1200, 1200}, {1200, 300}}};
constexpr std::array<const char*, 2> kSizeNames{"1200 B each", "1200 and 300 B"};

/// One run: the heavier flow's share in each second, and the line's use.
struct Run {
  std::vector<double> shares = {};  // of the bytes of both, 0 to 1
  double used = 0;                  // of the line
};

class QlinuxNetShares {
 public:
  explicit QlinuxNetShares(const Plan& plan)
      : m_plan(plan),
        m_csv(plan.out / "qlinux-net-shares.csv", {"block", "way", "sizes", "second", "share"}) {}

  Result<void> run() {
    const int blocks = m_plan.blocks > 0 ? m_plan.blocks : (m_plan.quick ? 1 : 10);
    for (int block = 0; block < blocks; ++block) {
      for (std::size_t sizes = 0; sizes < kSizes.size(); ++sizes) {
        for (const bool ours : {block % 2 == 0, block % 2 != 0}) {
          auto run = ours ? overLink(kSizes[sizes]) : overHtb(kSizes[sizes]);
          if (!run.ok()) return run.error();
          note(block, ours, sizes, run.value());
        }
      }
    }
    return {};
  }

  [[nodiscard]] Verdict verdict() const {
    Verdict verdict;
    verdict.holds = true;
    for (std::size_t sizes = 0; sizes < kSizes.size(); ++sizes) {
      const double ours = median(m_worst.at({true, sizes}));
      verdict.holds = verdict.holds && ours <= kPromised;
      verdict.figure += std::string(sizes == 0 ? "" : "; ") + kSizeNames[sizes] + ": the worst second is " +
                        fixed(ours, 1) + " % off 1:4 (HTB " + fixed(median(m_worst.at({false, sizes})), 1) +
                        " %), line used to " + fixed(100 * median(m_used.at({true, sizes})), 0) + " % (HTB " +
                        fixed(100 * median(m_used.at({false, sizes})), 0) + " %)";
    }
    return verdict;
  }

  [[nodiscard]] Figure figure() const {
    Figure figure{
        "Two floods of weights 1 and 4 on a line of 20 Mbit/s", machine() + "; the first block", {}};
    for (std::size_t sizes = 0; sizes < kSizes.size(); ++sizes) {
      Panel panel;
      panel.title = kSizeNames[sizes];
      panel.xLabel = "second";
      panel.yLabel = "% of the bytes, weight 4";
      panel.limit = Panel::Limit{80, "promised"};
      panel.top = 100;
      for (const bool ours : {true, false}) {
        Series series{ours ? "Tactus" : "HTB", {}};
        for (const double share : m_first.at({ours, sizes})) series.values.push_back(100 * share);
        while (panel.categories.size() < series.values.size())
          panel.categories.push_back(std::to_string(panel.categories.size() + 1));
        panel.series.push_back(std::move(series));
      }
      figure.panels.push_back(std::move(panel));
    }
    return figure;
  }

 private:
  using Which = std::pair<bool, std::size_t>;  // ours, sizes

  [[nodiscard]] int seconds() const noexcept { return m_plan.quick ? 3 : 8; }

  Result<Run> overLink(const std::array<std::size_t, 2>& sizes) {
    auto cable = NetworkCable::create(kLine, NetworkCable::Queue::Fifo);
    if (!cable.ok()) return cable.error();
    const auto gate = periodic::KernelClassGate::probe(periodic::KernelClass::Fifo, {});
    periodic::KernelTime time;
    periodic::TraceLog trace;
    periodic::Scheduler scheduler(time, *gate, trace);
    auto link = net::LinkTask::start(scheduler, {.name = "link", .rate = kLink});
    if (!link.ok()) return link.error();
    return measure(cable.value(), [&](std::size_t i, Descriptor socket) {
      const net::FlowSpec spec{.name = std::to_string(i), .weight = kWeights[i], .longestWait = 2s};
      return linkFlood(*link.value(), spec, std::move(socket), sizes[i]);
    });
  }

  Result<Run> overHtb(const std::array<std::size_t, 2>& sizes) {
    auto cable = NetworkCable::create(kLine, NetworkCable::Queue::Htb, {kWeights.begin(), kWeights.end()});
    if (!cable.ok()) return cable.error();
    return measure(cable.value(), [&](std::size_t i, Descriptor socket) -> Result<std::unique_ptr<Sender>> {
      return plainFlood(std::move(socket), sizes[i]);
    });
  }

  template <typename Start>
  Result<Run> measure(const NetworkCable& cable, const Start& start) {
    std::vector<Descriptor> receivers;
    std::vector<Descriptor> sockets;
    for (std::size_t i = 0; i < kWeights.size(); ++i) {
      auto receiver = cable.receiver(5000 + static_cast<int>(i));
      if (!receiver.ok()) return receiver.error();
      receivers.push_back(std::move(receiver).value());
      auto socket = cable.sender(5000 + static_cast<int>(i), static_cast<int>(i));
      if (!socket.ok()) return socket.error();
      sockets.push_back(std::move(socket).value());
    }
    TrafficReceiver receiver(std::move(receivers));
    std::vector<std::unique_ptr<Sender>> senders;
    for (std::size_t i = 0; i < kWeights.size(); ++i) {
      auto sender = start(i, std::move(sockets[i]));
      if (!sender.ok()) return sender.error();
      senders.push_back(std::move(sender).value());
    }
    std::this_thread::sleep_for(std::chrono::seconds(seconds()) + 1200ms);
    const auto arrivals = receiver.stop();
    Run run;
    double all = 0;
    for (int second = 1; second <= seconds(); ++second) {  // the first fills the queues
      const double light = bytesWithin(arrivals[0], second, second + 1);
      const double heavy = bytesWithin(arrivals[1], second, second + 1);
      run.shares.push_back(light + heavy > 0 ? heavy / (light + heavy) : 0);
      all += light + heavy;
    }
    run.used = all * 8 / seconds() / static_cast<double>(kLine.bits());
    return run;
  }

  void note(int block, bool ours, std::size_t sizes, const Run& run) {
    if (block == 0) m_first[{ours, sizes}] = run.shares;
    double worst = 0;
    for (std::size_t second = 0; second < run.shares.size(); ++second) {
      worst = std::max(worst, 100 * std::abs(run.shares[second] - 0.8) / 0.8);
      m_csv.add({std::to_string(block), ours ? "Tactus" : "HTB", kSizeNames[sizes],
                 std::to_string(second + 1), fixed(run.shares[second], 4)});
    }
    m_worst[{ours, sizes}].push_back(worst);
    m_used[{ours, sizes}].push_back(run.used);
  }

  const Plan& m_plan;
  CsvFile m_csv;
  std::map<Which, std::vector<double>> m_worst, m_used, m_first;
};

}  // namespace

Result<Verdict> runQlinuxNetShares(const Plan& plan) {
  if (auto missing = NetworkCable::missing(); !missing.empty()) {
    Verdict verdict;
    verdict.missing = std::move(missing);
    return verdict;
  }
  QlinuxNetShares experiment(plan);
  if (const auto ran = experiment.run(); !ran.ok()) return ran.error();
  if (const auto written = writeFile(plan.out / "qlinux-net-shares.svg", toSvg(experiment.figure()));
      !written.ok())
    return written.error();
  return experiment.verdict();
}

}  // namespace tactus::lab
