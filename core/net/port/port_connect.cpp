// SPDX-License-Identifier: Apache-2.0
// How two ports become a stream: one asks, the other answers.
#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <variant>

#include "core/net/port/control_socket.h"
#include "core/net/port/port_core.h"
#include "core/net/stream/contract_match.h"

namespace tactus::net {

using namespace std::chrono_literals;
using periodic::TimePoint;

namespace {

/// So long a port waits for another to answer.
constexpr periodic::Duration kLongestAnswer = 5s;

Result<std::uint64_t> newSession() {
  std::uint64_t session = 0;
  if (getrandom(&session, sizeof session, 0) == static_cast<ssize_t>(sizeof session)) return session;
  return Error{ErrorCode::System, std::string("There are no random numbers: ") + std::strerror(errno)};
}

Error noAnswer() {
  return {ErrorCode::Timeout, "The other host does not answer."};
}

}  // namespace

Result<void> Port::Implementation::connect(const StreamAddress& other, const std::string& token) {
  const std::lock_guard operation(m_operation);
  if (m_terms.takesOver)
    return Error{ErrorCode::InvalidArgument,
                 "The port " + m_terms.name + " takes over the contract of a writer, which asks."};
  {
    const std::lock_guard lock(m_mutex);
    if (!m_life.can(StreamOperation::Connect)) return m_life.connect();
  }
  if (auto refused = refusalOfLink()) return Error{ErrorCode::Refused, *std::move(refused)};
  const TimePoint until = now() + kLongestAnswer;
  auto socket = dial(other, until);
  if (!socket.ok()) return socket.error();
  ControlConnection control(std::move(socket).value());
  auto path = DataPath::offer(m_contract, m_terms.type, control.descriptor(), control.isLocal());
  if (!path.ok()) return path.error();
  auto session = newSession();
  if (!session.ok()) return session.error();
  ConnectMessage message;
  message.contract = m_contract;
  message.name = other.name;
  message.token = token;
  message.type = m_terms.type;
  message.session = session.value();
  message.port = path.value().port(m_contract, m_terms.type);
  auto answer = ask(control, path.value(), other, message, until);
  if (!answer.ok()) return answer.error();
  const auto& accepted = std::get<AcceptedMessage>(answer.value().message);
  auto made = path.value().complete(m_contract, m_terms.type, control.descriptor(), accepted.port,
                                    std::move(answer.value().descriptors));
  if (made.ok()) made = makeEnd(std::move(path).value(), message.session);
  if (!made.ok()) {
    (void)control.send(ByeMessage{made.error().message});
    return made;
  }
  connected(std::move(control));
  return {};
}

/// What the link would say, asked before anybody else is.
std::optional<std::string> Port::Implementation::refusalOfLink() const {
  const auto bytes = byteContractOf(m_contract);
  if (!writes() || m_host.link == nullptr || !bytes) return std::nullopt;
  const auto rate = static_cast<double>(bytes->rate.bits());
  auto refusal = m_host.link->share()->test({m_terms.name, rate});
  if (!refusal) return std::nullopt;
  return std::move(refusal->sentence);
}

/// An AcceptedMessage with its descriptors.
Result<ControlArrival> Port::Implementation::ask(ControlConnection& control, DataPath& path,
                                                 const StreamAddress& other, ConnectMessage& message,
                                                 TimePoint until) {
  auto sent = control.send(message, path.descriptors());
  if (!sent.ok()) return sent.error();
  if (m_contract.transport == TransportKind::Tcp) {
    auto socket = dial(other, until);
    if (!socket.ok()) return socket.error();
    ControlConnection data(std::move(socket).value());
    sent = data.send(DataMessage{message.session});
    if (!sent.ok()) return sent.error();
    path.socket = data.take();
  }
  while (waitToRead(control.descriptor(), until)) {
    auto came = control.receive();
    if (!came.ok()) return came.error();
    if (!came.value()) continue;
    ControlArrival arrival = *std::move(came).value();
    if (std::holds_alternative<AcceptedMessage>(arrival.message)) return arrival;
    if (const auto* refused = std::get_if<RefusedMessage>(&arrival.message))
      return Error{errorCodeOf(refused->code), refused->sentence};
    return Error{ErrorCode::Corrupt, "The other host answers with what is no answer."};
  }
  return noAnswer();
}

Port::Implementation::Answer Port::Implementation::answer(ControlArrival& asked, ControlConnection& control,
                                                          Descriptor& data, RefusedMessage& why) {
  const auto& message = std::get<ConnectMessage>(asked.message);
  const auto refuse = [&](Refusal code, std::string sentence) {
    why = {code, std::move(sentence)};
    return Answer::Refused;
  };
  if (!sameToken(message.token, m_terms.token))
    return refuse(Refusal::Denied, "The token is not that of the port " + m_terms.name + ".");
  if (message.type == m_terms.type)
    return refuse(Refusal::Mismatch, "Both ports are of the type " + std::string(nameOf(m_terms.type)) + ".");
  if (auto misfit = misfitOf(message.contract); !misfit.empty())
    return refuse(Refusal::Mismatch, std::move(misfit));
  const std::unique_lock operation(m_operation, std::try_to_lock);
  if (!operation.owns_lock()) return Answer::Later;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_life.can(StreamOperation::Connect))
      return refuse(Refusal::Busy,
                    "The port " + m_terms.name + " is " + std::string(nameOf(m_life.state())) + ".");
  }
  if (m_terms.contract.transport == TransportKind::Tcp && !data) return Answer::Later;
  if (m_terms.takesOver)
    if (auto held = hold(takenOver(message.contract, m_terms.contract)); !held.ok())
      return refuse(Refusal::Busy, held.error().message);
  auto refused = take(asked, control, data);
  if (!refused) return Answer::Taken;
  if (m_terms.takesOver) giveBack();
  why = *std::move(refused);
  return Answer::Refused;
}

