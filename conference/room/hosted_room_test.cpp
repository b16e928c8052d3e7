// SPDX-License-Identifier: Apache-2.0
#include "conference/room/hosted_room.h"

#include <gtest/gtest.h>

#include "conference/room/hosted_room_fixture.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using testing::RoomBench;

TEST(HostedRoom, WhoJoinsLearnsWhoIsThereAndTheOthersHearOfIt) {
  RoomBench bench({.name = "Choir"});
  const auto ann = bench.host("Ann");
  const auto ben = bench.guest("Ben");
  const auto joined = bench.last<server::Joined>(ben);
  EXPECT_EQ(joined.version, 1U);
  EXPECT_EQ(joined.room, (RoomInfo{"Choir", false, false}));
  EXPECT_EQ(joined.you.role, Role::Guest);
  ASSERT_EQ(joined.participants.size(), 1U);
  EXPECT_EQ(joined.participants[0].name, "Ann");
  EXPECT_EQ(joined.participants[0].role, Role::Host);
  EXPECT_EQ(bench.last<server::ParticipantJoined>(ann).participant, joined.you);
}

TEST(HostedRoom, NamesAreMadeUniqueWithin128Bytes) {
  RoomBench bench;
  bench.host("Ann");
  EXPECT_EQ(bench.last<server::Joined>(bench.guest("Ann")).you.name, "Ann (2)");
  EXPECT_EQ(bench.last<server::Joined>(bench.guest("Ann")).you.name, "Ann (3)");
  const std::string longName(128, 'x');
  bench.guest(longName);
  EXPECT_EQ(bench.last<server::Joined>(bench.guest(longName)).you.name, std::string(124, 'x') + " (2)");
}

TEST(HostedRoom, AnEmptyNameIsRefused) {
  RoomBench bench;
  const auto id = bench.guest("  ");
  EXPECT_EQ(bench.last<server::Refused>(id).reason, RefusalReason::Name);
  EXPECT_TRUE(bench.peers[id].closed);
}

TEST(HostedRoom, NothingButPingMeansAnythingBeforeTheJoin) {
  RoomBench bench;
  const auto id = bench.open(bench.guestToken);
  bench.say(id, client::Ping{7});
  EXPECT_EQ(bench.last<server::Pong>(id).t, 7U);
  bench.say(id, client::Chat{"hello"});
  EXPECT_EQ(bench.last<server::Error>(id),
            (server::Error{MessageFault::OutOfPlace, "You are not in the room yet.", "chat", {}}));
  bench.say(id, client::Leave{});
  EXPECT_EQ(bench.last<server::Closed>(id).reason, server::CloseReason::Left);
}

TEST(HostedRoom, ASecondJoinIsOutOfPlace) {
  RoomBench bench;
  const auto id = bench.guest("Ann");
  bench.say(id, client::Join{"Eve", ClientKind::Other, {}});
  EXPECT_EQ(bench.last<server::Error>(id).code, MessageFault::OutOfPlace);
  EXPECT_EQ(bench.room.participants().size(), 1U);
}

TEST(HostedRoom, WhatIsNoMessageIsAnErrorAndNoEnd) {
  RoomBench bench;
  const auto id = bench.guest();
  bench.sayText(id, "{");
  EXPECT_EQ(bench.last<server::Error>(id).code, MessageFault::Malformed);
  bench.sayText(id, R"({"type":"dance"})");
  EXPECT_EQ(bench.last<server::Error>(id).code, MessageFault::UnknownType);
  bench.sayText(id, R"({"type":"hand"})");
  EXPECT_EQ(bench.last<server::Error>(id).code, MessageFault::Invalid);
  EXPECT_FALSE(bench.peers[id].closed);
}

TEST(HostedRoom, AFullRoomRefuses) {
  RoomBench bench({.mostParticipants = 2});
  bench.host();
  bench.guest();
  const auto third = bench.guest();
  EXPECT_EQ(bench.last<server::Refused>(third),
            (server::Refused{RefusalReason::Full, "The room is full: it has 2 participants."}));
}

