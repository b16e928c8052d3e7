// SPDX-License-Identifier: Apache-2.0
// QLinux, figure 8: a stream of 1.5 Mbit/s, and sound, beside one to ten floods on one line: over our link,
// over the kernel's HTB with bounded leaves, and over a plain queue.
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
    net::BitRate::perSecond(19'600'000);                // below the line's, so that our queue fills
constexpr StreamShape kStream{30, 5, 1250 - kHeaders};  // 1.5 Mbit/s
constexpr StreamShape kAudio{50, 1, 202 - kHeaders};    // 80.8 kbit/s
constexpr std::size_t kFlood = 1200;
constexpr double kRateWithin = 0.01;  // of the stream's rate
constexpr double kBetterThanFifo = 100;
constexpr double kBulkDelay = 0.05;  // s, at p50
constexpr int kFirstPort = 5000;     // audio, stream, floods

enum class Way { Tactus, Htb, Fifo };
constexpr std::array<Way, 3> kWays{Way::Tactus, Way::Htb, Way::Fifo};
constexpr std::array<const char*, 3> kNames{"Tactus", "HTB", "FIFO"};

struct Run {
  double rate = 0;             // of the stream that arrived, of what was wanted
  double audio = 0, bulk = 0;  // delays in s: audio's at p99, the floods' at p50
};

class QlinuxNetIsolation {
 public:
  explicit QlinuxNetIsolation(const Plan& plan)
      : m_plan(plan),
        m_floods(plan.quick ? std::vector<int>{4} : std::vector<int>{1, 2, 4, 6, 8, 10}),
        m_csv(plan.out / "qlinux-net-isolation.csv",
              {"block", "way", "floods", "stream_share", "audio_p99_ms", "bulk_p50_ms"}) {}

  Result<void> run() {
    const int blocks = m_plan.blocks > 0 ? m_plan.blocks : (m_plan.quick ? 1 : 10);
    for (int block = 0; block < blocks; ++block) {
      for (const int floods : m_floods) {
        for (std::size_t i = 0; i < kWays.size(); ++i) {
          const Way way = kWays[(i + static_cast<std::size_t>(block)) % kWays.size()];
          auto run = play(way, floods);
          if (!run.ok()) return run.error();
          note(block, way, floods, run.value());
        }
      }
    }
    return {};
  }

  [[nodiscard]] Verdict verdict() const {
    Verdict verdict;
    verdict.holds = true;
    const double packet = periodic::inSeconds(kLine.timeOf(kFlood + kHeaders));
    const int worst = *std::max_element(m_floods.begin(), m_floods.end(), [&](int one, int other) {
      return medianOf(Way::Tactus, one, &Run::audio) < medianOf(Way::Tactus, other, &Run::audio);
    });
    for (const int floods : m_floods) {
      const auto figure = [&](Way way, double Run::*what) { return medianOf(way, floods, what); };
      const double rate = figure(Way::Tactus, &Run::rate);
      const double audio = figure(Way::Tactus, &Run::audio);
      const double bulk = figure(Way::Tactus, &Run::bulk);
      verdict.holds = verdict.holds && std::abs(rate - 1) <= kRateWithin &&
                      audio <= figure(Way::Htb, &Run::audio) + packet &&
                      kBetterThanFifo * audio <= figure(Way::Fifo, &Run::audio) && bulk <= kBulkDelay;
      if (floods != m_floods.front() && floods != worst && floods != m_floods.back()) continue;
      if (!verdict.figure.empty()) verdict.figure += "; ";
      verdict.figure += "beside " + std::to_string(floods) + " floods the stream keeps " +
                        fixed(100 * rate, 1) + " % (HTB " + fixed(100 * figure(Way::Htb, &Run::rate), 1) +
                        ", FIFO " + fixed(100 * figure(Way::Fifo, &Run::rate), 1) + "), audio waits " +
                        fixed(1e3 * audio, 2) + " ms at p99 (HTB " +
                        fixed(1e3 * figure(Way::Htb, &Run::audio), 2) + ", FIFO " +
                        fixed(1e3 * figure(Way::Fifo, &Run::audio), 0) + "), bulk " + fixed(1e3 * bulk, 0) +
                        " ms at p50 (HTB " + fixed(1e3 * figure(Way::Htb, &Run::bulk), 0) + ")";
    }
    return verdict;
  }

  [[nodiscard]] Figure figure() const {
    Figure figure{
        "A stream and sound beside floods on a line of 20 Mbit/s", machine() + "; medians of the blocks", {}};
    const auto panel = [&](const char* title, const char* unit, double Run::*what, double times) {
      Panel made;
      made.title = title;
      made.xLabel = "floods";
      made.yLabel = unit;
      for (const int floods : m_floods) made.categories.push_back(std::to_string(floods));
      for (std::size_t i = 0; i < kWays.size(); ++i) {
        Series series{kNames[i], {}};
        for (const int floods : m_floods) series.values.push_back(times * medianOf(kWays[i], floods, what));
        made.series.push_back(std::move(series));
      }
      return made;
    };
    figure.panels.push_back(panel("Stream of 1.5 Mbit/s", "% that arrives", &Run::rate, 100));
    figure.panels.push_back(panel("Sound", "ms of delay at p99", &Run::audio, 1e3));
    return figure;
  }

