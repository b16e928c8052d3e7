// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: a hosted room, connections to it, and what each of them was told.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conference/room/hosted_room.h"
#include "conference/room/view_update.h"

namespace tactus::conference::testing {

/// One connection, as its client sees it.
struct Peer {
  std::vector<ServerMessage> heard = {};  ///< since the last take()
  ViewUpdate view = {};
  std::optional<server::Joined> joined = {};
  std::map<TrackSid, TrackWanted> wanted = {};       ///< of its own tracks; absent: as it is
  std::map<TrackSid, TrackDelivery> delivered = {};  ///< of tracks of others; absent: whole
  bool closed = false;
};

class RoomBench {
 public:
  explicit RoomBench(HostedRoomOptions options = {})
      : room(
            std::move(options), [this](std::span<std::uint8_t> bytes) { fill(bytes); },
            [](std::string_view token) { return std::string(token); }) {
    hostToken = room.invite(Role::Host, {}, now.at).value().link;
    guestToken = room.invite(Role::Guest, {}, now.at).value().link;
  }

  ConnectionId open(const std::string& token) {
    const ConnectionId id{++m_connections};
    EXPECT_TRUE(room.admits(token, now.at));
    room.opened(id, token, now.at);
    peers[id];
    return id;
  }
  void say(ConnectionId id, const ClientMessage& message) { sayText(id, toJson(message)); }
  void sayText(ConnectionId id, std::string_view json) {
    room.received(id, json, now);
    deliver();
  }
  ConnectionId join(const std::string& token, const std::string& name) {
    const ConnectionId id = open(token);
    say(id, client::Join{name, ClientKind::Other, {}});
    return id;
  }
  ConnectionId host(const std::string& name = "Host") { return join(hostToken, name); }
  ConnectionId guest(const std::string& name = "Guest") { return join(guestToken, name); }
  /// Back with the session of an earlier connection.
  ConnectionId comeBack(ConnectionId earlier) {
    const ConnectionId id = open(guestToken);
    say(id, client::Join{"Again", ClientKind::Other, peers[earlier].joined->session});
    return id;
  }
  void cut(ConnectionId id) {
    room.closed(id, now.at);
    peers[id].closed = true;
    deliver();
  }
  void pass(periodic::Duration time) {
    now.at += time;
    now.wall += std::chrono::duration_cast<std::chrono::milliseconds>(time);
    room.tick(now.at);
    deliver();
  }
  TrackInfo publish(ConnectionId id, TrackSource source) {
    take(id);
    say(id, client::Publish{"cid", {source}, false});
    return last<server::Published>(id).track;
  }

  /// What a connection was told since the last call.
  std::vector<ServerMessage> take(ConnectionId id) { return std::exchange(peers[id].heard, {}); }
  /// The last message to a connection, which must be of this type.
  template <typename Type>
  Type last(ConnectionId id) {
    const auto& heard = peers[id].heard;
    if (heard.empty() || !std::holds_alternative<Type>(heard.back())) {
      ADD_FAILURE() << "The last message is " << (heard.empty() ? "none" : toJson(heard.back())) << ", not "
                    << Type::kType;
      return {};
    }
    return std::get<Type>(heard.back());
  }
  ParticipantSid sid(ConnectionId id) {
    return peers[id].joined ? peers[id].joined->you.sid : ParticipantSid();
  }

  HostedRoom::Now now{periodic::TimePoint(std::chrono::hours(1)), WallTime(std::chrono::hours(1000))};
  HostedRoom room;
  std::string hostToken, guestToken;
  std::map<ConnectionId, Peer> peers;

 private:
  void deliver() {
    for (Outgoing& each : room.takeOutbox()) {
      Peer& peer = peers[each.to];
      EXPECT_FALSE(peer.closed) << "after its end: " << toJson(each.message);
      // As it goes over the wire.
      const auto message = parseServerMessage(toJson(each.message));
      EXPECT_TRUE(message.ok() && message.value() == each.message) << toJson(each.message);
      EXPECT_TRUE(peer.view.apply(each.message)) << toJson(each.message);
      if (const auto* const joined = std::get_if<server::Joined>(&each.message)) {
        peer.joined = *joined;
        peer.wanted.clear();
        peer.delivered.clear();
      }
      if (const auto* const told = std::get_if<server::Delivery>(&each.message)) {
        EXPECT_TRUE(isNews(peer.delivered[told->track], told->delivery)) << toJson(each.message);
        peer.delivered[told->track] = told->delivery;
      }
      if (const auto* const told = std::get_if<server::Wanted>(&each.message)) {
        EXPECT_NE(peer.wanted[told->track], told->wanted) << "told twice: " << toJson(each.message);
        peer.wanted[told->track] = told->wanted;
      }
      peer.closed = each.close;
      peer.heard.push_back(std::move(each.message));
    }
  }
  /// Not random, but different each time.
  void fill(std::span<std::uint8_t> bytes) {
    ++m_drawn;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(i < 8 ? m_drawn >> (8 * i) : 7 * i);
  }

  std::uint64_t m_connections = 0;
  std::uint64_t m_drawn = 0;
};

}  // namespace tactus::conference::testing
