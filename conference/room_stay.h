// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to embedded_room.cpp: the stay itself, on the room's thread.

#include <glib.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conference/context_timer.h"
#include "conference/door/room_link.h"
#include "conference/embedded_room.h"
#include "conference/room/client_message.h"
#include "conference/room/room.h"
#include "conference/room/server_message.h"
#include "conference/room/token_bucket.h"
#include "conference/room/view_teller.h"
#include "conference/room_socket.h"
#include "core/periodic/time/backoff.h"

namespace tactus::conference {

/// What all threads may know of a stay. Written by the room's thread.
struct SharedStay {
  std::mutex mutex;  // of all below
  std::condition_variable ended;
  RoomPhase phase = RoomPhase::Idle;
  RoomView view;
  std::optional<SessionKey> session;
};

/// One stay: connects, joins, tells, comes back. To be made, used and destroyed on the thread of `context`.
class RoomStay {
 public:
  RoomStay(GMainContext* context, RoomLink link, RoomListener& listener, const RoomPatience& patience,
           SharedStay& shared);

  void join(const std::string& name);
  void leave();
  void request(const ClientMessage& message);
  void reportLevel(double level);

 private:
  void connect();
  void onOpened();
  void onHeard(std::string_view json);
  void onSocketEnded(const SocketEnd& end);
  void on(const server::Joined& joined);
  void on(const server::Refused& refused);
  void on(const server::Closed& closed);
  void tell(const ServerMessage& message);

  void comeBackOrEnd(const SocketEnd& end);
  void dropRequests();
  void pump();
  void sayLevel();
  void answered(const std::string& cid);
  void watch();
  void fail(std::string sentence, const ClientMessage& message);
  void setPhase(RoomPhase phase);
  void end(RoomEnd end);

  GMainContext* const m_context;
  const RoomLink m_link;
  RoomListener& m_listener;
  const RoomPatience m_patience;
  SharedStay& m_shared;

  std::string m_name;
  RoomPhase m_phase = RoomPhase::Idle;
  ViewTeller m_teller;
  std::optional<SessionKey> m_session;
  std::unique_ptr<RoomSocket> m_socket;
  bool m_isOpen = false;  // of m_socket
  periodic::TimePoint m_heardAt = {};
  periodic::TimePoint m_brokenAt = {};
  periodic::Backoff m_backoff;
  TokenBucket m_budget;
  std::deque<ClientMessage> m_requests;   // that wait for the budget
  std::vector<std::string> m_publishing;  // cids of tracks that the host has not answered
  std::optional<double> m_level;          // the newest that was not sent
  ContextTimer m_retry, m_watch, m_pump, m_levelTimer, m_farewell;
};

}  // namespace tactus::conference
