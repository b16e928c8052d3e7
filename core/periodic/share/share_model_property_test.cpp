// SPDX-License-Identifier: Apache-2.0
// Any sequence of operations does what a plain model of the same rules does, which sorts nothing and looks at
// every child each time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <tuple>

#include "core/periodic/share/share_tree.h"

namespace tactus::periodic {
namespace {

struct Request : ShareRequest {
  std::uint64_t arrival = 0;
  double cost = 0;
};

struct ModelNode {
  ShareNode id = ShareNode::None;
  std::optional<ShareOrder> order = {};
  double weight = 1;
  int priority = 0;
  ModelNode* parent = nullptr;
  std::vector<ModelNode*> children = {};
  std::deque<Request*> requests = {};
  bool suspended = false, awake = false, inService = false;
  double start = 0, finish = 0, v = 0, lastFinish = 0, served = 0;
  ModelNode* payer = nullptr;

  bool fair() const { return order == ShareOrder::Fair; }
  std::size_t waiting() const {
    std::size_t sum = requests.size();
    for (const auto* child : children) sum += child->waiting();
    return sum;
  }
  double now() const {
    const bool busy = inService || std::any_of(children.begin(), children.end(),
                                               [](const ModelNode* each) { return each->awake; });
    return busy ? v : std::max(v, lastFinish);
  }
  /// The child to be served, or nullptr.
  ModelNode* best() const {
    ModelNode* best = nullptr;
    for (auto* child : children)
      if (child->next() != nullptr && !child->suspended && (best == nullptr || rank(*child) < rank(*best)))
        best = child;
    return best;
  }
  Request* next() const {
    if (!order) return requests.empty() ? nullptr : requests.front();
    const ModelNode* child = best();
    return child != nullptr ? child->next() : nullptr;
  }
  std::tuple<double, std::int64_t, std::uint64_t> rank(const ModelNode& child) const {
    const Request& next = *child.next();
    if (order == ShareOrder::Fair) return {child.start, 0, next.arrival};
    if (order == ShareOrder::Strict) return {0, child.priority, next.arrival};
    if (order == ShareOrder::Deadline) return {0, next.deadline.time_since_epoch().count(), next.arrival};
    return {0, 0, next.arrival};
  }
};

/// A tree and its model, changed alike.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : m_random(seed) {
    m_model.push_back(std::make_unique<ModelNode>());
    m_model[0]->id = m_tree.root();
    m_model[0]->order = ShareOrder::Fair;
  }

  void step() {
    switch (m_random() % 16) {
      case 0:
      case 1:
        make();
        break;
      case 2:
        remove();
        break;
      case 3:
        move();
        break;
      case 4:
        setWeight();
        break;
      case 5:
        suspendOrResume();
        break;
      case 6:
        drop();
        break;
      case 7:
      case 8:
      case 9:
      case 10:
        enqueue();
        break;
      default:
        m_inService != nullptr ? charge() : take();
    }
    wake();
    compare();
  }
  std::size_t servedRequests() const { return m_servedRequests; }

 private:
  std::size_t below(std::size_t n) { return m_random() % n; }
  ModelNode& any() { return *m_model[below(m_model.size())]; }
  ModelNode* anyQueue() {
    for (int i = 0; i < 10; ++i)
      if (ModelNode& node = any(); !node.order) return &node;
    return nullptr;
  }
  /// Over four decades, and not round, so that equal tags are no accident of rounding.
  double anyWeight() { return std::pow(10.0, std::uniform_real_distribution<double>(-2, 2)(m_random)); }

  static bool accepts(const ModelNode& parent, bool queue) {
    return parent.order && (queue || parent.fair() || parent.order == ShareOrder::Strict);
  }

