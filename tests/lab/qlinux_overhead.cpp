// SPDX-License-Identifier: Apache-2.0
// QLinux, figure 13(b): what each level of the share tree costs a packet. One flood sends datagrams over the loopback
// device, each chosen by a tree of one to ten levels; beside it, one that is not chosen at all.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/periodic/share/share_tree.h"
#include "tests/lab/experiment.h"
#include "tests/lab/network_cable.h"
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
constexpr double kPromised = 2;  // % of the packets of depth 1

/// A chain of fair nodes, a queue at its end.
struct Chain {
  explicit Chain(int depth) {
    ShareNode parent = tree.root();
    for (int level = 1; level < depth; ++level)
      parent = tree.make(parent, "level", ShareSpec{.order = ShareOrder::Fair}).value();
    queue = tree.make(parent, "queue", {}).value();
  }
  periodic::ShareTree tree;
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
    if (bind(flood.receiver.get(), any, length) != 0 || getsockname(flood.receiver.get(), any, &length) != 0 ||
        connect(flood.sender.get(), any, length) != 0)
      return Error{ErrorCode::System, std::string("A loopback socket: ") + std::strerror(errno)};
    return flood;
  }
  Descriptor sender, receiver;
};

/// Processor time of one packet, in ns: sent after it was chosen by the tree, or, without one, just sent.
double costOf(const Flood& flood, Chain* chain, int packets) {
  std::array<std::byte, kPayload> payload{};
  periodic::KernelTime time;
  periodic::ShareRequest request;
  const Duration begin = time.threadCpu();
  for (int i = 0; i < packets; ++i) {
    if (chain != nullptr) {
      chain->tree.enqueue(chain->queue, request);
      const auto taken = chain->tree.take();
      chain->tree.charge(taken->queue, kPayload);
    }
    (void)!send(flood.sender.get(), payload.data(), payload.size(), 0);  // what the receiver drops is sent, too
  }
  return static_cast<double>((time.threadCpu() - begin).count()) / packets;
}

}  // namespace

Result<Verdict> runQlinuxOverhead(const Plan& plan) {
  const int blocks = plan.blocks > 0 ? plan.blocks : (plan.quick ? 15 : 60);
  const int packets = plan.quick ? 4000 : 20'000;
  auto flood = Flood::create();
  if (!flood.ok()) return flood.error();
  std::vector<std::unique_ptr<Chain>> chains;
  for (int depth = 1; depth <= kDeepest; ++depth) chains.push_back(std::make_unique<Chain>(depth));
  CsvFile csv(plan.out / "qlinux-overhead.csv", {"block", "depth", "ns_a_packet"});
  std::vector<std::vector<double>> costs(kDeepest + 1);  // by depth; 0: no tree
  (void)costOf(flood.value(), nullptr, packets);         // the first run is cold
  for (int block = 0; block < blocks; ++block) {
    for (int i = 0; i <= kDeepest; ++i) {
      const int depth = (i + block) % (kDeepest + 1);
      Chain* chain = depth > 0 ? chains[static_cast<std::size_t>(depth - 1)].get() : nullptr;
      const double cost = costOf(flood.value(), chain, packets);
      costs[static_cast<std::size_t>(depth)].push_back(cost);
      csv.add({std::to_string(block), std::to_string(depth), fixed(cost, 1)});
    }
  }
  Panel panel;
  panel.title = "A datagram of 1200 B over the loopback device";
  panel.xLabel = "levels of the tree; 0 = none";
  panel.yLabel = "ns of processor time";
  Series series{"Tactus", {}};
  for (int depth = 0; depth <= kDeepest; ++depth) {
    panel.categories.push_back(std::to_string(depth));
    series.values.push_back(median(costs[static_cast<std::size_t>(depth)]));
  }
  panel.series.push_back(series);
  const Figure figure{"What the share tree costs a packet",
                      machine() + "; medians of " + std::to_string(blocks) + " blocks",
                      {panel}};
  if (auto written = writeFile(plan.out / "qlinux-overhead.svg", toSvg(figure)); !written.ok()) return written.error();
  const double none = series.values[0];
  const double shallow = series.values[1];
  const double deep = series.values[kDeepest];
  Verdict verdict;
  const double slower = 100 * (deep / shallow - 1);
  verdict.holds = slower <= kPromised;
  verdict.figure = "a packet costs " + fixed(none, 0) + " ns without a tree, " + fixed(shallow, 0) +
                   " ns with one level and " + fixed(deep, 0) + " ns with ten: " + fixed(slower, 1) + " % more";
  return verdict;
}

}  // namespace tactus::lab
