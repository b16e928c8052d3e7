// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port_core.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace tactus::net {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;

namespace {

/// A handler that has not returned by then is said to hang.
constexpr Duration kLongestHandler = 5s;
/// What has left the sender before it said good-bye arrives within this, or the latency if that is longer.
constexpr Duration kStillOnItsWay = 1s;
/// A peer of which nothing is heard for so long has gone: its machine, or the way to it.
constexpr Duration kGone = 15s;

Error hangs(const std::string& name) {
  return {ErrorCode::Timeout, "The handler of the port " + name + " has not returned for 5 s."};
}

}  // namespace

Result<std::shared_ptr<Port::Implementation>> Port::Implementation::create(PortSurroundings surroundings,
                                                                           PortTerms terms) {
  const std::shared_ptr<Implementation> port(new Implementation(std::move(surroundings), std::move(terms)));
  if (!port->m_terms.takesOver)
    if (auto held = port->hold(port->m_terms.contract); !held.ok()) return held.error();
  // Last: a port that is refused leaves no entry behind.
  if (port->m_host.qos != nullptr) port->m_stream = port->m_host.qos->enter();
  return port;
}

/// Memory and processor for this contract; all or nothing.
Result<void> Port::Implementation::hold(const StreamContract& contract) {
  const auto bytes = static_cast<double>(memoryOf(contract, m_terms.type));
  auto memory = periodic::HeldShares::hold({{m_host.scheduler.memory(), {m_terms.name, bytes}}});
  if (!memory.ok()) return Error{ErrorCode::Refused, memory.error().sentence};
  auto thread =
      PortThread::create(m_host.scheduler, taskContractOf(contract, m_terms.type, m_terms.name), [this] {
        m_hasEnded.store(true, std::memory_order_release);
        m_host.wake();
      });
  if (!thread.ok()) return Error{thread.error().code, thread.error().sentence};
  m_memory = std::move(memory).value();
  m_thread = std::move(thread).value();
  const std::lock_guard lock(m_mutex);
  m_contract = contract;
  return {};
}

void Port::Implementation::giveBack() {
  m_thread.reset();
  m_memory.giveBack();
}

Result<void> Port::Implementation::attach(ReadHandler handler) {
  const std::lock_guard operation(m_operation);
  if (writes())
    return Error{ErrorCode::InvalidArgument,
                 "The port " + m_terms.name + " writes, and has no read handler."};
  auto attached = attach();
  if (attached.ok()) m_readHandler = std::move(handler);
  return attached;
}

Result<void> Port::Implementation::attach(WriteHandler handler) {
  const std::lock_guard operation(m_operation);
  if (!writes())
    return Error{ErrorCode::InvalidArgument,
                 "The port " + m_terms.name + " reads, and has no write handler."};
  auto attached = attach();
  if (attached.ok()) m_writeHandler = std::move(handler);
  return attached;
}

Result<void> Port::Implementation::attach() {
  const std::lock_guard lock(m_mutex);
  return m_life.attach();
}

Result<void> Port::Implementation::run(StreamOperation wanted) {
  const std::lock_guard operation(m_operation);
  const std::lock_guard lock(m_mutex);
  if (m_life.can(wanted)) {
    if (m_streamEnded)
      return Error{ErrorCode::InvalidArgument, "The stream of the port " + m_terms.name + " has ended."};
    m_started = now();
    m_thread->go(writes() ? static_cast<PortLoop&>(*m_writeLoop) : *m_readLoop);
  }
  auto done = wanted == StreamOperation::Start ? m_life.start() : m_life.resume();
  if (done.ok()) sayState();
  m_changed.notify_all();
  return done;
}

Result<void> Port::Implementation::halt(StreamOperation wanted) {
  const std::lock_guard operation(m_operation);
  {
    const std::lock_guard lock(m_mutex);
    if (!m_life.can(wanted)) return wanted == StreamOperation::Stop ? m_life.stop() : m_life.pause();
  }
  if (!m_thread->halt(kLongestHandler)) return hangs(m_terms.name);
  const std::lock_guard lock(m_mutex);
  auto done = wanted == StreamOperation::Stop ? m_life.stop() : m_life.pause();
  sayState();
  m_changed.notify_all();
  return done;
}

