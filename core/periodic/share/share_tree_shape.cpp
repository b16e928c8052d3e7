// SPDX-License-Identifier: Apache-2.0
// The tree itself: handles, paths, and nodes that come, go and change.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "core/periodic/share/share_node.h"
#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

Error gone() {
  return {ErrorCode::NotFound, "This node of the share tree does not exist any more."};
}
Error invalid(std::string sentence) {
  return {ErrorCode::InvalidArgument, std::move(sentence)};
}
Error refused(std::string sentence) {
  return {ErrorCode::Refused, std::move(sentence)};
}

std::optional<Error> badWeight(double weight) {
  if (weight >= kLeastShareWeight && weight <= kLargestShareWeight) return std::nullopt;
  return invalid(format("A weight lies between %g and %g; %g does not.", kLeastShareWeight,
                        kLargestShareWeight, weight));
}

}  // namespace

ShareTree::ShareTree(ShareOrder order) {
  ShareSpec spec;
  spec.order = order;
  m_root = create("", spec).value();
}

ShareTree::~ShareTree() = default;

ShareNode ShareTree::root() const noexcept {
  return m_root->id;
}

ShareTree::Node* ShareTree::at(ShareNode node) const noexcept {
  return m_nodes.at(node);
}

ShareTree::Node& ShareTree::queueAt(ShareNode queue) const noexcept {
  Node* node = at(queue);
  assert(node != nullptr && node->isQueue());
  return *node;
}

Result<ShareTree::Node*> ShareTree::create(std::string_view name, const ShareSpec& spec) {
  Node* made = m_nodes.add([&](ShareNode handle) { return std::make_unique<Node>(handle, name, spec); });
  if (made == nullptr) return refused("The share tree has no room for another node.");
  return made;
}

/// Why a node of this name cannot be a child of `parent`.
std::optional<Error> ShareTree::misplaced(std::string_view name, bool isQueue, const Node& parent) const {
  if (parent.isQueue()) return invalid("The node " + pathOf(parent) + " is a queue: it has no children.");
  if (!isQueue && !parent.isFair() && parent.order != ShareOrder::Strict) {
    return invalid("The children of " + pathOf(parent) + " are queues alone: it goes by " +
                   std::string(nameOf(*parent.order)) + ".");
  }
  for (const Node* child : parent.children) {
    if (child->name == name)
      return invalid("The node " + pathOf(parent) + " already has a child named " + child->name + ".");
  }
  return std::nullopt;
}

/// The heap has room for all children, so that no real-time call allocates.
void ShareTree::addChild(Node& parent, Node& child) {
  parent.children.push_back(&child);
  parent.runnable.reserve(parent.children.size());
  child.parent = &parent;
}

void ShareTree::removeChild(Node& child) {
  Node* parent = std::exchange(child.parent, nullptr);
  std::erase(parent->children, &child);
  if (child.place.isInHeap()) parent->runnable.remove(child);
  refresh(parent);
}

Result<ShareNode> ShareTree::make(ShareNode parent, std::string_view name, const ShareSpec& spec) {
  Node* above = at(parent);
  if (above == nullptr) return gone();
  if (name.empty()) return invalid("A node of the share tree needs a name.");
  if (name.find('/') != std::string_view::npos)
    return invalid("The name " + std::string(name) + " has a '/', which parts the names of a path.");
  if (auto bad = badWeight(spec.weight)) return *std::move(bad);
  if (auto bad = misplaced(name, !spec.order, *above)) return *std::move(bad);
  auto made = create(name, spec);
  if (!made.ok()) return made.error();
  addChild(*above, *made.value());
  return made.value()->id;
}

Result<void> ShareTree::remove(ShareNode node) {
  Node* each = at(node);
  if (each == nullptr) return gone();
  if (each == m_root) return refused("The root of the share tree cannot be removed.");
  if (!each->children.empty()) return refused("The node " + pathOf(*each) + " has children.");
  if (each->length() > 0) return refused("The node " + pathOf(*each) + " has requests that wait.");
  if (each->inService && m_uncharged)
    return refused("The node " + pathOf(*each) + " has a request in service.");
  if (each->inService) endService();
  removeChild(*each);
  m_nodes.remove(node);
  return {};
}