TEST(HostedRoom, TracksArePublishedMutedAndUnpublished) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto ben = bench.guest("Ben");
  bench.say(ann,
            client::Publish{"c1", {TrackSource::Camera, 640, 360, periodic::Rate::perSecond(30)}, false});
  const TrackInfo track = bench.last<server::Published>(ann).track;
  EXPECT_EQ(bench.last<server::TrackPublished>(ben), (server::TrackPublished{bench.sid(ann), track}));
  bench.say(ann, client::Mute{track.sid, true});
  EXPECT_EQ(bench.last<server::TrackMuted>(ben), (server::TrackMuted{bench.sid(ann), track.sid, true}));
  EXPECT_EQ(bench.last<server::TrackMuted>(ann), (server::TrackMuted{bench.sid(ann), track.sid, true}));
  bench.take(ben);
  bench.say(ann, client::Mute{track.sid, true});
  EXPECT_TRUE(bench.take(ben).empty());
  bench.say(ann, client::Unpublish{track.sid});
  EXPECT_EQ(bench.last<server::TrackUnpublished>(ben), (server::TrackUnpublished{bench.sid(ann), track.sid}));
}

TEST(HostedRoom, AParticipantHas8TracksAtMost) {
  RoomBench bench;
  const auto id = bench.guest();
  for (int i = 0; i < 8; ++i) bench.publish(id, TrackSource::Microphone);
  bench.say(id, client::Publish{"ninth", {TrackSource::Camera}, false});
  EXPECT_EQ(
      bench.last<server::Error>(id),
      (server::Error{MessageFault::TooMany, "You publish 8 tracks, which is the most.", "publish", "ninth"}));
}

TEST(HostedRoom, NobodySpeaksForAnother) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto eve = bench.guest("Eve");
  const TrackInfo track = bench.publish(ann, TrackSource::Microphone);
  const auto before = bench.room.participants();
  for (const ClientMessage& message :
       {ClientMessage(client::Unpublish{track.sid}), ClientMessage(client::Mute{track.sid, true})}) {
    bench.say(eve, message);
    EXPECT_EQ(bench.last<server::Error>(eve).code, MessageFault::NotFound);
  }
  EXPECT_EQ(bench.room.participants(), before);
}

TEST(HostedRoom, AGuestCannotModerate) {
  RoomBench bench;
  const auto ann = bench.host("Ann");
  const TrackInfo track = bench.publish(ann, TrackSource::Microphone);
  const auto eve = bench.guest("Eve");
  const auto before = bench.room.participants();
  for (const ClientMessage& message :
       {ClientMessage(client::Admit{bench.sid(ann)}), ClientMessage(client::Deny{bench.sid(ann)}),
        ClientMessage(client::Remove{bench.sid(ann)}),
        ClientMessage(client::MuteParticipant{bench.sid(ann), track.sid}), ClientMessage(client::Lock{true}),
        ClientMessage(client::Lobby{true}), ClientMessage(client::Invite{Role::Host, {}}),
        ClientMessage(client::Revoke{*InvitationSid::parse("IN_x")}), ClientMessage(client::Invitations{})}) {
    bench.say(eve, message);
    EXPECT_EQ(bench.last<server::Error>(eve), (server::Error{MessageFault::Forbidden,
                                                             "Only hosts of the room may do this.",
                                                             std::string(typeOf(message)),
                                                             {}}));
  }
  EXPECT_EQ(bench.room.participants(), before);
  EXPECT_EQ(bench.room.room(), (RoomInfo{"Room", false, false}));
}

TEST(HostedRoom, ASettingIsOfATrackOfAnother) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto ben = bench.guest("Ben");
  const TrackInfo track = bench.publish(ann, TrackSource::Camera);
  const TrackSetting setting{true, 320, 180, periodic::Rate::perSecond(15), TrackPriority::Low};
  bench.say(ann, client::SetTrack{track.sid, setting});
  EXPECT_EQ(bench.last<server::Error>(ann).code, MessageFault::NotFound);
  (void)bench.room.takeNews();
  bench.say(ben, client::SetTrack{track.sid, setting});
  EXPECT_EQ(bench.room.settingOf(bench.sid(ben), track.sid), setting);
  EXPECT_EQ(bench.room.takeNews(),
            (std::vector<RoomNews>{SettingChanged{bench.sid(ben), track.sid, setting}}));
  bench.say(ann, client::Unpublish{track.sid});
  EXPECT_EQ(bench.room.settingOf(bench.sid(ben), track.sid), TrackSetting{});
}

