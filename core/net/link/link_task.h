// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/net/link/link.h"
#include "core/net/link/link_share.h"
#include "core/net/link/packet_batch.h"
#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/task/sporadic_thread.h"

namespace tactus::net {

/// What became of a request.
struct LinkOutcome {
  enum class What : std::uint8_t {
    Sent,       ///< the kernel has the datagram; without one: it is the caller's turn
    Late,       ///< it waited too long, and was not sent
    Failed,     ///< by the kernel; `error` says why
    TakenBack,  ///< its flow was closed
  } what = What::Sent;
  int error = 0;  ///< errno of Failed
};

/// A packet that waits for its turn on a link, and what is done then. The caller owns it and keeps it, with
/// all that it points to, until `done` was called.
struct LinkRequest : LinkPacket {
  /// Sent when it is its turn. Absent: `done` is told that it is, and the caller sends.
  std::optional<OutgoingPacket> datagram = {};
  /// Called once for an offer that was taken, on the link's thread or by whoever offers (offer() may do it
  /// before it returns); for TakenBack by takeBack() and close(). It is real-time-safe, and may offer again.
  void (*done)(LinkRequest&, LinkOutcome) noexcept = nullptr;

 private:
  friend class LinkTask;
  std::atomic<std::uint32_t>* m_counter = nullptr;  // of its flow
};

class LinkTask;

/// A flow of a link, with its share of the link held. Thread-safe: offer(), takeBack(), setWeight() and
/// figures(); the rest: no.
class LinkFlow {
 public:
  LinkFlow() = default;
  /// close().
  ~LinkFlow() { close(); }
  LinkFlow(LinkFlow&& other) noexcept;
  LinkFlow& operator=(LinkFlow&& other) noexcept;
  LinkFlow(const LinkFlow&) = delete;
  LinkFlow& operator=(const LinkFlow&) = delete;

  /// `request` waits for its turn, at most until `until`. If it is its turn it is sent at once, by the
  /// caller. Real-time-safe: yes (a mutex with priority inheritance, held for one operation of the tree;
  /// system calls that do not wait).
  [[nodiscard]] Offered offer(LinkRequest& request,
                              std::optional<periodic::TimePoint> until = {}) TACTUS_REALTIME;
  /// A request that still waits is taken back, and told so; for any other nothing happens: its outcome comes,
  /// or has come. Real-time-safe: yes.
  void takeBack(LinkRequest& request) TACTUS_REALTIME;
  /// Requests that wait are taken back, requests on their way are waited for. Nobody offers any more.
  /// Real-time-safe: no.
  void close() noexcept;
  /// Real-time-safe: no.
  [[nodiscard]] FlowFigures figures() const;
  /// Among the flows of its class, from now on. InvalidArgument: it is out of range. Real-time-safe: no.
  [[nodiscard]] Result<void> setWeight(double weight);
  [[nodiscard]] bool isOpen() const noexcept { return m_link != nullptr; }
  [[nodiscard]] FlowId id() const noexcept { return m_id; }

 private:
  friend class LinkTask;
  LinkTask* m_link = nullptr;
  FlowId m_id = FlowId::None;
  std::atomic<std::uint32_t>* m_counter = nullptr;  // the link's: requests without an outcome
  periodic::HeldShares m_share;
};

/// A link with the real-time task that serves it: it wakes when the link is free and something waits, takes
/// what is next and sends it in batches. What may go as it comes is sent by whoever offers it: no thread
/// needs to wake up. Outlives its flows. Thread-safe: yes.
class LinkTask {
 public:
  struct Options {
    std::string name = "link";  ///< shown to people, in refusals
    BitRate rate;
  };
  /// Errors: those of SporadicThread::start(). Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<LinkTask>> start(periodic::Scheduler& scheduler,
                                                               const Options& options);
  ~LinkTask();
  LinkTask(const LinkTask&) = delete;
  LinkTask& operator=(const LinkTask&) = delete;

  /// A flow whose contract, if it has one, is held against the link's rate. Real-time-safe: no.
  [[nodiscard]] Result<LinkFlow, periodic::ResourceRefusal> open(const FlowSpec& spec);
  /// A new rate; 0: nothing is sent, and what waits becomes late. Real-time-safe: no.
  void setRate(BitRate rate);
  /// Real-time-safe: yes (a mutex with priority inheritance).
  [[nodiscard]] BitRate rate() const TACTUS_REALTIME;
  /// Real-time-safe: no.
  [[nodiscard]] std::vector<FlowRow> rows() const;
  /// The link as a resource of streams' contracts.
  [[nodiscard]] const std::shared_ptr<LinkShare>& share() const noexcept { return m_share; }
  [[nodiscard]] periodic::Task& task() noexcept { return m_thread->task(); }

 private:
  friend class LinkFlow;
  LinkTask(periodic::TimeSource& time, const Options& options);
  [[nodiscard]] Offered offer(LinkFlow& flow, LinkRequest& request,
                              std::optional<periodic::TimePoint> until) TACTUS_REALTIME;
  void takeBack(LinkRequest& request) TACTUS_REALTIME;
  void close(LinkFlow& flow) noexcept;
  static void conclude(LinkRequest& request, LinkOutcome outcome) TACTUS_REALTIME;

  [[nodiscard]] periodic::NextRelease serve() TACTUS_REALTIME;
  [[nodiscard]] periodic::TimePoint nextLook() const TACTUS_REALTIME;
  // Of whoever serves:
  void pass() TACTUS_REALTIME;
  [[nodiscard]] bool take() TACTUS_REALTIME;
  void put(LinkRequest& request) TACTUS_REALTIME;
  void settle() TACTUS_REALTIME;
  void tell() TACTUS_REALTIME;

  periodic::TimeSource& m_time;
  const std::shared_ptr<LinkShare> m_share;  // shared with the contracts that hold a part of it

  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows, for one operation of the tree
  Link m_link;
  periodic::TimePoint m_planned = periodic::TimePoint::min();  // when the thread looks next; min(): it looks
  periodic::TimePoint m_retry = periodic::TimePoint::max();    // for what sockets did not take
  std::deque<std::atomic<std::uint32_t>> m_counters;  // requests of a flow without an outcome; never shrinks
  std::vector<std::atomic<std::uint32_t>*> m_unused;  // counters of no flow

  // Held by whoever serves the link; only its thread waits for it, and lends its priority meanwhile. Guards
  // what follows. All vectors have their capacity from the start.
  periodic::PriorityInheritanceMutex m_serving;
  PacketBatch m_batch;
  std::vector<LinkRequest*> m_sending;                       // in the batch, in its order
  std::vector<LinkRequest*> m_kept;                          // their sockets did not take them: tried again
  std::vector<std::pair<LinkRequest*, LinkOutcome>> m_told;  // told their outcome once the lock is free

  std::unique_ptr<periodic::SporadicThread> m_thread;  // declared last: it goes first
};

}  // namespace tactus::net
