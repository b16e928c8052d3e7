// SPDX-License-Identifier: Apache-2.0
// The theorems about start-time fair queueing (Goyal, Vin, Cheng 1996), over random trees and requests.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <random>

#include "core/periodic/share/share_tree.h"

namespace tactus::periodic {
namespace {

struct Packet : ShareRequest {
  double cost = 0;
};

/// A random tree of `Fair` nodes, and packets for it. Node i is row i of the tree.
class RandomTree {
 public:
  struct Node {
    ShareNode id = ShareNode::None;
    std::size_t parent = 0;
    bool queue = false;
    double weight = 1;
    double largest = 0;  // cost of a packet below it
  };
  using Weight = std::function<double(std::mt19937_64&)>;

  explicit RandomTree(std::uint64_t seed, Weight weight, int depth = 6)
      : m_random(seed), m_weight(std::move(weight)) {
    nodes.push_back({tree.root()});
    grow(0, depth);
  }

  std::size_t below(std::size_t n) { return m_random() % n; }
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(m_random);
  }
  std::size_t anyNode() { return 1 + below(nodes.size() - 1); }
  std::size_t anyQueue() {
    for (;;)
      if (const std::size_t i = anyNode(); nodes[i].queue) return i;
  }
  void send(std::size_t queue, double cost) {
    packets.emplace_back().cost = cost;
    tree.enqueue(nodes[queue].id, packets.back());
  }
  void sendRandom(std::size_t queue) {
    const double largest = nodes[queue].largest;
    send(queue, below(4) == 0 ? largest : uniform(0, largest));
  }
  /// Each queue has `length` packets of cost 1 waiting.
  void fill(std::size_t length) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      while (nodes[i].queue && tree.length(nodes[i].id) < length) send(i, 1);
  }
  /// The node that was served; nullopt: nothing may be.
  std::optional<ShareNode> serve() {
    const auto taken = tree.take();
    if (!taken) return std::nullopt;
    tree.charge(taken->queue, static_cast<const Packet&>(*taken->request).cost);
    return taken->queue;
  }
  void reweigh(std::size_t node, double weight) {
    RC_ASSERT(tree.setWeight(nodes[node].id, weight).ok());
    nodes[node].weight = weight;
  }
  void setAnyWeight(std::size_t node) { reweigh(node, m_weight(m_random)); }

  std::deque<Packet> packets;  // outlive the tree
  ShareTree tree;
  std::vector<Node> nodes;

 private:
  void grow(std::size_t parent, int depth) {
    const std::size_t children = 2 + below(2);
    for (std::size_t i = 0; i < children; ++i) {
      Node node;
      node.parent = parent;
      node.queue = depth == 1 || below(3) > 0;
      node.weight = m_weight(m_random);
      if (node.queue) node.largest = uniform(1, 2000);
      std::optional<ShareOrder> order;
      if (!node.queue) order = ShareOrder::Fair;
      node.id = tree.make(nodes[parent].id, std::to_string(i), {order, node.weight, 0}).value();
      nodes.push_back(node);
      const std::size_t made = nodes.size() - 1;
      if (!node.queue) grow(made, depth - 1);
      nodes[parent].largest = std::max(nodes[parent].largest, nodes[made].largest);
    }
  }
  std::mt19937_64 m_random;
  Weight m_weight;
};

double overFourDecades(std::mt19937_64& random) {
  return std::pow(10.0, std::uniform_real_distribution<double>(-2, 2)(random));
}
/// Quotients of these weights are exact, and so are the shares.
double powerOfTwo(std::mt19937_64& random) {
  return static_cast<double>(1 << random() % 4);
}

/// Watches each pair of siblings over every interval in which both have requests.
class FairnessWatch {
 public:
  explicit FairnessWatch(const RandomTree& tree) : m_tree(tree) {}

  /// Before a take.
  void before() {
    const auto rows = m_tree.tree.rows();
    forEachPair([&](std::size_t f, std::size_t m, Pair& pair) {
      if (!rows[f].runnable || !rows[m].runnable || pair.weights != weightsOf(f, m)) pair.together = false;
      if (!rows[f].runnable || !rows[m].runnable || pair.together) return;
      pair = {true, weightsOf(f, m), difference(rows, f, m), difference(rows, f, m)};
    });
  }
  /// After its charge: |Wf/rf - Wm/rm| <= lf_max/rf + lm_max/rm (theorem 1).
  void after() {
    const auto rows = m_tree.tree.rows();
    forEachPair([&](std::size_t f, std::size_t m, Pair& pair) {
      if (!pair.together) return;
      pair.least = std::min(pair.least, difference(rows, f, m));
      pair.most = std::max(pair.most, difference(rows, f, m));
      const auto& nodes = m_tree.nodes;
      const double bound = nodes[f].largest / nodes[f].weight + nodes[m].largest / nodes[m].weight;
      RC_ASSERT(pair.most - pair.least <= bound * (1 + 1e-6));
      ++m_checked;
      m_tightest = std::max(m_tightest, (pair.most - pair.least) / bound);
    });
  }
  std::size_t checked() const { return m_checked; }
  double tightest() const { return m_tightest; }