TEST(HostedRoom, ChatReachesAllAndIsKeptForThoseWhoComeLater) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto ben = bench.guest("Ben");
  bench.say(ann, client::Chat{"hello"});
  const ChatLine line{bench.sid(ann), "Ann", "hello", bench.now.wall};
  EXPECT_EQ(bench.last<server::Chat>(ann).line, line);
  EXPECT_EQ(bench.last<server::Chat>(ben).line, line);
  bench.say(ann, client::Leave{});
  EXPECT_EQ(bench.last<server::Joined>(bench.guest("Cleo")).chat, std::vector<ChatLine>{line});
}

TEST(HostedRoom, TheNewest100LinesAreKept) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  for (int i = 0; i < 150; ++i) {
    bench.say(ann, client::Chat{std::to_string(i)});
    bench.pass(100ms);
  }
  const auto chat = bench.last<server::Joined>(bench.guest("Ben")).chat;
  ASSERT_EQ(chat.size(), 100U);
  EXPECT_EQ(chat.front().text, "50");
  EXPECT_EQ(chat.back().text, "149");
}

TEST(HostedRoom, ChatHasABudgetOfBytes) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  for (int i = 0; i < 4; ++i) bench.say(ann, client::Chat{std::string(4096, 'x')});
  bench.take(ann);
  bench.say(ann, client::Chat{"x"});
  EXPECT_EQ(bench.last<server::Error>(ann).code, MessageFault::TooMany);
  EXPECT_FALSE(bench.peers[ann].closed);
  bench.pass(2s);
  bench.say(ann, client::Chat{std::string(4096, 'y')});
  EXPECT_EQ(bench.last<server::Chat>(ann).line.text, std::string(4096, 'y'));
}

TEST(HostedRoom, WhoSendsMoreThanItsBudgetIsOutAndNobodyElse) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto eve = bench.guest("Eve");
  for (int i = 0; i < 99; ++i) bench.say(eve, client::Ping{1});  // 100 with the join
  EXPECT_FALSE(bench.peers[eve].closed);
  bench.take(eve);
  bench.say(eve, client::Ping{1});
  EXPECT_TRUE(bench.peers[eve].closed);
  const auto words = bench.take(eve);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(std::get<server::Error>(words[0]).code, MessageFault::Flood);
  EXPECT_EQ(std::get<server::Closed>(words[1]).reason, server::CloseReason::Flood);
  EXPECT_EQ(bench.last<server::ParticipantLeft>(ann),
            (server::ParticipantLeft{*ParticipantSid::parse(bench.sid(eve).text()), LeaveReason::Flood}));
}

TEST(HostedRoom, TwentyMessagesASecondAreAllowedForEver) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  for (int i = 0; i < 2000; ++i) {
    bench.pass(50ms);
    bench.say(ann, client::Ping{1});
  }
  EXPECT_FALSE(bench.peers[ann].closed);
}

TEST(HostedRoom, AHandIsToldWhenItChanges) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto ben = bench.guest("Ben");
  bench.say(ann, client::Hand{true});
  EXPECT_EQ(bench.last<server::Hand>(ben), (server::Hand{bench.sid(ann), true}));
  bench.take(ben);
  bench.say(ann, client::Hand{true});
  EXPECT_TRUE(bench.take(ben).empty());
}

TEST(HostedRoom, ItEndsForAllWithASentence) {
  RoomBench bench({.lobby = true});
  const auto ann = bench.host("Ann");
  const auto ben = bench.guest("Ben");
  bench.last<server::Waiting>(ben);
  bench.room.end("The host ended the room.");
  bench.pass(0s);
  for (const auto id : {ann, ben})
    EXPECT_EQ(bench.last<server::Closed>(id),
              (server::Closed{server::CloseReason::RoomEnds, "The host ended the room."}));
}

}  // namespace
}  // namespace tactus::conference
