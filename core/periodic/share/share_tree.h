// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/share/handle_table.h"
#include "core/periodic/share/share_queue.h"
#include "core/periodic/share/share_rows.h"
#include "core/periodic/share/share_spec.h"

namespace tactus::periodic {

/// The request that is served next, and the queue it came from.
struct ShareTaken {
  ShareRequest* request = nullptr;
  ShareNode queue = ShareNode::None;
};

/// Hierarchical start-time fair queueing (Goyal, Guo, Vin 1996; QLinux, sections 2.2 and 2.3): a tree that
/// divides one server among queues of requests. Inner nodes choose among their children by a `ShareOrder`,
/// queues are FIFO. Work-conserving. Owns no thread, clock or I/O.
///
/// The server calls take() when it is free, serves the request and calls charge(). A cost that is known
/// before is charged at once: a batch is take, charge, take, charge. A request counts as in service until the
/// next take(), charged or not, so that what arrives meanwhile starts from its virtual time; a take() that
/// finds nothing says that the server is idle.
///
/// Thread-safe: no, no call of it; the caller guards. O(depth log n) for each real-time-safe call, n being
/// the children of a node (and once in 2^30 of virtual time O(n), when tags go back to 0). In real-time calls
/// a node that is gone or of the wrong kind is a programmer error.
class ShareTree {
 public:
  /// A tree of a root alone. Real-time-safe: no (allocates).
  explicit ShareTree(ShareOrder order = ShareOrder::Fair);
  /// Requests that still wait are nobody's then. Real-time-safe: no.
  ~ShareTree();
  ShareTree(const ShareTree&) = delete;
  ShareTree& operator=(const ShareTree&) = delete;

  /// Real-time-safe: yes.
  [[nodiscard]] ShareNode root() const noexcept;

  /// A new last child (QLinux, table 2: hsfq_link_mknod, hsfq_link_createq). NotFound: no such parent.
  /// InvalidArgument: the parent is a queue or takes only queues; a name that is empty, has a '/' or is taken
  /// among the siblings; a weight out of its range. Real-time-safe: no (allocates).
  [[nodiscard]] Result<ShareNode> make(ShareNode parent, std::string_view name, const ShareSpec& spec);
  /// Refused: the root, a node with children or requests, a queue whose request is not yet charged. NotFound:
  /// no such node. Real-time-safe: no.
  [[nodiscard]] Result<void> remove(ShareNode node);
  /// The node becomes the last child of `parent`, with all below it and their requests. Between `Fair`
  /// parents what it has had beyond the virtual time, in cost, comes along; credit does not. What is in
  /// service is charged to the nodes it was taken through. NotFound: no such node. Refused: the root.
  /// InvalidArgument: into a queue, below itself, an inner node where only queues are taken, a name that is
  /// taken there. Real-time-safe: no (allocates).
  [[nodiscard]] Result<void> move(ShareNode node, ShareNode parent);

  /// The node at a path such as "/stream/film"; "/" is the root. InvalidArgument: no '/' at the begin, or an
  /// empty part. NotFound: no such node. Real-time-safe: no (errors allocate).
  [[nodiscard]] Result<ShareNode> find(std::string_view path) const;
  /// NotFound: no such node. Real-time-safe: no (allocates).
  [[nodiscard]] Result<std::string> path(ShareNode node) const;
  /// All nodes, depth first, siblings by age. Real-time-safe: no (allocates).
  [[nodiscard]] std::vector<ShareRow> rows() const;

  /// Holds at once: what the node has had beyond the virtual time stays the same cost, the future goes by the
  /// new weight. InvalidArgument: out of range. NotFound: no such node. Real-time-safe: yes, unless it fails
  /// (the sentence allocates).
  [[nodiscard]] Result<void> setWeight(ShareNode node, double weight) noexcept;
  /// Holds at once. NotFound: no such node. Real-time-safe: yes, unless it fails (the sentence allocates).
  [[nodiscard]] Result<void> setPriority(ShareNode node, std::int32_t priority) noexcept;

  /// Until resume() nothing below the node is chosen; its requests stay. It earns no credit. Twice is once.
  /// Real-time-safe: yes.
  void suspend(ShareNode node) TACTUS_REALTIME;
  void resume(ShareNode node) TACTUS_REALTIME;

  /// `request` waits nowhere. Real-time-safe: yes.
  void enqueue(ShareNode queue, ShareRequest& request) TACTUS_REALTIME;
  /// Takes out a request of this tree that waits, wherever it is in its queue. Costs its queue nothing.
  /// Real-time-safe: yes.
  void drop(ShareRequest& request) TACTUS_REALTIME;
  /// The request to be served next, which leaves its queue (hsfq_schedule, hsfq_dequeue); nullopt: nothing
  /// may be served. The one before was charged. Real-time-safe: yes.
  [[nodiscard]] std::optional<ShareTaken> take() TACTUS_REALTIME;
  /// What the request taken last from `queue` cost, finite and at least 0, in the caller's unit (bytes,
  /// nanoseconds); exactly once after each take() (hsfq_update). Real-time-safe: yes.
  void charge(ShareNode queue, double cost) TACTUS_REALTIME;

  /// The first request of a queue; nullptr: none waits. Real-time-safe: yes.
  [[nodiscard]] ShareRequest* first(ShareNode queue) const TACTUS_REALTIME;
  /// Requests that wait in a queue. Real-time-safe: yes.
  [[nodiscard]] std::size_t length(ShareNode queue) const TACTUS_REALTIME;
  /// The request that take() would give; nullptr: none. Real-time-safe: yes.
  [[nodiscard]] const ShareRequest* next() const TACTUS_REALTIME;

 private:
  struct Node;

  // Tree shape: share_tree_shape.cpp.
  [[nodiscard]] Node* at(ShareNode node) const noexcept;
  [[nodiscard]] Node& queueAt(ShareNode queue) const noexcept;
  [[nodiscard]] Result<Node*> create(std::string_view name, const ShareSpec& spec);
  [[nodiscard]] std::optional<Error> misplaced(std::string_view name, bool isQueue, const Node& parent) const;
  static void addChild(Node& parent, Node& child);
  static void removeChild(Node& child);
  [[nodiscard]] static std::string pathOf(const Node& node);

  // Service: share_tree.cpp.
  static void refresh(Node* node) noexcept;
  static bool settle(Node& node) noexcept;
  static void serve(Node& parent, Node& child) noexcept;
  void endService() noexcept;

  HandleTable<Node, ShareNode> m_nodes;
  Node* m_root = nullptr;
  Node* m_served = nullptr;  // the queue of the request in service, until the next take()
  bool m_uncharged = false;  // that request awaits charge()
  std::uint64_t m_arrivals = 0;
};

}  // namespace tactus::periodic
