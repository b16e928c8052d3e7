// SPDX-License-Identifier: Apache-2.0
// QLinux, figure 13(b): a flood of datagrams, each chosen by a tree of one to ten levels: what arrives over a
// line of 20 Mbit/s, and what a datagram costs the processor on the loopback device; beside it, a flood that
// is not chosen.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/periodic/share/share_tree.h"
#include "tests/lab/experiment.h"
#include "tests/lab/network_cable.h"
#include "tests/lab/network_traffic.h"
#include "tests/lab/statistics.h"
#include "tests/lab/svg_plot.h"

namespace tactus::lab {
namespace {

using periodic::Duration;
using periodic::ShareNode;
using periodic::ShareOrder;
using periodic::ShareSpec;

constexpr int kDeepest = 10;
constexpr std::size_t kPayload = 1200;
constexpr net::BitRate kLine = net::BitRate::perSecond(20'000'000);
constexpr int kPort = 5000;
constexpr int kRuns = 40;  // of each depth in a block
constexpr int kPackets = 1000;
constexpr double kPromised = 2;  // % of what arrives at depth 1

/// A chain of fair nodes with a queue at its end, which a flood keeps full.
struct Chain {
  explicit Chain(int depth) {
    ShareNode parent = tree.root();
    for (int level = 1; level < depth; ++level)
      parent = tree.make(parent, "level", ShareSpec{.order = ShareOrder::Fair}).value();
    queue = tree.make(parent, "queue", {}).value();
    for (periodic::ShareRequest& each : requests) tree.enqueue(queue, each);
  }
  /// The choice of a packet.
  void choose() {
    const auto taken = tree.take();
    tree.charge(taken->queue, kPayload);
    tree.enqueue(queue, *taken->request);
  }
  std::array<periodic::ShareRequest, 32> requests;
  periodic::ShareTree tree;  // declared after the requests: it lets go of them first
  ShareNode queue = ShareNode::None;
};

/// A pair of sockets on the loopback device; nobody reads, and what is too much is dropped on arrival.
struct Flood {
  static Result<Flood> create() {
    Flood flood;
    flood.receiver = Descriptor(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    flood.sender = Descriptor(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (bind(flood.receiver.get(), any, length) != 0 ||
        getsockname(flood.receiver.get(), any, &length) != 0 || connect(flood.sender.get(), any, length) != 0)
      return Error{ErrorCode::System, std::string("A loopback socket: ") + std::strerror(errno)};
    return flood;
  }
  Descriptor sender, receiver;
};

/// Processor time of one packet, in ns: sent after it was chosen by the tree, or, without one, just sent.
double costOf(const Flood& flood, Chain* chain, int packets) {
  std::array<std::byte, kPayload> payload{};
  periodic::KernelTime time;
  const Duration begin = time.threadCpu();
  for (int i = 0; i < packets; ++i) {
    if (chain != nullptr) chain->choose();
    (void)!send(flood.sender.get(), payload.data(), payload.size(),
                0);  // what the receiver drops is sent, too
  }
  return static_cast<double>((time.threadCpu() - begin).count()) / packets;
}

/// Mbit/s that arrive over the line while a flood is chosen by the tree, or, without one, just sent.
Result<double> throughputOf(const NetworkCable& cable, Chain* chain) {
  constexpr double kSettled = 0.3;  // s, until the line's queue is full
  constexpr double kMeasured = 0.7;
  auto receiving = cable.receiver(kPort);
  if (!receiving.ok()) return receiving.error();
  auto sending = cable.sender(kPort);
  if (!sending.ok()) return sending.error();
  std::vector<Descriptor> sockets;
  sockets.push_back(std::move(receiving).value());
  TrafficReceiver receiver(std::move(sockets));
  std::array<std::byte, kPayload> payload{};
  const auto end = periodic::MonotonicClock::now() + periodic::fromSeconds(kSettled + kMeasured + 0.1);
  while (periodic::MonotonicClock::now() < end) {
    if (chain != nullptr) chain->choose();
    (void)!send(sending.value().get(), payload.data(), payload.size(),
                0);  // waits while the socket's buffer is full
  }
  const auto arrivals = receiver.stop();
  return bytesWithin(arrivals.front(), kSettled, kSettled + kMeasured) * 8e-6 / kMeasured;
}

}  // namespace

Result<Verdict> runQlinuxOverhead(const Plan& plan) {
  Verdict verdict;
  verdict.missing = NetworkCable::missing();
  if (!verdict.missing.empty()) return verdict;
  const int blocks = plan.blocks > 0 ? plan.blocks : (plan.quick ? 1 : 10);
  auto flood = Flood::create();
  if (!flood.ok()) return flood.error();
  auto cable = NetworkCable::create(kLine, NetworkCable::Queue::Fifo);
  if (!cable.ok()) return cable.error();
  std::vector<std::unique_ptr<Chain>> chains(1);  // by depth; 0: no tree
  for (int depth = 1; depth <= kDeepest; ++depth) chains.push_back(std::make_unique<Chain>(depth));
  CsvFile csv(plan.out / "qlinux-overhead.csv", {"block", "depth", "mbit", "ns_a_packet"});
  std::vector<std::vector<double>> arrived(kDeepest + 1);
  std::vector<double> medians;
  std::vector<double> costs(kDeepest + 1, std::numeric_limits<double>::max());
  (void)costOf(flood.value(), nullptr, kPackets);  // the first run is cold
  for (int block = 0; block < blocks; ++block) {
    for (int i = 0; i <= kDeepest; ++i) {
      const auto depth = static_cast<std::size_t>((i + block) % (kDeepest + 1));
      const auto throughput = throughputOf(cable.value(), chains[depth].get());
      if (!throughput.ok()) return throughput.error();
      arrived[depth].push_back(throughput.value());
      csv.add({std::to_string(block), std::to_string(depth), fixed(throughput.value(), 3), ""});
    }
    // Many short runs, of which the least counts: what else the machine does makes a run dearer, never
    // cheaper.
    for (int i = 0; i < kRuns * (kDeepest + 1); ++i) {
      const auto depth = static_cast<std::size_t>(i % (kDeepest + 1));
      const double cost = costOf(flood.value(), chains[depth].get(), kPackets);
      costs[depth] = std::min(costs[depth], cost);
      csv.add({std::to_string(block), std::to_string(depth), "", fixed(cost, 1)});
    }
  }
  for (std::size_t depth = 0; depth <= kDeepest; ++depth) medians.push_back(median(arrived[depth]));
  const auto panel = [](const char* title, const char* unit, const std::vector<double>& values) {
    Panel made;
    made.title = title;
    made.xLabel = "levels of the tree; 0 = none";
    made.yLabel = unit;
    Series series{"Tactus", {}};
    for (std::size_t depth = 0; depth < values.size(); ++depth) {
      made.categories.push_back(std::to_string(depth));
      series.values.push_back(values[depth]);
    }
    made.series.push_back(std::move(series));
    return made;
  };
  Figure figure{"What the levels of the share tree cost a packet",
                machine() + "; medians of " + std::to_string(blocks) + " blocks; the least of " +
                    std::to_string(blocks * kRuns) + " runs",
                {}};
  figure.panels.push_back(panel("A flood over a line of 20 Mbit/s", "Mbit/s that arrive", medians));
  figure.panels.push_back(panel("A datagram of 1200 B, loopback", "ns of processor time", costs));
  if (auto written = writeFile(plan.out / "qlinux-overhead.svg", toSvg(figure)); !written.ok())
    return written.error();
  const double slower = 100 * (1 - medians[kDeepest] / medians[1]);
  const double dearer = 100 * (costs[kDeepest] / costs[1] - 1);
  verdict.holds = slower <= kPromised;
  verdict.figure = "with ten levels " + fixed(medians[kDeepest], 2) + " Mbit/s arrive, with one " +
                   fixed(medians[1], 2) + " (" + fixed(slower, 2) +
                   " % fewer); a packet costs the processor " + fixed(costs[0], 0) + " ns without a tree, " +
                   fixed(costs[1], 0) + " with one level, " + fixed(costs[kDeepest], 0) + " with ten (" +
                   fixed(dearer, 1) + " % more)";
  return verdict;
}

}  // namespace tactus::lab
