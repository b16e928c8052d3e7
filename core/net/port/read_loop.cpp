// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/read_loop.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>

#include "core/periodic/task/owned_thread.h"

namespace tactus::net {

using periodic::TimePoint;

namespace {

/// After a jump so many numbers are counted as lost one by one.
constexpr std::uint32_t kMostLost = 1000;

}  // namespace

ReadLoop::ReadLoop(const StreamContract& contract, const ReadHandler& handler, ReceivingEnd& end,
                   TimePoint now)
    : m_contract(contract),
      m_handler(handler),
      m_end(end),
      m_meter({contract.rate, jitterOf(contract), latencyOf(contract)}, now) {
  if (contract.isochronous)
    m_playout.emplace(PlayoutTerms{*contract.rate, jitterOf(contract), latencyOf(contract)});
}

std::optional<LoopEnded> ReadLoop::run(periodic::Task& task, LoopWake& wake) {
  try {
    if (m_playout) m_playout->restart();
    while (!wake.isRaised()) {
      m_end.receive(task.time().now());
      const bool over = m_playout ? deliverDue(task, wake) : deliverWhole(task, wake);
      if (over) return LoopEnded{.byStream = true};
      if (wake.isRaised()) break;
      // What came before the end broke was delivered.
      if (auto broken = m_end.broken(); broken && !m_held)
        return LoopEnded{.sentence = std::move(broken->sentence)};
      wake.wait(m_end.wait(), due());
    }
    return std::nullopt;
  } catch (const std::exception& thrown) {
    return LoopEnded{.sentence = std::string("The handler threw: ") + thrown.what() + "."};
  } catch (...) {
    return LoopEnded{.sentence = "The handler threw what is no exception."};
  }
}

bool ReadLoop::deliverWhole(periodic::Task& task, LoopWake& wake) {
  while (!wake.isRaised()) {
    if (!m_held) m_held = m_end.next(task.time().now());
    if (!m_held) return false;
    if (m_held->end) return true;
    // Interrupted: it is delivered when the port is live again.
    if (!periodic::OwnedThread::begin(task, m_held->arrived)) return false;
    account(*m_held, {}, task.time().now());
    m_handler({m_held->number, m_held->made, m_held->bytes});
    task.complete();
    letGo();
  }
  return false;
}

/// A buffer that is in order waits here until it is due.
void ReadLoop::fetch(TimePoint now) {
  while (!m_held) {
    m_held = m_end.next(now);
    if (!m_held || m_held->end) return;
    if (m_playout->arrived(m_held->number, m_held->arrived) == Playout::Arrival::InTime) return;
    account(*m_held, {}, now);  // too late to be of use
    letGo();
  }
}

void ReadLoop::letGo() {
  m_held.reset();
  m_end.release();
}

bool ReadLoop::deliverDue(periodic::Task& task, LoopWake& wake) {
  fetch(task.time().now());
  while (!wake.isRaised() && m_playout->due() <= task.time().now()) {
    const TimePoint due = m_playout->due();
    // What is before the one that is due was passed over.
    while (m_held && !m_held->end && static_cast<std::int32_t>(m_held->number - m_playout->next()) < 0) {
      letGo();
      fetch(task.time().now());
    }
    if (m_held && m_held->end) return true;
    if (!periodic::OwnedThread::begin(task, due)) return false;
    if (m_held && m_held->number == m_playout->next()) {
      account(*m_held, due, task.time().now());
      m_handler({m_held->number, m_held->made, m_held->bytes});
      letGo();
    } else {
      m_handler({m_playout->next(), {}, {}});
    }
    task.complete();
    m_playout->advance();
    m_end.receive(task.time().now());
    fetch(task.time().now());
  }
  // Before the first buffer nothing is due, and an end is one at once.
  return m_held && m_held->end && m_playout->due() == TimePoint::max();
}

/// The meter hears of the buffer, and of those before it that did not come.
void ReadLoop::account(const AssembledBuffer& buffer, TimePoint due, TimePoint begun) {
  const std::lock_guard lock(m_mutex);
  const std::uint32_t missing = buffer.number - m_expected;
  if (missing < UINT32_MAX / 2)
    for (std::uint32_t i = std::min(missing, kMostLost); i > 0; --i) m_meter.lost(buffer.number - i, begun);
  m_expected = buffer.number + 1;
  (void)m_meter.received({buffer.number, buffer.made, buffer.arrived, due, begun, buffer.bytes.size()});
}

TimePoint ReadLoop::due() const {
  return m_playout ? m_playout->due() : TimePoint::max();
}

void ReadLoop::heartbeat(SenderState state, std::uint64_t buffers, TimePoint now) {
  const std::lock_guard lock(m_mutex);
  m_meter.heartbeat(state, buffers, now);
}

StreamFigures ReadLoop::figures() const {
  const std::lock_guard lock(m_mutex);
  return m_meter.figures();
}

StreamFault ReadLoop::fault(TimePoint now) const {
  const std::lock_guard lock(m_mutex);
  return m_meter.fault(now);
}

bool ReadLoop::isSilent(TimePoint now) const {
  const std::lock_guard lock(m_mutex);
  return m_meter.silent(now);
}

}  // namespace tactus::net
