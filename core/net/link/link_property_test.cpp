// SPDX-License-Identifier: Apache-2.0
// Random flows and packets on a link: what holds in every interval.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/net/link/link_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;

struct Sender {
  FlowId flow;
  LinkClass linkClass;
  std::optional<ByteContract> contract;
  std::size_t offered = 0;
};

std::vector<Sender> randomSenders(LinkBench& bench, BitRate rate) {
  std::vector<Sender> senders;
  const int count = *rc::gen::inRange(1, 7);
  for (int i = 0; i < count; ++i) {
    Sender sender;
    sender.linkClass = static_cast<LinkClass>(*rc::gen::inRange(0, static_cast<int>(kLinkClassCount)));
    if (sender.linkClass != LinkClass::Bulk)
      sender.contract = ByteContract{BitRate::perSecond(rate.bits() / *rc::gen::inRange(2, 20)),
                                     static_cast<std::size_t>(*rc::gen::inRange(0, 10'000))};
    sender.flow = bench.add(std::to_string(i), sender.linkClass, *rc::gen::inRange(1, 100), sender.contract,
                            Duration(1ms) * *rc::gen::inRange(5, 200));
    senders.push_back(sender);
  }
  return senders;
}

/// Packets that come in bursts, and the time until all had their turn.
void sendAtRandom(LinkBench& bench, std::vector<Sender>& senders) {
  const TimePoint end = bench.now + 300ms;
  while (bench.now < end) {
    for (Sender& sender : senders) {
      const int burst = *rc::gen::inRange(0, 4) * *rc::gen::inRange(0, 4);
      const int largest = *rc::gen::element(200, 1500);
      for (int i = 0; i < burst; ++i) {
        const auto bytes = static_cast<std::size_t>(*rc::gen::inRange(40, largest + 1));
        if (bench.offer(sender.flow, bytes) == Offered::Waits) ++sender.offered;
      }
    }
    bench.runFor(Duration(1us) * *rc::gen::element(20'000, 3'000, 700, 40));
  }
  bench.runFor(1h);
}

RC_GTEST_PROP(LinkProperty, EveryPacketHasOneTurnAndFlowsKeepTheirOrder, ()) {
  const BitRate rate = BitRate::perSecond(*rc::gen::element(600'000, 20'000'000, 1'000'000'000));
  LinkBench bench(rate);
  auto senders = randomSenders(bench, rate);
  sendAtRandom(bench, senders);
  for (const Sender& sender : senders) {
    std::size_t gone = 0;
    TimePoint arrival{};
    for (const auto& each : bench.gone) {
      if (each.flow != sender.flow) continue;
      ++gone;
      RC_ASSERT(each.arrival >= arrival);
      arrival = each.arrival;
    }
    RC_ASSERT(gone == sender.offered);
    RC_ASSERT(bench.row(sender.flow).waiting == 0u);
    RC_ASSERT(bench.row(sender.flow).waitingBytes == 0u);
  }
}

RC_GTEST_PROP(LinkProperty, NeverSendsMoreThanTheLinkCarries, ()) {
  const BitRate rate = BitRate::perSecond(*rc::gen::element(600'000, 20'000'000, 1'000'000'000));
  LinkBench bench(rate);
  auto senders = randomSenders(bench, rate);
  sendAtRandom(bench, senders);
  // The link's backlog if packets came as they were sent: kAhead, or one packet before it is free.
  TimePoint free{};
  for (const auto& each : bench.gone) {
    if (each.late) continue;
    RC_ASSERT(free <= each.at || free + rate.timeOf(each.bytes) <= each.at + Link::kAhead);
    free = std::max(free, each.at) + rate.timeOf(each.bytes);
  }
}

RC_GTEST_PROP(LinkProperty, AFlowNeverExceedsItsContract, ()) {
  const BitRate rate = BitRate::perSecond(*rc::gen::element(600'000, 20'000'000));
  LinkBench bench(rate);
  auto senders = randomSenders(bench, rate);
  sendAtRandom(bench, senders);
  for (const Sender& sender : senders) {
    if (!sender.contract) continue;
    std::vector<LinkBench::Gone> sent;
    for (const auto& each : bench.gone)
      if (each.flow == sender.flow && !each.late) sent.push_back(each);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      std::size_t sum = 0;
      for (std::size_t j = i; j < sent.size(); ++j) {
        // All but the last packet within burst + t * rate, rounded by a byte a packet.
        const Duration time = sent[j].at - sent[i].arrival;
        RC_ASSERT(sum <= sender.contract->burst + sender.contract->rate.bytesIn(time) + (j - i) + 1);
        sum += sent[j].bytes;
      }
    }
  }
}

RC_GTEST_PROP(LinkProperty, IsNeverIdleWhileAPacketMayGo, ()) {
  const BitRate rate = BitRate::perSecond(*rc::gen::element(600'000, 20'000'000, 1'000'000'000));
  LinkBench bench(rate);
  std::vector<FlowId> flows;
  const int count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i)
    flows.push_back(bench.add(std::to_string(i), LinkClass::Bulk, *rc::gen::inRange(1, 100)));
  const std::size_t bytes = static_cast<std::size_t>(*rc::gen::inRange(100, 1501));
  const Duration time = rate.timeOf(5000 * bytes);
  bench.runFor(time, [&] {
    for (const FlowId flow : flows)
      while (bench.offer(flow, bytes) == Offered::Waits) {
      }
  });
  std::size_t sum = 0;
  for (const FlowId flow : flows) sum += bench.bytesOf(flow);
  RC_ASSERT(sum + bytes >= rate.bytesIn(time));
}

}  // namespace
}  // namespace tactus::net