Result<void> ShareTree::move(ShareNode node, ShareNode parent) {
  Node* each = at(node);
  Node* to = at(parent);
  if (each == nullptr || to == nullptr) return gone();
  if (each == m_root) return refused("The root of the share tree cannot be moved.");
  for (const Node* above = to; above != nullptr; above = above->parent)
    if (above == each) return invalid("The node " + pathOf(*each) + " cannot be moved below itself.");
  if (to == each->parent) return {};
  if (auto bad = misplaced(each->name, each->isQueue(), *to)) return *std::move(bad);
  const Node& from = *each->parent;
  const double debt =
      from.isFair() ? from.clock.debtOf(each->tags, each->weight, each->place.isInHeap(), from.isIdle()) : 0;
  removeChild(*each);
  each->tags = to->isFair() ? to->clock.tagsOf(debt, each->weight, to->isIdle()) : ShareTags{};
  addChild(*to, *each);
  refresh(each);
  return {};
}

Result<void> ShareTree::setWeight(ShareNode node, double weight) noexcept {
  Node* each = at(node);
  if (each == nullptr) return gone();
  if (auto bad = badWeight(weight)) return *std::move(bad);
  const Node* parent = each->parent;
  if (parent != nullptr && parent->isFair())
    parent->clock.reweigh(each->tags, each->weight, weight, parent->isIdle());
  each->weight = weight;
  refresh(each);
  return {};
}

Result<void> ShareTree::setPriority(ShareNode node, std::int32_t priority) noexcept {
  Node* each = at(node);
  if (each == nullptr) return gone();
  each->priority = priority;
  refresh(each);
  return {};
}

Result<ShareNode> ShareTree::find(std::string_view path) const {
  const auto bad = [path] {
    return invalid("A path is '/' or '/' before each name, as in /stream/film; '" + std::string(path) +
                   "' is not.");
  };
  if (path.empty() || path[0] != '/') return bad();
  const Node* node = m_root;
  std::string_view rest = path.substr(1);
  for (bool more = !rest.empty(); more;) {
    const std::size_t end = rest.find('/');
    const std::string_view name = rest.substr(0, end);
    if (name.empty()) return bad();
    more = end != std::string_view::npos;
    rest = more ? rest.substr(end + 1) : std::string_view{};
    if (node == nullptr) continue;  // the rest may still be no path
    const auto child = std::find_if(node->children.begin(), node->children.end(),
                                    [name](const Node* each) { return each->name == name; });
    node = child != node->children.end() ? *child : nullptr;
  }
  if (node == nullptr) return Error{ErrorCode::NotFound, "There is no node " + std::string(path) + "."};
  return node->id;
}

Result<std::string> ShareTree::path(ShareNode node) const {
  const Node* each = at(node);
  if (each == nullptr) return gone();
  return pathOf(*each);
}

std::string ShareTree::pathOf(const Node& node) {
  if (node.parent == nullptr) return "/";
  std::string path;
  for (const Node* each = &node; each->parent != nullptr; each = each->parent) path = "/" + each->name + path;
  return path;
}

std::vector<ShareRow> ShareTree::rows() const {
  std::vector<ShareRow> rows;
  std::vector<std::size_t> parents;  // rows[i] is a child of rows[parents[i]]
  std::vector<std::pair<const Node*, std::size_t>> waiting{{m_root, 0}};
  while (!waiting.empty()) {
    const auto [node, above] = waiting.back();
    waiting.pop_back();
    ShareRow row;
    row.node = node->id;
    row.path = pathOf(*node);
    row.depth = node->parent != nullptr ? rows[above].depth + 1 : 0;
    row.order = node->order;
    row.weight = node->weight;
    row.priority = node->priority;
    if (node->parent == nullptr) row.share = 1;
    if (node->parent != nullptr && node->parent->isFair()) {
      double sum = 0;
      for (const Node* each : node->parent->children) sum += each->weight;
      row.share = node->weight / sum;
    }
    row.waiting = node->length();
    row.runnable = node->isRunnable();
    row.suspended = node->suspended;
    row.served = node->served;
    for (auto child = node->children.rbegin(); child != node->children.rend(); ++child)
      waiting.emplace_back(*child, rows.size());
    rows.push_back(std::move(row));
    parents.push_back(above);
  }
  for (std::size_t i = rows.size(); i-- > 1;) rows[parents[i]].waiting += rows[i].waiting;
  return rows;
}

}  // namespace tactus::periodic
