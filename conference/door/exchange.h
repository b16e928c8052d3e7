// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libsoup/soup.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "conference/door/door_limits.h"
#include "conference/door/door_listener.h"
#include "conference/door/object_ref.h"
#include "conference/door/routes.h"
#include "conference/door/visitors.h"

namespace tactus::conference {

/// HTTP over the streams of visitors, by libsoup: looks at the token before anything else, finds the route,
/// bounds the request, and makes WebSockets. Thread-safe: no, on the door's thread alone. Real-time-safe: no.
class Exchange {
 public:
  /// Runs an action on the door's thread, later; thread-safe, and also called after this has ended.
  using Post = std::function<void(std::function<void()>)>;

  Exchange(Visitors& visitors, const DoorLimits& limits, DoorListener& listener, const Routes& routes,
           Post post);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Requests are read from the visitor's stream from now on.
  void welcome(Visitor& visitor);
  /// Ends what has been longer than it may, and lets WebSockets ping.
  void tick(periodic::TimePoint now);
  /// The WebSocket of a connection; null: there is none any more.
  [[nodiscard]] WebSocket* conversation(ConnectionId id);

 private:
  struct Pending;
  struct Asked;

  [[nodiscard]] Visitor* visitorOf(SoupServerMessage* message);
  [[nodiscard]] Asked asked(SoupServerMessage* message);
  void gotHeaders(SoupServerMessage* message);
  void gotBody(SoupServerMessage* message);
  void finished(SoupServerMessage* message);
  void handOver(SoupServerMessage* message, Visitor& visitor, const Asked& asked, const Routes::Found& route);
  void answer(ConnectionId id, std::uint64_t request, const DoorAnswer& answer);
  void upgrade(SoupServerMessage* message);
  void beginConversation(SoupServerMessage* message);
  void ended(ConnectionId id);

  Visitors& m_visitors;
  const DoorLimits m_limits;
  DoorListener& m_listener;
  const Routes& m_routes;
  const Post m_post;
  const std::shared_ptr<Exchange*> m_self;  // shared with replies that may come later; then null
  ObjectRef<SoupServer> m_server;
  std::map<ConnectionId, Pending> m_pending;  // requests whose answer is waited for
  std::uint64_t m_lastRequest = 0;
};

}  // namespace tactus::conference
