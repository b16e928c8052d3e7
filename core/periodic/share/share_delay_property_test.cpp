// SPDX-License-Identifier: Apache-2.0
// The delay bound of start-time fair queueing (Goyal, Vin, Cheng 1996, theorem 4) on a server of constant
// rate.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "core/periodic/share/share_tree.h"

namespace tactus::periodic {
namespace {

struct Packet : ShareRequest {
  std::size_t flow = 0;
  double cost = 0, arrival = 0, expected = 0;  // times in seconds
};

/// When a cost is charged.
enum class Charge { AfterService, AtOnce };

/// Flows with rates as weights, whose sum is at most the server's rate.
class Link {
 public:
  explicit Link(std::uint64_t seed) : m_random(seed) {
    const std::size_t flows = 1 + m_random() % 8;
    double sum = 0;
    for (std::size_t i = 0; i < flows; ++i) {
      m_rates.push_back(std::pow(10.0, uniform(2, 6)));
      m_largest.push_back(uniform(40, 1500));
      sum += m_rates.back();
      m_queues.push_back(
          m_tree.make(m_tree.root(), std::to_string(i), {std::nullopt, m_rates.back(), 0}).value());
    }
    m_rate = sum * (m_random() % 2 == 0 ? 1 : uniform(1, 2));
    for (std::size_t i = 0; i < flows; ++i) arrive(i, 200);
    std::stable_sort(m_arrivals.begin(), m_arrivals.end(),
                     [](const Packet* a, const Packet* b) { return a->arrival < b->arrival; });
  }

  /// The largest lateness against the bound, in parts of the bound's allowance; at most 1.
  double run(Charge charge) {
    double now = 0, worst = 0;
    while (m_next < m_arrivals.size() || m_tree.next() != nullptr) {
      admit(now);
      const auto taken = m_tree.take();
      if (!taken) {
        now = m_arrivals[m_next]->arrival;
        continue;
      }
      const auto& packet = static_cast<const Packet&>(*taken->request);
      if (charge == Charge::AtOnce) m_tree.charge(taken->queue, packet.cost);
      now += packet.cost / m_rate;
      admit(now);
      if (charge == Charge::AfterService) m_tree.charge(taken->queue, packet.cost);
      double allowance = packet.cost / m_rate;
      for (std::size_t i = 0; i < m_rates.size(); ++i)
        if (i != packet.flow) allowance += m_largest[i] / m_rate;
      worst = std::max(worst, (now - packet.expected) / allowance);
      ++m_left;
    }
    return worst;
  }
  bool allLeft() const { return m_left == m_arrivals.size(); }

 private:
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(m_random);
  }
  /// Packets of a flow in bursts and pauses, with their expected arrival times.
  void arrive(std::size_t flow, int count) {
    double arrival = 0, expected = 0;
    for (int i = 0; i < count; ++i) {
      const double spacing = m_largest[flow] / m_rates[flow];
      if (m_random() % 3 == 0) arrival += uniform(0, 4 * spacing);
      Packet& packet = m_packets.emplace_back();
      packet.flow = flow;
      packet.cost = m_random() % 4 == 0 ? m_largest[flow] : uniform(1, m_largest[flow]);
      packet.arrival = arrival;
      packet.expected = expected = std::max(expected, arrival);
      expected += packet.cost / m_rates[flow];
      m_arrivals.push_back(&packet);
    }
  }
  void admit(double until) {
    for (; m_next < m_arrivals.size() && m_arrivals[m_next]->arrival <= until; ++m_next)
      m_tree.enqueue(m_queues[m_arrivals[m_next]->flow], *m_arrivals[m_next]);
  }

  std::mt19937_64 m_random;
  std::deque<Packet> m_packets;  // outlive the tree
  ShareTree m_tree;
  std::vector<ShareNode> m_queues;
  std::vector<double> m_rates, m_largest;
  double m_rate = 0;
  std::vector<Packet*> m_arrivals;
  std::size_t m_next = 0, m_left = 0;
};

RC_GTEST_PROP(ShareDelayProperty, NoRequestLeavesLaterThanTheTheoremSays, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  for (const Charge charge : {Charge::AfterService, Charge::AtOnce}) {
    Link link(seed);
    RC_ASSERT(link.run(charge) <= 1 + 1e-6);
    RC_ASSERT(link.allLeft());
  }
}

TEST(ShareDelayProperty, SomeRequestsComeNearTheBound) {
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Link link(seed);
    worst = std::max(worst, link.run(Charge::AtOnce));
  }
  EXPECT_GT(worst, 0.7);
}

}  // namespace
}  // namespace tactus::periodic
