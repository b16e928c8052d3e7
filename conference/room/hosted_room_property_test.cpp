// SPDX-License-Identifier: Apache-2.0
// Random sequences of what connections do: whoever is in the room knows the room as it is.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_fixture.h"
#include "conference/room/random_messages.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using testing::RoomBench;

/// The largest size of those who want the track at all; 0, which is "as it is", is larger than any other.
TrackWanted wantedBy(std::vector<TrackSetting> settings) {
  std::erase_if(settings, [](const TrackSetting& each) { return !each.enabled; });
  if (settings.empty()) return {false, 0, 0};
  const auto largest = [&](std::uint32_t TrackSetting::*side) {
    std::vector<std::uint32_t> sizes;
    for (const TrackSetting& each : settings) sizes.push_back(each.*side);
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    return *least == 0 ? 0 : *most;
  };
  return {true, largest(&TrackSetting::width), largest(&TrackSetting::height)};
}

/// Messages whose identifiers are those of the room, so that they mean something.
class Actors {
 public:
  Actors()
      : m_bench({.mostParticipants = 5,
                 .mostWaiting = 3,
                 .lobby = *rc::gen::arbitrary<bool>(),
                 .messages = {30, 20},
                 .chatBytes = {100, 10}}) {}

  void act() {
    switch (*rc::gen::inRange(0, 15)) {
      case 0:
        m_bench.open(*rc::gen::arbitrary<bool>() ? m_bench.hostToken : m_bench.guestToken);
        break;
      case 1:
      case 2:
        if (const auto id = anyConnection()) m_bench.say(*id, anyJoin());
        break;
      case 3:
        if (const auto id = anyConnection()) m_bench.cut(*id);
        break;
      case 4:
        m_bench.pass(*rc::gen::element<periodic::Duration>(0s, 100ms, 1s, 31s));
        break;
      case 5:
        beginIngress();
        break;
      case 6:
        if (!m_ingresses.empty())
          m_bench.room.endIngress(*rc::gen::elementOf(m_ingresses), LeaveReason::Left);
        m_bench.pass(0s);
        break;
      case 7:
        deliver();
        break;
      default:
        if (const auto id = anyConnection()) m_bench.say(*id, pointed(testing::anyClientMessage()));
        break;
    }
  }

  void check() {
    std::size_t seen = 0;
    for (const auto& [id, peer] : m_bench.peers) {
      if (peer.closed || !peer.joined) continue;
      ++seen;
      const auto view = m_bench.room.viewOf(peer.joined->you.sid);
      RC_ASSERT(view.has_value());
      RC_ASSERT(peer.view.view() == *view);
    }
    const auto participants = m_bench.room.participants();
    RC_ASSERT(participants.size() <= 5U);
    for (const auto& each : participants)
      seen += static_cast<std::size_t>(std::count(m_ingresses.begin(), m_ingresses.end(), each.sid));
    RC_ASSERT(static_cast<std::size_t>(std::count_if(
                  participants.begin(), participants.end(),
                  [](const auto& each) { return each.quality != ConnectionQuality::Lost; })) == seen);
    for (std::size_t i = 0; i < participants.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) RC_ASSERT(participants[i].name != participants[j].name);
  }
  /// Each publisher knows how the others want its tracks, as it follows from their settings.
  void checkWanted() {
    const auto participants = m_bench.room.participants();
    for (const auto& [id, peer] : m_bench.peers) {
      if (peer.closed || !peer.joined) continue;
      const ParticipantInfo& you = peer.view.view().you;
      for (const TrackInfo& track : you.tracks) {
        const auto told = peer.wanted.find(track.sid);
        std::vector<TrackSetting> settings;
        for (const auto& each : participants)
          if (each.sid != you.sid && !each.ingress)
            settings.push_back(m_bench.room.settingOf(each.sid, track.sid));
        if (kindOf(track.description.source) == TrackKind::Audio)
          RC_ASSERT(told == peer.wanted.end());
        else if (!settings.empty())
          RC_ASSERT((told == peer.wanted.end() ? TrackWanted{} : told->second) == wantedBy(settings));
      }
    }
  }
  /// Who was never let in was told nothing but that it waits, is refused, or was wrong.
  void checkStrangers() {
    for (const auto& [id, peer] : m_bench.peers) {
      if (peer.joined) continue;
      for (const ServerMessage& each : peer.heard) {
        const std::string type(typeOf(each));
        RC_ASSERT(type == "waiting" || type == "refused" || type == "closed" || type == "error" ||
                  type == "pong");
      }
    }
  }
  RoomBench& bench() { return m_bench; }

