// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/read_loop.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/periodic/task/owned_thread.h"

namespace tactus::net {

using periodic::TimePoint;

namespace {

/// After a jump so many numbers are counted as lost one by one.
constexpr std::uint32_t kMostLost = 1000;

}  // namespace

ReadLoop::ReadLoop(const StreamContract& contract, const ReadHandler& handler, ReceivingEnd& end,
                   TimePoint now)
    : m_hasRate(contract.rate.has_value()),
      m_patience(assemblyOf(contract).patience),
      m_handler(handler),
      m_end(end),
      m_looked(now),
      m_unseen(assemblyOf(contract).window + 1),
      m_meter({contract.rate, jitterOf(contract), latencyOf(contract), contract.toleratedLoss}, now) {
  if (contract.rate) m_judgedPeriod = m_calledPeriod = contract.rate->period();
  if (contract.isochronous)
    m_playout.emplace(PlayoutTerms{*contract.rate, jitterOf(contract), latencyOf(contract)});
}

std::optional<LoopEnded> ReadLoop::run(periodic::Task& task, LoopWake& wake) {
  try {
    TimePoint now = task.time().now();
    begin(now);
    while (!wake.isRaised()) {
      receive(now);
      switch (deliver(task, wake)) {
        case Delivered::Some:
          now = task.time().now();
          continue;  // something may have come meanwhile
        case Delivered::End:
          return LoopEnded{.byStream = true};
        case Delivered::Interrupted:
          return std::nullopt;
        case Delivered::Nothing:
          break;
      }
      // What came before the end broke was delivered.
      if (auto broken = m_end.broken(); broken && !m_held)
        return LoopEnded{.sentence = std::move(broken->sentence)};
      now = look(task, wake);
    }
    return std::nullopt;
  } catch (...) {
    return handlerThrew(task);
  }
}

void ReadLoop::begin(TimePoint now) {
  m_started = now;
  m_caughtUp.reset();
  m_judges = false;
  if (m_playout) {
    m_playout->restart();
    if (m_held && !m_held->end) (void)m_playout->arrived(m_held->number, now);
  }
  const std::lock_guard lock(m_mutex);
  m_meter.heard(now);
}

/// Takes what has come.
void ReadLoop::receive(TimePoint now) {
  m_end.receive(now);
  const std::uint64_t came = m_end.came();
  if (came == m_came) return;
  m_came = came;
  if (now > m_looked) m_unseen.note(now, now - m_looked);
}

/// Waits for more. Returns until when.
TimePoint ReadLoop::look(periodic::Task& task, LoopWake& wake) {
  const EndWait wait = m_end.wait();
  const bool looks = wait.descriptor >= 0;  // else what comes stays where it is
  m_looks.store(looks, std::memory_order_relaxed);
  wake.wait(wait, m_playout ? m_playout->due() : TimePoint::max());
  const TimePoint now = task.time().now();
  m_looks.store(false, std::memory_order_relaxed);
  if (!looks) return now;
  m_looked = now;
  if (!m_caughtUp) m_caughtUp = now;
  return now;
}

ReadLoop::Delivered ReadLoop::deliver(periodic::Task& task, LoopWake& wake) {
  if (m_playout) return deliverDue(task, wake);
  return m_hasRate ? deliverWhole(task, wake) : deliverTurn(task, wake);
}

ReadLoop::Delivered ReadLoop::deliverWhole(periodic::Task& task, LoopWake& wake) {
  Delivered delivered = Delivered::Nothing;
  while (!wake.isRaised()) {
    if (!m_held) take(task.time().now());
    if (!m_held) return delivered;
    if (m_held->end) return Delivered::End;
    const periodic::Verdict verdict = task.poll();
    // What came while nobody looked conforms if it may have come in time, and catches up. Interrupted: it is
    // delivered when the port is live again.
    if (!periodic::OwnedThread::begin(task, earliest(*m_held))) return Delivered::Interrupted;
    const bool waited = verdict.conformance == periodic::Conformance::Violation;
    hand(waited ? verdict.release : TimePoint(), task.time().now());
    task.complete();
    delivered = Delivered::Some;
  }
  return delivered;
}

/// Of a stream without a rate: what a packet costs the scheduler, several small buffers share.
ReadLoop::Delivered ReadLoop::deliverTurn(periodic::Task& task, LoopWake& wake) {
  TimePoint now = task.time().now();
  const TimePoint until = now + kLongestTurn;
  if (!m_held) take(now);
  if (!m_held) return Delivered::Nothing;
  if (m_held->end) return Delivered::End;
  if (!periodic::OwnedThread::begin(task, earliest(*m_held))) return Delivered::Interrupted;
  now = task.time().now();
  while (m_held && !m_held->end) {
    hand({}, now);
    now = task.time().now();
    if (wake.isRaised() || now >= until) break;
    take(now);
  }
  task.complete();
  return Delivered::Some;
}

ReadLoop::Delivered ReadLoop::deliverDue(periodic::Task& task, LoopWake& wake) {
  Delivered delivered = Delivered::Nothing;
  followRate(task.time().now());
  fetch(task.time().now());
  while (!wake.isRaised() && m_playout->due() <= task.time().now()) {
    const TimePoint due = m_playout->due();
    if (m_held && m_held->end) return Delivered::End;
    if (!periodic::OwnedThread::begin(task, due)) return Delivered::Interrupted;
    if (m_held && m_held->number == m_playout->next()) {
      hand(due, task.time().now());
    } else {
      m_handler({m_playout->next(), {}, {}});
    }
    task.complete();
    m_playout->advance();
    delivered = Delivered::Some;
    receive(task.time().now());
    fetch(task.time().now());
  }
  // Before the first buffer nothing is due, and an end is one at once.
  const bool ends = m_held && m_held->end && m_playout->due() == TimePoint::max();
  return ends ? Delivered::End : delivered;
}

/// The next buffer in order. The meter hears of those before it that did not come.
void ReadLoop::take(TimePoint now) {
  m_held = m_end.next(now);
  if (!m_held) return;
  if (m_hasRate) {  // without a rate it is handed over at once, and received() tells the meter
    const std::lock_guard lock(m_mutex);
    m_meter.heard(now);
  }
  const std::uint32_t missing = m_held->number - m_expected;  // numbers wrap
  m_expected = m_held->number + 1;
  if (missing != 0) m_inOrder = std::min(now, m_held->arrived + m_patience);
  if (missing != 0 && missing <= INT32_MAX) {
    if (m_judges) {
      const std::lock_guard lock(m_mutex);
      for (std::uint32_t i = std::min(missing, kMostLost); i > 0; --i) m_meter.lost(m_held->number - i, now);
    } else if (m_playout) {
      m_playout->restart();  // of no use before the halt ended
    }
  }
  if (m_caughtUp && m_held->arrived >= *m_caughtUp) m_judges = true;
}

/// When a buffer may have come.
TimePoint ReadLoop::earliest(const AssembledBuffer& buffer) const {
  return buffer.arrived - m_unseen.of(buffer.arrived);
}

/// A buffer that is in order waits here until it is due: its number is never below the one that is due.
void ReadLoop::fetch(TimePoint now) {
  while (!m_held) {
    take(now);
    if (!m_held || m_held->end) return;
    // What came while nobody looked may have come in time; but all begins with a buffer that is here.
    const bool begins = m_playout->due() == TimePoint::max();
    const TimePoint at = begins ? m_held->arrived : earliest(*m_held);
    if (m_playout->arrived(m_held->number, at) == Playout::Arrival::Late) passOver();
  }
}

/// The buffer that is held is not for the handler: its turn has passed.
void ReadLoop::passOver() {
  account(*m_held, {}, m_held->arrived);
  letGo();
}

/// Gives the buffer that is held to the handler; it is let go whatever that does.
void ReadLoop::hand(TimePoint heldUntil, TimePoint begun) {
  struct LetGo {
    ReadLoop& loop;
    ~LetGo() { loop.letGo(); }
  } const letGo{*this};
  account(*m_held, heldUntil, begun);
  m_handler({m_held->number, m_held->made, m_held->bytes});
}

void ReadLoop::letGo() {
  m_held.reset();
  m_end.release();
}

/// `heldUntil`: by the LBAP, or until it was due; long ago: it was not.
void ReadLoop::account(const AssembledBuffer& buffer, TimePoint heldUntil, TimePoint begun) {
  BufferTimes times;
  times.number = buffer.number;
  times.made = buffer.made;
  times.arrived = buffer.arrived;
  times.due = std::max({heldUntil, m_started, m_inOrder});
  times.begun = begun;
  times.bytes = buffer.bytes.size();
  times.unseen = m_unseen.of(buffer.arrived);
  const std::lock_guard lock(m_mutex);
  (void)m_meter.received(times);
}

void ReadLoop::heartbeat(SenderState state, std::uint64_t buffers, TimePoint now) {
  const std::lock_guard lock(m_mutex);
  m_meter.heartbeat(state, buffers, now);
}

StreamFigures ReadLoop::figures() const {
  const std::lock_guard lock(m_mutex);
  return m_meter.figures();
}

/// As it is to be asked: there is no silence while the loop does not wait for data.
StreamMeter ReadLoop::meterLocked(TimePoint now) const {
  StreamMeter meter = m_meter;
  if (!m_looks.load(std::memory_order_relaxed)) meter.heard(now);
  return meter;
}

StreamFault ReadLoop::fault(TimePoint now) const {
  const std::lock_guard lock(m_mutex);
  return meterLocked(now).fault(now);
}

StreamJudgement ReadLoop::judgement(TimePoint now) const {
  const std::lock_guard lock(m_mutex);
  return meterLocked(now).judgement(now);
}

void ReadLoop::setRates(const periodic::Rate& judged, const periodic::Rate& called) {
  const std::lock_guard lock(m_mutex);
  if (m_playout && called.period() != m_calledPeriod) m_newRate = called;
  m_calledPeriod = called.period();
  if (judged.period() == m_judgedPeriod) return;
  m_judgedPeriod = judged.period();
  m_meter.setRate(judged);
}

void ReadLoop::followRate(TimePoint now) {
  const std::lock_guard lock(m_mutex);
  if (m_newRate) m_playout->setRate(*m_newRate, now);
  m_newRate.reset();
}

bool ReadLoop::isSilent(TimePoint now) const {
  if (!m_looks.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(m_mutex);
  return m_meter.silent(now);
}

}  // namespace tactus::net
