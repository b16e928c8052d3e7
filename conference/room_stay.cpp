// SPDX-License-Identifier: Apache-2.0
#include "conference/room_stay.h"

#include <algorithm>
#include <utility>

namespace tactus::conference {
namespace {

using periodic::MonotonicClock;

/// Below what a host allows (docs/room-protocol.md), with room for pings.
constexpr Budget kBudget{80, 15};
constexpr std::size_t kMostRequests = 256;
constexpr periodic::Duration kPumpEvery = std::chrono::milliseconds(50);
constexpr periodic::Duration kLevelEvery = std::chrono::milliseconds(200);
constexpr periodic::Duration kFarewell = std::chrono::seconds(2);

RoomEndReason reasonOf(SocketEnd::Why why) {
  switch (why) {
    case SocketEnd::Why::NotFound:
      return RoomEndReason::NotFound;
    case SocketEnd::Why::Impostor:
      return RoomEndReason::Impostor;
    case SocketEnd::Why::Unsupported:
      return RoomEndReason::Unsupported;
    case SocketEnd::Why::Broken:
    case SocketEnd::Why::Unreachable:
      break;
  }
  return RoomEndReason::Unreachable;
}

RoomEndReason reasonOf(server::CloseReason reason) {
  switch (reason) {
    case server::CloseReason::Left:
      return RoomEndReason::Left;
    case server::CloseReason::Removed:
      return RoomEndReason::Removed;
    case server::CloseReason::Resumed:
      return RoomEndReason::Elsewhere;
    case server::CloseReason::Flood:
      return RoomEndReason::Flood;
    case server::CloseReason::RoomEnds:
      break;
  }
  return RoomEndReason::RoomEnds;
}

}  // namespace

RoomStay::RoomStay(GMainContext* context, RoomLink link, RoomListener& listener, const RoomPatience& patience,
                   SharedStay& shared)
    : m_context(context),
      m_link(std::move(link)),
      m_listener(listener),
      m_patience(patience),
      m_shared(shared),
      m_backoff(patience.shortestWait, patience.longestWait),
      m_budget(kBudget),
      m_retry(context),
      m_watch(context),
      m_pump(context),
      m_levelTimer(context),
      m_farewell(context) {}

void RoomStay::join(const std::string& name) {
  if (m_phase != RoomPhase::Idle) return m_listener.failed({"A room can be joined only once.", {}});
  m_name = name;
  setPhase(RoomPhase::Joining);
  connect();
}

void RoomStay::leave() {
  if (m_phase == RoomPhase::Ended) return;
  const RoomEnd left{RoomEndReason::Left, {}, "You left the room."};
  if (!m_isOpen) return end(left);
  m_socket->send(toJson(client::Leave{}));
  m_farewell.start(kFarewell, [this, left] { end(left); });
}

void RoomStay::connect() {
  m_socket = std::make_unique<RoomSocket>(
      m_context, m_link, m_patience.connect,
      RoomSocket::Callbacks{[this] { onOpened(); }, [this](std::string_view json) { onHeard(json); },
                            [this](const SocketEnd& end) { onSocketEnded(end); }});
}

void RoomStay::onOpened() {
  m_isOpen = true;
  m_heardAt = MonotonicClock::now();
  m_socket->send(toJson(client::Join{m_name, ClientKind::Tactus, m_session}));
  m_watch.start(m_patience.ping, [this] { watch(); });
}

/// A host whose machine or network died says nothing, not even that the connection is over.
void RoomStay::watch() {
  if (MonotonicClock::now() - m_heardAt >= m_patience.silence)
    return onSocketEnded({SocketEnd::Why::Broken, "The host says nothing any more."});
  m_socket->send(toJson(client::Ping{0}));
  m_watch.start(m_patience.ping, [this] { watch(); });
}

void RoomStay::onHeard(std::string_view json) {
  m_heardAt = MonotonicClock::now();
  const auto message = parseServerMessage(json);
  if (!message && message.error().code == ErrorCode::Unsupported) return;  // of a later version
  if (!message)
    return end({RoomEndReason::Unsupported,
                {},
                "The host does not keep to the protocol. " + message.error().message});
  if (const auto* const joined = std::get_if<server::Joined>(&message.value())) return on(*joined);
  if (const auto* const refused = std::get_if<server::Refused>(&message.value())) return on(*refused);
  if (const auto* const closed = std::get_if<server::Closed>(&message.value())) return on(*closed);
  if (std::holds_alternative<server::Waiting>(message.value())) return setPhase(RoomPhase::Waiting);
  if (m_phase == RoomPhase::Joined) tell(message.value());
}

void RoomStay::on(const server::Joined& joined) {
  const std::vector<TrackInfo> known = m_teller.view().you.tracks;
  m_session = joined.session;
  m_backoff.reset();
  m_teller.apply(joined);
  {
    const std::lock_guard lock(m_shared.mutex);
    m_shared.session = m_session;
    m_shared.view = m_teller.view();
  }
  setPhase(RoomPhase::Joined);
  m_teller.tell(joined, m_listener);
  // Published just before the connection broke: whoever wanted it was told that it failed.
  for (const TrackInfo& track : joined.you.tracks)
    if (std::none_of(known.begin(), known.end(),
                     [&](const TrackInfo& each) { return each.sid == track.sid; }))
      request(client::Unpublish{track.sid});
}

void RoomStay::on(const server::Refused& refused) {
  end({refused.reason == RefusalReason::Removed && m_session ? RoomEndReason::Removed
                                                             : RoomEndReason::Refused,
       refused.reason, refused.message});
}

void RoomStay::on(const server::Closed& closed) {
  end({reasonOf(closed.reason), {}, closed.message});
}

void RoomStay::tell(const ServerMessage& message) {
  m_teller.apply(message);
  {
    const std::lock_guard lock(m_shared.mutex);
    m_shared.view = m_teller.view();
  }
  if (const auto* const published = std::get_if<server::Published>(&message)) answered(published->cid);
  if (const auto* const error = std::get_if<server::Error>(&message); error != nullptr && error->cid)
    answered(*error->cid);
  m_teller.tell(message, m_listener);
}

void RoomStay::answered(const std::string& cid) {
  const auto found = std::find(m_publishing.begin(), m_publishing.end(), cid);
  if (found != m_publishing.end()) m_publishing.erase(found);
}

void RoomStay::onSocketEnded(const SocketEnd& socketEnd) {
  m_socket.reset();
  m_watch.stop();
  m_isOpen = false;
  if (m_farewell.isRunning()) return end({RoomEndReason::Left, {}, "You left the room."});
  if (m_phase != RoomPhase::Joined && m_phase != RoomPhase::Reconnecting)
    return end({reasonOf(socketEnd.why), {}, socketEnd.sentence});
  comeBackOrEnd(socketEnd);
}

void RoomStay::comeBackOrEnd(const SocketEnd& socketEnd) {
  if (socketEnd.why != SocketEnd::Why::Broken && socketEnd.why != SocketEnd::Why::Unreachable)
    return end({reasonOf(socketEnd.why), {}, socketEnd.sentence});
  const auto now = MonotonicClock::now();
  if (m_phase == RoomPhase::Joined) {
    m_brokenAt = now;
    dropRequests();
    setPhase(RoomPhase::Reconnecting);
  }
  if (m_phase != RoomPhase::Reconnecting) return;  // the listener left
  if (now - m_brokenAt >= m_patience.giveUp)
    return end({RoomEndReason::RoomEnds, {}, "The host of the room is gone. " + socketEnd.sentence});
  m_retry.start(m_backoff.wait(), [this] { connect(); });
  m_backoff.fail();
}

void RoomStay::request(const ClientMessage& message) {
  if (m_phase == RoomPhase::Reconnecting)
    return fail("The connection to the room is broken at present; try again.", message);
  if (m_phase != RoomPhase::Joined) return fail("You are not in the room.", message);
  // What the host would not understand is not sent: a message that is too long would end the connection.
  const auto checked = parseClientMessage(toJson(message));
  if (!checked) return fail(checked.error().message, message);
  if (m_requests.size() >= kMostRequests) return fail("Too much is asked for at once; try again.", message);
  m_requests.push_back(message);
  pump();
}

void RoomStay::pump() {
  while (!m_requests.empty() && m_budget.take(MonotonicClock::now())) {
    m_socket->send(toJson(m_requests.front()));
    if (const auto* const publish = std::get_if<client::Publish>(&m_requests.front()))
      m_publishing.push_back(publish->cid);
    m_requests.pop_front();
  }
  if (!m_requests.empty() && !m_pump.isRunning()) m_pump.start(kPumpEvery, [this] { pump(); });
}

void RoomStay::dropRequests() {
  m_pump.stop();
  for (const std::string& cid : std::exchange(m_publishing, {}))
    m_listener.failed({"The connection to the room broke while the track was published; try again.", cid});
  for (const ClientMessage& each : std::exchange(m_requests, {}))
    fail("The connection to the room broke before this was said; try again.", each);
}

void RoomStay::reportLevel(double level) {
  m_level = level;
  if (!m_levelTimer.isRunning()) sayLevel();
}

void RoomStay::sayLevel() {
  const auto level = std::exchange(m_level, std::nullopt);
  if (!level) return;
  if (m_phase == RoomPhase::Joined) request(client::Level{*level});
  m_levelTimer.start(kLevelEvery, [this] { sayLevel(); });
}

void RoomStay::fail(std::string sentence, const ClientMessage& message) {
  RoomFault fault{std::move(sentence), {}};
  if (const auto* const publish = std::get_if<client::Publish>(&message)) fault.cid = publish->cid;
  m_listener.failed(fault);
}

void RoomStay::setPhase(RoomPhase phase) {
  if (m_phase == phase) return;
  m_phase = phase;
  {
    const std::lock_guard lock(m_shared.mutex);
    m_shared.phase = phase;
  }
  m_listener.phaseChanged(phase);
}

void RoomStay::end(RoomEnd end) {
  if (m_phase == RoomPhase::Ended) return;
  m_socket.reset();
  m_isOpen = false;
  for (ContextTimer* const timer : {&m_retry, &m_watch, &m_pump, &m_levelTimer, &m_farewell}) timer->stop();
  m_requests.clear();
  m_phase = RoomPhase::Ended;
  {
    const std::lock_guard lock(m_shared.mutex);
    m_shared.phase = m_phase;
  }
  m_listener.ended(end);
  const std::lock_guard lock(m_shared.mutex);
  m_shared.ended.notify_all();
}

}  // namespace tactus::conference