  void make() {
    ModelNode& parent = any();
    auto node = std::make_unique<ModelNode>();
    if (below(3) == 0) node->order = static_cast<ShareOrder>(below(4));
    node->weight = anyWeight();
    node->priority = static_cast<int>(below(3));
    const auto made =
        m_tree.make(parent.id, std::to_string(m_names++), {node->order, node->weight, node->priority});
    RC_ASSERT(made.ok() == accepts(parent, !node->order));
    if (!made.ok()) return;
    node->id = made.value();
    node->parent = &parent;
    parent.children.push_back(node.get());
    m_model.push_back(std::move(node));
  }
  void remove() {
    ModelNode& node = any();
    const bool may = node.parent != nullptr && node.children.empty() && node.requests.empty() &&
                     !(node.inService && m_inService != nullptr);
    RC_ASSERT(m_tree.remove(node.id).ok() == may);
    if (!may) return;
    if (node.inService) endService();
    std::erase(node.parent->children, &node);
    std::erase_if(m_model, [&node](const auto& each) { return each.get() == &node; });
  }
  void move() {
    ModelNode& node = any();
    ModelNode& to = any();
    bool may = node.parent != nullptr;
    for (const ModelNode* each = &to; each != nullptr; each = each->parent) may = may && each != &node;
    if (may && &to != node.parent) may = accepts(to, !node.order);
    RC_ASSERT(m_tree.move(node.id, to.id).ok() == may);
    if (!may || &to == node.parent) return;
    ModelNode& from = *node.parent;
    const double debt =
        from.fair() ? std::max(0.0, (node.awake ? node.start : node.finish) - from.now()) * node.weight : 0;
    std::erase(from.children, &node);
    node.awake = false;
    node.parent = nullptr;
    wake();  // the old parent's ancestors fall asleep before the new one's wake up
    node.start = node.finish = to.fair() ? to.now() + debt / node.weight : 0;
    node.parent = &to;
    to.children.push_back(&node);
  }
  void setWeight() {
    ModelNode& node = any();
    const double weight = anyWeight();
    RC_ASSERT(m_tree.setWeight(node.id, weight).ok());
    if (node.parent != nullptr && node.parent->fair()) {
      const double v = node.parent->now();
      if (node.start > v) node.start = v + (node.start - v) * (node.weight / weight);
      if (node.finish > v) node.finish = v + (node.finish - v) * (node.weight / weight);
    }
    node.weight = weight;
    node.priority = static_cast<int>(below(3));
    RC_ASSERT(m_tree.setPriority(node.id, node.priority).ok());
  }
  void suspendOrResume() {
    ModelNode& node = any();
    node.suspended = below(3) == 0;
    node.suspended ? m_tree.suspend(node.id) : m_tree.resume(node.id);
  }
  void drop() {
    ModelNode* queue = anyQueue();
    if (queue == nullptr || queue->requests.empty()) return;
    const auto which = queue->requests.begin() + static_cast<std::ptrdiff_t>(below(queue->requests.size()));
    m_tree.drop(**which);
    queue->requests.erase(which);
  }
  void enqueue() {
    ModelNode* queue = anyQueue();
    if (queue == nullptr) return;
    Request& request = m_requests.emplace_back();
    request.arrival = m_requests.size();
    request.deadline = TimePoint(Duration(below(1000)));
    request.cost = below(8) == 0 ? 0 : static_cast<double>(below(1000));
    queue->requests.push_back(&request);
    m_tree.enqueue(queue->id, request);
  }
  void endService() {
    for (ModelNode* each = m_lastServed; each != nullptr; each = each->payer) each->inService = false;
    m_lastServed = nullptr;
  }
  void take() {
    endService();
    const ShareRequest* next = m_tree.next();
    const auto taken = m_tree.take();
    RC_ASSERT(next == (taken ? taken->request : nullptr));
    ModelNode* node = m_model[0].get();
    Request* expected = node->suspended ? nullptr : node->next();
    RC_ASSERT(taken.has_value() == (expected != nullptr));
    if (!taken) return;
    for (node->inService = true; node->order; node = m_lastServed) {
      m_lastServed = node->best();
      m_lastServed->payer = node;
      m_lastServed->inService = true;
      if (node->fair()) node->v = m_lastServed->start;
    }
    RC_ASSERT(taken->request == expected);
    RC_ASSERT(taken->queue == node->id);
    node->requests.pop_front();
    m_inService = expected;
    m_lastServed = node;
    ++m_servedRequests;
  }
  void charge() {
    m_tree.charge(m_lastServed->id, m_inService->cost);
    for (ModelNode* node = m_lastServed; node != nullptr; node = node->payer) {
      node->served += m_inService->cost;
      if (node->parent == nullptr || !node->parent->fair()) continue;
      node->start = node->finish = node->start + m_inService->cost / node->weight;
      node->parent->lastFinish = std::max(node->parent->lastFinish, node->finish);
    }
    m_inService = nullptr;
  }
  /// Children that became runnable get their start tag.
  void wake() {
    for (const auto& node : m_model) {
      if (node->parent == nullptr) continue;
      const bool awake = node->next() != nullptr && !node->suspended;
      if (awake && !node->awake && node->parent->fair()) {
        node->parent->v = node->parent->now();
        node->start = std::max(node->parent->v, node->finish);
      }
      node->awake = awake;
    }
  }
  void compare() {
    const auto rows = m_tree.rows();
    RC_ASSERT(rows.size() == m_model.size());
    std::map<ShareNode, const ShareRow*> byId;
    for (const auto& row : rows) byId[row.node] = &row;
    for (const auto& node : m_model) {
      const ShareRow& row = *byId.at(node->id);
      RC_ASSERT(row.waiting == node->waiting());
      RC_ASSERT(row.runnable == (node->next() != nullptr && !node->suspended));
      RC_ASSERT(row.suspended == node->suspended);
      RC_ASSERT(row.served == node->served);
      if (!node->order) RC_ASSERT(m_tree.first(node->id) == node->next());
      if (!node->order) RC_ASSERT(m_tree.length(node->id) == node->requests.size());
    }
  }

  std::mt19937_64 m_random;
  std::deque<Request> m_requests;  // outlive the tree
  ShareTree m_tree;
  std::vector<std::unique_ptr<ModelNode>> m_model;
  int m_names = 0;
  Request* m_inService = nullptr;     // awaits its charge
  ModelNode* m_lastServed = nullptr;  // a queue, until the next take
  std::size_t m_servedRequests = 0;
};

RC_GTEST_PROP(ShareModelProperty, AnyOperationsDoWhatThePlainModelDoes, ()) {
  Pair pair(*rc::gen::arbitrary<std::uint64_t>());
  for (int i = 0; i < 600; ++i) pair.step();
}

TEST(ShareModelProperty, SuchOperationsServeManyRequests) {
  std::size_t served = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Pair pair(seed);
    for (int i = 0; i < 600; ++i) pair.step();
    served += pair.servedRequests();
  }
  EXPECT_GT(served, 500u);
}

}  // namespace
}  // namespace tactus::periodic