Result<void> Port::Implementation::disconnect() {
  const std::lock_guard operation(m_operation);
  {
    const std::lock_guard lock(m_mutex);
    if (!m_life.can(StreamOperation::Disconnect)) return m_life.disconnect({});
  }
  return letGo({}, "The other host has let go of the stream.", kLongestHandler) ? Result<void>()
                                                                                : hangs(m_terms.name);
}

void Port::Implementation::end() {
  const std::lock_guard operation(m_operation);
  while (!letGo({}, "The other host has closed its port.", kLongestHandler)) {
  }
  giveBack();
  // The host's thread may still look at this port: no loop ends any more, and there is no thread to ask.
  m_hasEnded.store(false, std::memory_order_relaxed);
  if (m_host.qos != nullptr) m_host.qos->leave(m_stream);
}

Result<void> Port::Implementation::await(StreamState state, Duration atMost) {
  std::unique_lock lock(m_mutex);
  if (m_changed.wait_for(lock, atMost, [&] { return m_life.state() == state; })) return {};
  return Error{ErrorCode::Timeout, "The port " + m_terms.name + " is " + std::string(nameOf(m_life.state())) +
                                       ", and does not become " + std::string(nameOf(state)) + "."};
}

PortQuery Port::Implementation::query() const {
  const std::lock_guard lock(m_mutex);
  PortQuery query = m_readLoop || m_writeLoop ? streamQuery() : m_last;
  query.state = m_life.state();
  query.contract = m_contract;
  query.error = m_life.lastError();
  queryQos(query);
  return query;
}

/// What is known of the stream that goes on.
PortQuery Port::Implementation::streamQuery() const {
  PortQuery query;
  if (m_readLoop) {
    query.figures = m_readLoop->figures();
    query.fault = m_readLoop->fault(now());
    query.buffers = query.figures.received;
    query.bytes = static_cast<std::uint64_t>(query.figures.bytes);
  }
  if (m_writeLoop) {
    query.buffers = m_writeLoop->buffers();
    query.bytes = m_writeLoop->bytes();
    if (m_report) {
      query.figures.received = m_report->received;
      query.figures.lost = m_report->lost;
      query.figures.late = m_report->late;
      query.figures.jitter = m_report->jitter;
      query.figures.delay = m_report->delay;
      if (m_report->judgement) query.fault = m_report->judgement->fault;
    }
  }
  return query;
}

/// The stream is over; handlers stay. `farewell`: why, for the peer; empty: it has ended as it should. False:
/// the handler has not returned within `atMost`.
bool Port::Implementation::letGo(const std::string& reason, const std::string& farewell, Duration atMost) {
  if (m_thread && !m_thread->halt(atMost)) return false;
  (void)(m_thread ? m_thread->takeEnded() : std::nullopt);
  {
    const std::lock_guard lock(m_mutex);
    if (m_readLoop) sayReport(now());
    say(ByeMessage{farewell});
    if (m_readLoop || m_writeLoop) m_last = streamQuery();
    m_control.reset();
    endJudging();
  }
  // Without a connection the host's thread asks nothing of the task.
  if (m_terms.takesOver) giveBack();
  m_hasEnded.store(false, std::memory_order_relaxed);
  std::unique_ptr<SendingEnd> sending;
  std::unique_ptr<ReceivingEnd> receiving;  // both close outside the lock
  std::unique_ptr<WriteLoop> writeLoop;
  std::unique_ptr<ReadLoop> readLoop;
  const std::lock_guard lock(m_mutex);
  m_leaving.reset();
  m_report.reset();
  m_streamEnded = false;
  sending = std::move(m_sendingEnd);
  receiving = std::move(m_receivingEnd);
  writeLoop = std::move(m_writeLoop);
  readLoop = std::move(m_readLoop);
  if (m_life.can(StreamOperation::Disconnect)) (void)m_life.disconnect(reason);
  m_changed.notify_all();
  return true;
}

void Port::Implementation::say(const HandshakeMessage& message) {
  if (!m_control) return;
  auto sent = m_control->send(message);
  if (sent.ok()) return;
  // Who closed the connection may have said why before: what was heard counts, not that nobody listens any
  // more.
  hearLocked(now());
  if (!m_control) return;
  m_control.reset();
  leave(sent.error().message, now());
}