 private:
  void beginIngress() {
    const auto begun = m_bench.room.beginIngress(
        *rc::gen::arbitrary<bool>() ? m_bench.hostToken : m_bench.guestToken,
        *rc::gen::element<std::string>("Ann", "Stream", ""), {TrackSource::Camera}, m_bench.now.at);
    if (const auto* const sid = std::get_if<ParticipantSid>(&begun)) m_ingresses.push_back(*sid);
    m_bench.pass(0s);
  }
  void deliver() {
    const auto participants = m_bench.room.participants();
    std::vector<PictureDelivery> all;
    for (const auto& receiver : participants)
      for (const auto& publisher : participants)
        all.push_back(
            {receiver.sid, publisher.sid,
             *rc::gen::element(TrackSource::Camera, TrackSource::Screen, TrackSource::Microphone),
             *rc::gen::element(TrackDelivery{}, TrackDelivery{DeliveredPictures::Fewer,
                                                              DeliveryLimit::SenderLine, 300, 0.2})});
    m_bench.room.deliver(all);
    m_bench.pass(0s);
  }
  std::optional<ConnectionId> anyConnection() {
    std::vector<ConnectionId> open;
    for (const auto& [id, peer] : m_bench.peers)
      if (!peer.closed) open.push_back(id);
    return open.empty() ? std::nullopt : std::optional(*rc::gen::elementOf(open));
  }
  client::Join anyJoin() {
    client::Join join{*rc::gen::element<std::string>("Ann", "Ben", "Ann (2)", ""), ClientKind::Other, {}};
    std::vector<SessionKey> sessions;
    for (const auto& [id, peer] : m_bench.peers)
      if (peer.joined) sessions.push_back(peer.joined->session);
    if (!sessions.empty() && *rc::gen::arbitrary<bool>())
      join.resume = sessions[*rc::gen::inRange<std::size_t>(0, sessions.size())];
    return join;
  }
  ClientMessage pointed(ClientMessage message) {
    std::vector<ParticipantSid> people;
    std::vector<TrackSid> tracks;
    for (const auto& each : m_bench.room.participants()) {
      people.push_back(each.sid);
      for (const auto& track : each.tracks) tracks.push_back(track.sid);
      const std::optional<RoomView> view = m_bench.room.viewOf(each.sid);
      for (const auto& waiting : view->waiting) people.push_back(waiting.sid);
    }
    std::visit([&](auto& each) { point(each, people, tracks); }, message);
    return message;
  }
  template <typename Message>
  static void point(Message& message, const std::vector<ParticipantSid>& people,
                    const std::vector<TrackSid>& tracks) {
    const auto pick = [](auto& sid, const auto& from) {
      if (!from.empty()) sid = from[*rc::gen::inRange<std::size_t>(0, from.size())];
    };
    if constexpr (requires { message.track; }) pick(message.track, tracks);
    if constexpr (requires { message.sid; }) {
      if constexpr (std::is_same_v<decltype(message.sid), ParticipantSid>) pick(message.sid, people);
      if constexpr (std::is_same_v<decltype(message.sid), TrackSid>) pick(message.sid, tracks);
    }
  }

  RoomBench m_bench;
  std::vector<ParticipantSid> m_ingresses;  // that were let in at any time
};

RC_GTEST_PROP(HostedRoomProperty, EachParticipantsViewIsTheRoom, ()) {
  Actors actors;
  const int steps = *rc::gen::inRange(1, 150);
  for (int i = 0; i < steps; ++i) {
    actors.act();
    actors.check();
    actors.checkWanted();
  }
  actors.checkStrangers();
}

RC_GTEST_PROP(HostedRoomProperty, RandomBytesDisturbNobodyElse, (const std::vector<std::string>& messages)) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto eve = bench.guest("Eve");
  bench.take(ann);
  const auto before = bench.room.participants();
  for (const std::string& each : messages) {
    bench.sayText(eve, each);
    bench.pass(50ms);
  }
  RC_ASSERT(bench.room.participants() == before);
  RC_ASSERT(bench.take(ann).empty());
  RC_ASSERT(!bench.peers[eve].closed);
}

}  // namespace
}  // namespace tactus::conference