 private:
  struct Pair {
    bool together = false;
    std::pair<double, double> weights = {};
    double least = 0, most = 0;  // of Wf/rf - Wm/rm since they are together
  };
  std::pair<double, double> weightsOf(std::size_t f, std::size_t m) const {
    return {m_tree.nodes[f].weight, m_tree.nodes[m].weight};
  }
  double difference(const std::vector<ShareRow>& rows, std::size_t f, std::size_t m) const {
    return rows[f].served / m_tree.nodes[f].weight - rows[m].served / m_tree.nodes[m].weight;
  }
  template <typename Visit>
  void forEachPair(Visit visit) {
    m_pairs.resize(m_tree.nodes.size() * m_tree.nodes.size());
    for (std::size_t f = 1; f < m_tree.nodes.size(); ++f)
      for (std::size_t m = f + 1; m < m_tree.nodes.size(); ++m)
        if (m_tree.nodes[f].parent == m_tree.nodes[m].parent)
          visit(f, m, m_pairs[f * m_tree.nodes.size() + m]);
  }
  const RandomTree& m_tree;
  std::vector<Pair> m_pairs;
  std::size_t m_checked = 0;
  double m_tightest = 0;
};

/// Random arrivals, idle times, suspensions and new weights; the number of checks, and how near a pair came.
std::pair<std::size_t, double> watchRandomRun(std::uint64_t seed) {
  RandomTree random(seed, overFourDecades, 2 + static_cast<int>(seed % 5));
  FairnessWatch watch(random);
  for (int step = 0; step < 400; ++step) {
    if (random.below(3) > 0) {
      const std::size_t queue = random.anyQueue();
      for (std::size_t i = random.below(12); i-- > 0;) random.sendRandom(queue);
    }
    if (random.below(40) == 0) random.setAnyWeight(random.anyNode());
    if (random.below(40) == 0) random.tree.suspend(random.nodes[random.anyNode()].id);
    if (random.below(10) == 0) random.tree.resume(random.nodes[random.anyNode()].id);
    if (random.below(100) == 0)
      while (random.serve()) watch.before();
    for (std::size_t i = random.below(4); i-- > 0;) {
      watch.before();
      const auto rows = random.tree.rows();
      bool any = false;  // what waits below no suspended node is served: work is conserved
      for (std::size_t each = 0; each < rows.size(); ++each) {
        bool may = random.nodes[each].queue && rows[each].waiting > 0;
        for (std::size_t above = each; above != 0; above = random.nodes[above].parent)
          may = may && !rows[above].suspended;
        any = any || may;
      }
      RC_ASSERT(random.serve().has_value() == any);
      watch.after();
    }
  }
  return {watch.checked(), watch.tightest()};
}

RC_GTEST_PROP(ShareFairnessProperty, SiblingsWithRequestsDifferByTheTheoremsBoundInEveryInterval, ()) {
  (void)watchRandomRun(*rc::gen::arbitrary<std::uint64_t>());
}

TEST(ShareFairnessProperty, SuchRunsComeNearTheBound) {
  std::size_t checked = 0;
  double tightest = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto [count, near] = watchRandomRun(seed);
    checked += count;
    tightest = std::max(tightest, near);
  }
  EXPECT_GT(checked, 20000u);
  EXPECT_GT(tightest, 0.8);
}

RC_GTEST_PROP(ShareFairnessProperty, NestedSharesAreExactWhileAllHaveRequests, ()) {
  RandomTree random(*rc::gen::arbitrary<std::uint64_t>(), powerOfTwo, 3);
  // A whole number of rounds at each node: a round of a node is as long as the sum of its children's weights.
  std::vector<std::size_t> round(random.nodes.size(), 0);
  for (std::size_t i = 1; i < random.nodes.size(); ++i)
    round[random.nodes[i].parent] += static_cast<std::size_t>(random.nodes[i].weight);
  std::size_t takes = round[0];
  for (std::size_t i = 1; i < round.size(); ++i) {
    if (random.nodes[i].queue) continue;
    round[i] *= round[random.nodes[i].parent];
    takes = std::lcm(takes, round[i]);
  }
  RC_PRE(takes < 20000u);
  for (std::size_t i = 0; i < takes; ++i) {
    random.fill(2);
    RC_ASSERT(random.serve().has_value());
  }
  const auto rows = random.tree.rows();
  for (std::size_t i = 1; i < rows.size(); ++i)
    RC_ASSERT(std::abs(rows[i].served - *rows[i].share * rows[random.nodes[i].parent].served) < 1e-6);
}