SenderState Port::Implementation::senderState() const {
  if (m_streamEnded) return SenderState::Ended;
  if (m_life.state() == StreamState::Live) return SenderState::Live;
  // Before its start a sender owes nothing.
  return m_life.state() == StreamState::Paused || m_started == TimePoint() ? SenderState::Paused
                                                                           : SenderState::Stopped;
}

void Port::Implementation::tell(TimePoint now) {
  const std::lock_guard lock(m_mutex);
  if (!m_control) return;
  if (now - m_heard > kGone) {
    m_control.reset();
    leave("Nothing was heard from the other host for 15 s.", now);
    return;
  }
  beginJudging();
  judgeHere(now);
  sayState();
  if (m_readLoop) sayReport(now);
}

int Port::Implementation::descriptor() const {
  const std::lock_guard lock(m_mutex);
  return m_control ? m_control->descriptor() : -1;
}

void Port::Implementation::hear(TimePoint now) {
  const std::lock_guard lock(m_mutex);
  hearLocked(now);
}

void Port::Implementation::hearLocked(TimePoint now) {
  while (m_control) {
    auto arrival = m_control->receive();
    if (arrival.ok() && !arrival.value()) return;
    if (arrival.ok()) {
      hear(arrival.value()->message, now);
      continue;
    }
    m_control.reset();
    leave(arrival.error().message, now);
  }
}

void Port::Implementation::hear(const HandshakeMessage& message, TimePoint now) {
  m_heard = now;
  beginJudging();
  if (const auto* state = std::get_if<StateMessage>(&message); state != nullptr && m_readLoop) {
    m_readLoop->heartbeat(state->now, state->buffers, now);
    hearPeriods(*state);
    if (state->now == SenderState::Ended && !m_leaving) m_leaving = Leaving{{}, now, true};
  } else if (const auto* report = std::get_if<ReportMessage>(&message); report != nullptr && m_writeLoop) {
    hearReport(*report, now);
  } else if (const auto* bye = std::get_if<ByeMessage>(&message)) {
    m_control.reset();
    leave(bye->sentence, now);
  } else {
    m_control.reset();
    leave("The other host said what does not belong into a stream.", now);
  }
}

/// The peer has left.
void Port::Implementation::leave(std::string reason, TimePoint now) {
  // A reader that has all of the stream says good-bye.
  if (m_streamEnded) reason.clear();
  if (!m_leaving || m_leaving->byStream) m_leaving = Leaving{std::move(reason), now, m_leaving.has_value()};
  m_host.wake();
}

bool Port::Implementation::settle(TimePoint now) {
  {
    const std::lock_guard lock(m_mutex);
    if (!m_hasEnded.load(std::memory_order_acquire) && !m_leaving) return true;
  }
  const std::unique_lock operation(m_operation, std::try_to_lock);
  if (!operation.owns_lock()) return false;
  if (m_hasEnded.load(std::memory_order_acquire)) {
    hear(now);  // a peer that lets go says so before it closes what carries the data
    return settleEnded(now);
  }
  std::string reason;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_leaving) return true;
    const bool live = m_life.state() == StreamState::Live;
    // Who is at the end of the stream waits until it was read.
    if (m_leaving->byStream && m_control && !live) return true;
    const Duration patience = std::max(kStillOnItsWay, latencyOf(m_contract));
    if (m_readLoop && live && now - std::max(m_leaving->since, m_started) < patience) return false;
    reason = m_leaving->reason;
  }
  return letGo(reason, {}, Duration::zero());
}

/// The loop ended by itself: with the stream, or since something went wrong.
bool Port::Implementation::settleEnded(TimePoint now) {
  m_hasEnded.store(false, std::memory_order_relaxed);
  const auto ended = m_thread->takeEnded();
  if (!ended) return true;
  std::string reason = ended->sentence;
  {
    const std::lock_guard lock(m_mutex);
    if (ended->byStream && m_writeLoop) {
      m_streamEnded = true;
      (void)m_life.stop();
      sayState();
      m_changed.notify_all();
      return true;
    }
    // A connection that closes and a peer that said why are one thing.
    if (!ended->byStream && m_leaving && !m_leaving->reason.empty()) reason = m_leaving->reason;
  }
  if (letGo(reason, reason, Duration::zero())) return true;
  const std::lock_guard lock(m_mutex);
  m_leaving = Leaving{reason, now - kGone, false};
  return false;
}

}  // namespace tactus::net