/// The connection becomes the stream's; absent: it has. Else why it cannot.
std::optional<RefusedMessage> Port::Implementation::take(ControlArrival& asked, ControlConnection& control,
                                                         Descriptor& data) {
  const auto& message = std::get<ConnectMessage>(asked.message);
  auto path = DataPath::offer(m_contract, m_terms.type, control.descriptor(), control.isLocal());
  if (!path.ok()) return RefusedMessage{Refusal::Unsupported, path.error().message};
  if (data) path.value().socket = std::move(data);
  auto made = path.value().complete(m_contract, m_terms.type, control.descriptor(), message.port,
                                    std::move(asked.descriptors));
  if (!made.ok()) return RefusedMessage{Refusal::Invalid, made.error().message};
  const AcceptedMessage accepted{path.value().port(m_contract, m_terms.type),
                                 path.value().ring.has_value() && writes()};
  const auto descriptors = writes() ? path.value().descriptors() : std::vector<int>();
  made = makeEnd(std::move(path).value(), message.session);
  if (!made.ok()) return RefusedMessage{Refusal::Busy, made.error().message};
  const auto sent = control.send(accepted, descriptors);
  connected(std::move(control));
  if (!sent.ok()) {
    const std::lock_guard lock(m_mutex);
    m_control.reset();
    leave(sent.error().message, now());
  }
  return std::nullopt;
}

/// Why a stream of this contract cannot come to this port; empty: it can.
std::string Port::Implementation::misfitOf(const StreamContract& theirs) const {
  return m_terms.takesOver ? excessOf(m_terms.contract, theirs) : mismatchOf(m_terms.contract, theirs);
}

Result<void> Port::Implementation::makeEnd(DataPath path, std::uint64_t session) {
  const StreamContract& contract = m_contract;
  if (writes()) {
    auto end = path.sendingEnd(contract, m_host.link, m_terms.name);
    if (!end.ok()) return end.error();
    const std::lock_guard lock(m_mutex);
    m_sendingEnd = std::move(end).value();
    m_writeLoop = std::make_unique<WriteLoop>(contract, session, m_writeHandler, *m_sendingEnd);
    return {};
  }
  auto end = path.receivingEnd(contract, session);
  if (!end.ok()) return end.error();
  const std::lock_guard lock(m_mutex);
  m_receivingEnd = std::move(end).value();
  m_readLoop = std::make_unique<ReadLoop>(contract, m_readHandler, *m_receivingEnd, now());
  return {};
}

void Port::Implementation::connected(ControlConnection control) {
  {
    const std::lock_guard lock(m_mutex);
    m_control = std::move(control);
    m_heard = now();
    m_started = {};
    (void)m_life.connect();
    sayState();
    m_changed.notify_all();
  }
  m_host.wake();
}

}  // namespace tactus::net
