// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/task/bound_orders.h"
#include "core/periodic/task/dispatch_alarm.h"
#include "core/periodic/task/early_promotion.h"
#include "core/periodic/task/open_packet.h"
#include "core/periodic/task/packet_statistics.h"
#include "core/periodic/task/task.h"
#include "core/periodic/trace/trace.h"

namespace tactus::periodic {

/// The life of a task's packets, one after another: accept, process, complete or abandon. Everything in it
/// belongs to the bound thread; it meets the other threads in the objects of `Links`. Real-time-safe: yes,
/// all but the constructor and trace().
class PacketLoop {
 public:
  struct Links {
    TimeSource& time;
    KernelClassGate& gate;
    DispatchAlarm& alarm;
    const Interrupt& interrupt;
    TraceLog& trace;
    BoundOrders& orders;
    EarlyPromotion& promotion;
    OpenPacket& openPacket;
    PacketStatistics& statistics;
  };
  PacketLoop(const Links& links, const TaskContract& contract);

  /// A packet arrives, and the one before ends. Waits for its turn where `mayWait`.
  Enforced accept(std::optional<Duration> spacing, ByteCount size, std::optional<TimePoint> arrived,
                  bool mayWait) TACTUS_REALTIME;
  [[nodiscard]] Verdict poll(std::optional<Duration> spacing) const TACTUS_REALTIME;
  void complete(std::optional<TimePoint> deadline) TACTUS_REALTIME;
  void abandon(std::int64_t reason) TACTUS_REALTIME;

  /// Where its spans go. Before the first packet, under the table's lock.
  void trace(std::shared_ptr<TraceRing> ring) { m_ring = std::move(ring); }
  [[nodiscard]] bool traced() const noexcept { return m_ring != nullptr; }

 private:
  void finish(TimePoint now, std::optional<TimePoint> dueInstead) TACTUS_REALTIME;
  void applyOrders() TACTUS_REALTIME;
  void closePacket() TACTUS_REALTIME;
  void openPacket(bool isEarly) TACTUS_REALTIME;
  void forgive() TACTUS_REALTIME;
  void traceOrders() TACTUS_REALTIME;
  void record(TraceEvent event, TimePoint at, Duration length, std::int64_t value) TACTUS_REALTIME;

  const Links m_links;
  std::shared_ptr<TraceRing> m_ring;  // shared with the trace log, which exports it after the task ended
  LbapRegulator m_regulator;
  Duration m_relativeDeadline;  // of the contract; zero = one period
  const EarlyPackets m_early;
  const Duration m_spin;
  bool m_open = false;
  bool m_measured = false;  // m_cpuAtBegin belongs to a packet worth learning from
  bool m_lowered = false;   // by itself, for an early packet
  Duration m_cpuAtBegin{0};
  TimePoint m_logicalArrival;
  TimePoint m_begin;
  TimePoint m_deadline;
  int m_levelTraced = 0;
  std::int64_t m_shareTraced = 0;
};

}  // namespace tactus::periodic
