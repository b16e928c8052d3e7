// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/packet_loop.h"

#include <algorithm>

namespace tactus::periodic {
namespace {

// relaxed: see BoundOrders.
constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

PacketLoop::PacketLoop(const Links& links, const TaskContract& contract)
    : m_links(links),
      m_regulator(contract.lbap),
      m_relativeDeadline(contract.deadline),
      m_early(contract.early),
      m_spin(contract.spin) {}

void PacketLoop::record(TraceEvent event, TimePoint at, Duration length, std::int64_t value) TACTUS_REALTIME {
  if (m_ring && m_links.trace.enabled()) m_ring->push({at, length, value, event});
}

void PacketLoop::applyOrders() TACTUS_REALTIME {
  auto& orders = m_links.orders;
  if (const auto terms = orders.terms.take()) {
    m_regulator.change(terms->lbap);
    m_relativeDeadline = terms->deadline;
  }
  // The loads spare the exchanges, which cost a bus lock each, on every packet without news.
  // acquire: whatever moved the stream is done before its regulator starts anew.
  if (orders.reanchor.load(kRelaxed) && orders.reanchor.exchange(false, std::memory_order_acquire)) {
    m_regulator.reanchor();
    record(TraceEvent::Reanchor, m_links.time.now(), Duration{0}, 0);
  }
  if (orders.clear.load(kRelaxed) && orders.clear.exchange(false, std::memory_order_acquire))
    m_links.statistics.clear();
}

void PacketLoop::finish(TimePoint now, std::optional<TimePoint> dueInstead) TACTUS_REALTIME {
  m_open = false;
  const Duration left = dueInstead.value_or(m_deadline) - now;
  m_links.statistics.recordCompletion(left, now - std::min(m_logicalArrival, m_begin));
  record(TraceEvent::Run, m_begin, now - m_begin, left.count());
  if (left < Duration::zero()) record(TraceEvent::Miss, now, Duration{0}, -left.count());
}

/// The packet before is over, completed or not: its CPU time is learned, and the thread is back at its level.
void PacketLoop::closePacket() TACTUS_REALTIME {
  auto& orders = m_links.orders;
  const Duration cpu = m_links.time.threadCpu();
  if (m_measured && !orders.hasWorkers.load(kRelaxed)) m_links.statistics.estimate.record(cpu - m_cpuAtBegin);
  bool below = false;
  // acquire: made by another thread.
  if (BudgetSignal* const signal = orders.signal.load(std::memory_order_acquire)) {
    signal->disarm();
    below = signal->overran();
    if (below) record(TraceEvent::Overrun, m_links.time.now(), Duration{0}, signal->lastExcess().count());
  }
  if (m_links.openPacket.end()) {
    below = true;
    record(TraceEvent::Overrun, m_links.time.now(), Duration{0}, 0);
  }
  if (m_lowered) {
    m_lowered = false;
    below = m_links.promotion.end() || below;
  }
  if (const int own = orders.ownLevel.load(kRelaxed); below && own > 0) KernelClassGate::setOwnLevel(own);
  m_cpuAtBegin = cpu;  // what the wait takes belongs to the packet it is for
}

/// By how much a packet exceeded its time is told with the packet: until the next one begins its thread has
/// its level, and another budget.
void PacketLoop::forgive() TACTUS_REALTIME {
  auto& orders = m_links.orders;
  BudgetSignal* const signal = orders.signal.load(std::memory_order_acquire);
  const int own = orders.ownLevel.load(kRelaxed);
  if (signal == nullptr || !signal->overran() || own <= 0 || m_links.promotion.pending()) return;
  record(TraceEvent::Overrun, m_links.time.now(), Duration{0}, signal->lastExcess().count());
  signal->begin(m_links.time.threadCpu(), Duration(orders.budget.load(kRelaxed)));
  KernelClassGate::setOwnLevel(own);
}

/// Processing begins: an early packet below, until its logical arrival time; any packet with its budget.
void PacketLoop::openPacket(bool isEarly) TACTUS_REALTIME {
  auto& orders = m_links.orders;
  m_measured = true;
  const bool supervisable = orders.ownLevel.load(kRelaxed) > 0;
  if (BudgetSignal* const signal = orders.signal.load(std::memory_order_acquire); signal && supervisable)
    signal->begin(m_cpuAtBegin, Duration(orders.budget.load(kRelaxed)));
  m_links.openPacket.begin(m_cpuAtBegin);
  if (isEarly && supervisable && (m_early == EarlyPackets::Demoted || m_early == EarlyPackets::Idle)) {
    m_lowered = true;
    m_links.promotion.arrange(m_logicalArrival);
    m_links.alarm.lookAt(m_logicalArrival);
    if (m_early == EarlyPackets::Idle) {
      m_links.gate.setOwnIdle();
    } else {
      KernelClassGate::setOwnLevel(orders.overrunLevel.load(kRelaxed));
    }
    m_links.promotion.lowered();
  }
  if (m_links.trace.enabled()) traceOrders();
}

void PacketLoop::traceOrders() TACTUS_REALTIME {
  if (const int now = m_links.orders.level.load(kRelaxed); now != m_levelTraced) {
    record(now > 0 ? TraceEvent::Granted : TraceEvent::Demoted, m_begin, Duration{0}, now);
    m_levelTraced = now;
  }
  if (const std::int64_t now = m_links.orders.share.load(kRelaxed); now != m_shareTraced) {
    record(TraceEvent::Reserved, m_begin, Duration{0}, now);
    m_shareTraced = now;
  }
}

Enforced PacketLoop::accept(std::optional<Duration> spacing, ByteCount size, std::optional<TimePoint> arrived,
                            bool mayWait) TACTUS_REALTIME {
  const TimePoint arrival = m_links.time.now();
  if (m_open) finish(arrival, {});
  closePacket();
  applyOrders();
  const Verdict verdict = m_regulator.arrive(std::min(arrival, arrived.value_or(arrival)), spacing, size);
  m_links.statistics.countPacket();
  Enforced result{verdict.logicalArrival, Duration{0}, false};
  m_begin = arrival;
  if (verdict.release > arrival || size > m_regulator.contract().maxPacketSize)
    m_links.statistics.countViolation();
  if (mayWait && verdict.release > arrival) {
    result.interrupted =
        m_links.time.sleepUntil(verdict.release - m_spin, m_links.interrupt) == Wake::Interrupted;
    if (m_spin > Duration::zero() && !result.interrupted) m_links.time.spinUntil(verdict.release);
    m_begin = m_links.time.now();
    result.waited = m_begin - arrival;
    record(TraceEvent::Enforce, arrival, result.waited, 0);
    if (!result.interrupted)
      record(TraceEvent::Wake, m_begin, Duration{0}, (m_begin - verdict.release).count());
  }
  m_links.statistics.recordWait(result.waited);
  m_logicalArrival = verdict.logicalArrival;
  Duration relative = m_relativeDeadline;
  if (relative <= Duration::zero())
    relative = spacing && *spacing > Duration::zero() ? *spacing : m_regulator.contract().rate.period();
  m_deadline = m_logicalArrival + relative;
  m_open = true;
  openPacket(mayWait && m_begin < m_logicalArrival);
  return result;
}

Verdict PacketLoop::poll(std::optional<Duration> spacing) const TACTUS_REALTIME {
  return m_regulator.poll(m_links.time.now(), spacing);
}

void PacketLoop::complete(std::optional<TimePoint> deadline) TACTUS_REALTIME {
  if (!m_open) return;
  finish(m_links.time.now(), deadline);
  forgive();
}

void PacketLoop::abandon(std::int64_t reason) TACTUS_REALTIME {
  m_measured = false;  // given up: it says nothing about what a packet costs
  if (!m_open) return;
  m_open = false;
  record(TraceEvent::Drop, m_links.time.now(), Duration{0}, reason);
  forgive();
}

}  // namespace tactus::periodic