 private:
  [[nodiscard]] double medianOf(Way way, int floods, double Run::*what) const {
    std::vector<double> values;
    for (const Run& each : m_runs.at({way, floods})) values.push_back(each.*what);
    return median(values);
  }

  Result<Run> play(Way way, int floods) {
    // HTB: what audio and the stream need and a tenth more, the floods the rest.
    auto cable = NetworkCable::create(
        kLine, way == Way::Htb ? NetworkCable::Queue::Htb : NetworkCable::Queue::Fifo, {0.09, 1.65, 18.26});
    if (!cable.ok()) return cable.error();
    std::unique_ptr<Network> network;
    if (way == Way::Tactus) {
      network = std::make_unique<Network>();
      auto link = net::LinkTask::start(network->scheduler, {.name = "link", .rate = kLink});
      if (!link.ok()) return link.error();
      network->link = std::move(link).value();
    }
    std::vector<Descriptor> receivers;
    for (int i = 0; i < 2 + floods; ++i) {
      auto receiver = cable.value().receiver(kFirstPort + i);
      if (!receiver.ok()) return receiver.error();
      receivers.push_back(std::move(receiver).value());
    }
    TrafficReceiver receiver(std::move(receivers));
    std::vector<std::unique_ptr<Sender>> senders;
    for (int i = 0; i < 2 + floods; ++i) {
      auto socket = cable.value().sender(kFirstPort + i, way == Way::Htb ? std::min(i, 2) : -1);
      if (!socket.ok()) return socket.error();
      auto sender = begin(network.get(), i, std::move(socket).value());
      if (!sender.ok()) return sender.error();
      senders.push_back(std::move(sender).value());
    }
    std::this_thread::sleep_for(m_plan.quick ? 3s : 6s);
    senders[1]->stop();
    std::this_thread::sleep_for(500ms);  // for what is on its way
    const auto wanted = static_cast<double>(senders[1]->wanted());
    senders.clear();
    const auto arrivals = receiver.stop();
    return summary(arrivals, wanted);
  }

  /// A link with the scheduler of its task.
  struct Network {
    std::unique_ptr<periodic::KernelClassGate> gate =
        periodic::KernelClassGate::probe(periodic::KernelClass::Fifo, {});
    periodic::KernelTime time;
    periodic::TraceLog trace;
    periodic::Scheduler scheduler{time, *gate, trace};
    std::unique_ptr<net::LinkTask> link = {};
  };

  static Result<std::unique_ptr<Sender>> begin(Network* network, int index, Descriptor socket) {
    if (network == nullptr) {
      if (index == 0) return plainStream(std::move(socket), kAudio);
      if (index == 1) return plainStream(std::move(socket), kStream);
      return plainFlood(std::move(socket), kFlood);
    }
    net::FlowSpec spec{.name = std::to_string(index)};
    if (index == 0) {
      spec.linkClass = net::LinkClass::Audio;
      spec.contract = net::ByteContract{net::BitRate::perSecond(90'000), 500};
    } else if (index == 1) {
      spec.linkClass = net::LinkClass::Stream;
      spec.contract = net::ByteContract{net::BitRate::perSecond(1'650'000), 8'000};
    }
    if (index < 2) return linkStream(*network->link, spec, std::move(socket), index == 0 ? kAudio : kStream);
    return linkFlood(*network->link, spec, std::move(socket), kFlood);
  }

  static Run summary(const std::vector<std::vector<Arrival>>& arrivals, double wanted) {
    constexpr double kSettled = 1;  // s, until all queues are full
    const auto delays = [](const std::vector<Arrival>& flow) {
      std::vector<double> values;
      for (const Arrival& each : flow)
        if (each.second >= kSettled) values.push_back(each.delay);
      return values;
    };
    std::vector<double> bulk;
    for (std::size_t i = 2; i < arrivals.size(); ++i) {
      const auto more = delays(arrivals[i]);
      bulk.insert(bulk.end(), more.begin(), more.end());
    }
    return {wanted > 0 ? static_cast<double>(arrivals[1].size()) / wanted : 0,
            percentile(delays(arrivals[0]), 0.99), percentile(bulk, 0.5)};
  }

  void note(int block, Way way, int floods, const Run& run) {
    m_runs[{way, floods}].push_back(run);
    m_csv.add({std::to_string(block), kNames[static_cast<std::size_t>(way)], std::to_string(floods),
               fixed(run.rate, 4), fixed(1e3 * run.audio, 3), fixed(1e3 * run.bulk, 1)});
  }

  const Plan& m_plan;
  const std::vector<int> m_floods;
  CsvFile m_csv;
  std::map<std::pair<Way, int>, std::vector<Run>> m_runs;
};

}  // namespace

Result<Verdict> runQlinuxNetIsolation(const Plan& plan) {
  if (auto missing = NetworkCable::missing(); !missing.empty()) {
    Verdict verdict;
    verdict.missing = std::move(missing);
    return verdict;
  }
  QlinuxNetIsolation experiment(plan);
  if (const auto ran = experiment.run(); !ran.ok()) return ran.error();
  if (const auto written = writeFile(plan.out / "qlinux-net-isolation.svg", toSvg(experiment.figure()));
      !written.ok())
    return written.error();
  return experiment.verdict();
}

}  // namespace tactus::lab