RC_GTEST_PROP(ShareFairnessProperty, ASuspendedLeafHasNothingAndItsSiblingsHaveItsShare, ()) {
  RandomTree random(*rc::gen::arbitrary<std::uint64_t>(), powerOfTwo, 3);
  const std::size_t leaf = random.anyQueue();
  random.tree.suspend(random.nodes[leaf].id);
  constexpr double kTakes = 2000;
  for (int i = 0; i < static_cast<int>(kTakes); ++i) {
    random.fill(2);
    RC_ASSERT(random.serve().has_value());
  }
  const auto rows = random.tree.rows();
  RC_ASSERT(rows[leaf].served == 0);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    double sum = 0;
    for (std::size_t each = 1; each < rows.size(); ++each)
      if (random.nodes[each].parent == random.nodes[i].parent && each != leaf) sum += rows[each].weight;
    const double share = i == leaf ? 0 : rows[i].weight / sum;
    // Theorem 1, summed over the at most two siblings.
    RC_ASSERT(std::abs(rows[i].served - share * rows[random.nodes[i].parent].served) <= 2 + 1e-6);
  }
}

RC_GTEST_PROP(ShareFairnessProperty, ANewWeightHoldsAtOnce, ()) {
  RandomTree random(*rc::gen::arbitrary<std::uint64_t>(), overFourDecades, 1);
  for (int change = 0; change < 5; ++change) {
    const auto from = random.tree.rows();
    for (int i = 0; i < 500; ++i) {
      random.fill(2);
      RC_ASSERT(random.serve().has_value());
    }
    const auto to = random.tree.rows();
    for (std::size_t i = 1; i < to.size(); ++i)
      RC_ASSERT(std::abs(to[i].served - from[i].served - *to[i].share * 500) <= 2 + 1e-6);
    random.setAnyWeight(random.anyNode());
  }
}

RC_GTEST_PROP(ShareFairnessProperty, NobodyEarnsCreditWhileIdle, ()) {
  RandomTree random(*rc::gen::arbitrary<std::uint64_t>(), overFourDecades, 1);
  const std::size_t idle = random.anyQueue();
  const std::size_t other = idle == 1 ? 2 : 1;
  for (std::size_t i = 0; i < 500; ++i) random.sendRandom(other);
  const std::size_t alone = random.below(400);
  for (std::size_t i = 0; i < alone; ++i) (void)random.serve();
  for (int i = 0; i < 500; ++i) random.sendRandom(idle);
  const auto from = random.tree.rows();
  // As long as the other waits, it has no less for its weight than the one that was idle, but for two
  // requests.
  for (int i = 0; i < 100; ++i) {
    (void)random.serve();
    const auto to = random.tree.rows();
    if (!to[idle].runnable || !to[other].runnable) break;
    const auto& nodes = random.nodes;
    const double ahead = (to[idle].served - from[idle].served) / nodes[idle].weight -
                         (to[other].served - from[other].served) / nodes[other].weight;
    RC_ASSERT(ahead <=
              (nodes[idle].largest / nodes[idle].weight + nodes[other].largest / nodes[other].weight) *
                  (1 + 1e-6));
  }
}

RC_GTEST_PROP(ShareFairnessProperty, ScalingAllWeightsOfANodeKeepsTheOrder, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RandomTree plain(seed, overFourDecades, 3);
  RandomTree scaled(seed, overFourDecades, 3);
  const double factor =
      std::ldexp(1.0, *rc::gen::inRange(-10, 11));  // a power of two: tags stay exact multiples
  const std::size_t parent = scaled.nodes[scaled.anyNode()].parent;
  (void)plain.anyNode();
  for (std::size_t i = 1; i < scaled.nodes.size(); ++i)
    if (scaled.nodes[i].parent == parent) scaled.reweigh(i, scaled.nodes[i].weight * factor);
  for (int i = 0; i < 500; ++i) {
    for (RandomTree* each : {&plain, &scaled})
      if (each->below(3) > 0) each->sendRandom(each->anyQueue());
    RC_ASSERT(plain.serve() == scaled.serve());
  }
}

}  // namespace
}  // namespace tactus::periodic
