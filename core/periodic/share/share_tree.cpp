// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/share/share_tree.h"

#include <cassert>
#include <cmath>

#include "core/periodic/share/share_node.h"

namespace tactus::periodic {

/// Brings `next` of a node, and its place in its parent's heap, up to date. True: `next` changed.
bool ShareTree::settle(Node& node) noexcept {
  const ShareRequest* next = node.first();
  if (!node.isQueue()) next = node.runnable.isEmpty() ? nullptr : node.runnable.first().next;
  const bool changed = next != node.next;
  node.next = next;
  if (node.parent == nullptr) return changed;
  Node& parent = *node.parent;
  if (!node.isRunnable()) {
    if (node.place.isInHeap()) parent.runnable.remove(node);
  } else if (node.place.isInHeap()) {
    parent.runnable.update(node);
  } else {
    if (parent.isFair()) parent.clock.wake(node.tags, parent.isIdle());
    parent.runnable.add(node);
  }
  return changed;
}

/// After a change of `node`: it and its ancestors, up to the first whose next request stays the same
/// (hsfq_setrun, hsfq_sleep).
void ShareTree::refresh(Node* node) noexcept {
  if (node == nullptr) return;
  settle(*node);
  for (node = node->parent; node != nullptr && settle(*node); node = node->parent) {
  }
}

void ShareTree::serve(Node& parent, Node& child) noexcept {
  child.payer = &parent;
  child.inService = true;
  if (!parent.isFair()) return;
  parent.clock.serve(child.tags);
  if (!parent.clock.isFar()) return;
  const double by = parent.clock.goBack();
  for (Node* each : parent.children) ShareClock::goBack(each->tags, by);
}

void ShareTree::endService() noexcept {
  for (Node* node = m_served; node != nullptr; node = node->payer) node->inService = false;
  m_served = nullptr;
}

std::optional<ShareTaken> ShareTree::take() TACTUS_REALTIME {
  assert(!m_uncharged);
  endService();
  if (next() == nullptr) return std::nullopt;
  Node* node = m_root;
  node->inService = true;
  while (!node->isQueue()) {
    Node& child = node->runnable.first();
    serve(*node, child);
    node = &child;
  }
  m_served = node;
  m_uncharged = true;
  ShareRequest* request = node->first();
  node->ShareQueue::remove(*request);
  refresh(node);
  return ShareTaken{request, node->id};
}

void ShareTree::charge(ShareNode queue, double cost) TACTUS_REALTIME {
  assert(m_uncharged && m_served->id == queue);
  assert(std::isfinite(cost) && cost >= 0);
  (void)queue;
  m_uncharged = false;
  for (Node* node = m_served; node != nullptr; node = node->payer) {
    node->served += cost;
    if (node->parent != nullptr && node->parent->isFair())
      node->parent->clock.charge(node->tags, cost, node->weight);
    settle(*node);
    // Moved while in service: its new parent is not on the way up, but its order changed.
    if (node->parent != node->payer) refresh(node->parent);
  }
}

void ShareTree::enqueue(ShareNode queue, ShareRequest& request) TACTUS_REALTIME {
  Node& node = queueAt(queue);
  node.append(request, m_arrivals++);
  if (node.length() == 1) refresh(&node);
}

void ShareTree::drop(ShareRequest& request) TACTUS_REALTIME {
  assert(request.waits());
  Node& node = *static_cast<Node*>(ShareQueue::queueOf(request));
  const bool wasFirst = node.first() == &request;
  node.ShareQueue::remove(request);
  if (wasFirst) refresh(&node);
}

void ShareTree::suspend(ShareNode node) TACTUS_REALTIME {
  Node* each = at(node);
  assert(each != nullptr);
  each->suspended = true;
  refresh(each);
}

void ShareTree::resume(ShareNode node) TACTUS_REALTIME {
  Node* each = at(node);
  assert(each != nullptr);
  each->suspended = false;
  refresh(each);
}

ShareRequest* ShareTree::first(ShareNode queue) const TACTUS_REALTIME {
  return queueAt(queue).first();
}

std::size_t ShareTree::length(ShareNode queue) const TACTUS_REALTIME {
  return queueAt(queue).length();
}

const ShareRequest* ShareTree::next() const TACTUS_REALTIME {
  return m_root->isRunnable() ? m_root->next : nullptr;
}

}  // namespace tactus::periodic
