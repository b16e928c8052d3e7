// SPDX-License-Identifier: Apache-2.0
// Invitations, lobby, moderation, and connections that break.
#include <gtest/gtest.h>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_fixture.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using testing::RoomBench;

TEST(HostedRoomStay, ATokenThatNobodyGaveAwayAdmitsNobody) {
  RoomBench bench;
  EXPECT_FALSE(bench.room.admits("", bench.now.at));
  EXPECT_FALSE(bench.room.admits(bench.guestToken + "x", bench.now.at));
  EXPECT_TRUE(bench.room.admits(bench.guestToken, bench.now.at));
}

TEST(HostedRoomStay, AnInvitationExpires) {
  RoomBench bench;
  const auto ann = bench.host("Ann");
  bench.say(ann, client::Invite{Role::Guest, 60s});
  const auto invitation = bench.last<server::Invitation>(ann).invitation;
  EXPECT_EQ(invitation.expiresIn, 60s);
  const auto early = bench.open(invitation.link);
  bench.pass(60s);
  EXPECT_FALSE(bench.room.admits(invitation.link, bench.now.at));
  bench.say(early, client::Join{"Ben", ClientKind::Other, {}});
  EXPECT_EQ(bench.last<server::Refused>(early).reason, RefusalReason::Expired);
}

TEST(HostedRoomStay, ARevokedInvitationLetsNobodyInAndThrowsNobodyOut) {
  RoomBench bench;
  const auto ann = bench.host("Ann");
  bench.say(ann, client::Invite{Role::Guest, {}});
  const auto invitation = bench.last<server::Invitation>(ann).invitation;
  const auto ben = bench.join(invitation.link, "Ben");
  bench.say(ann, client::Lobby{true});
  const auto cleo = bench.join(invitation.link, "Cleo");
  bench.last<server::Waiting>(cleo);
  bench.say(ann, client::Revoke{invitation.sid});
  EXPECT_EQ(bench.last<server::Invitations>(ann).invitations.size(), 2U);
  EXPECT_EQ(bench.last<server::Refused>(cleo).reason, RefusalReason::Expired);
  // Ben may have to come back.
  bench.cut(ben);
  const auto again = bench.open(invitation.link);
  bench.say(again, client::Join{"Ben", ClientKind::Other, bench.peers[ben].joined->session});
  EXPECT_EQ(bench.sid(again), bench.sid(ben));
  bench.say(again, client::Leave{});
  EXPECT_FALSE(bench.room.admits(invitation.link, bench.now.at));
  bench.say(ann, client::Revoke{invitation.sid});
  EXPECT_EQ(bench.last<server::Error>(ann).code, MessageFault::NotFound);
}

TEST(HostedRoomStay, ThereAre64InvitationsAtMost) {
  RoomBench bench;
  const auto ann = bench.host("Ann");
  for (int i = 2; i < 64; ++i) bench.say(ann, client::Invite{Role::Guest, {}});
  bench.last<server::Invitation>(ann);
  bench.say(ann, client::Invite{Role::Guest, {}});
  EXPECT_EQ(bench.last<server::Error>(ann).code, MessageFault::TooMany);
}

TEST(HostedRoomStay, WhoWaitsLearnsNothingUntilAHostLetsItIn) {
  RoomBench bench({.lobby = true});
  const auto ann = bench.host("Ann");
  const auto ben = bench.guest("Ben");
  EXPECT_EQ(bench.take(ben), std::vector<ServerMessage>{server::Waiting{}});
  const auto waiting = bench.last<server::WaitingList>(ann).waiting;
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(waiting[0].name, "Ben");
  bench.say(ann, client::Chat{"secret"});
  bench.say(ann, client::Hand{true});
  bench.publish(ann, TrackSource::Camera);
  EXPECT_TRUE(bench.take(ben).empty());
  bench.say(ann, client::Admit{waiting[0].sid});
  EXPECT_EQ(bench.last<server::Joined>(ben).participants.size(), 1U);
  EXPECT_TRUE(bench.last<server::WaitingList>(ann).waiting.empty());
}

TEST(HostedRoomStay, WhoIsDeniedOrGoesWaitsNoMore) {
  RoomBench bench({.lobby = true});
  const auto ann = bench.host("Ann");
  const auto ben = bench.guest("Ben");
  const auto cleo = bench.guest("Cleo");
  const auto waiting = bench.last<server::WaitingList>(ann).waiting;
  ASSERT_EQ(waiting.size(), 2U);
  bench.say(ann, client::Deny{waiting[0].sid});
  EXPECT_EQ(bench.last<server::Refused>(ben).reason, RefusalReason::Removed);
  bench.cut(cleo);
  EXPECT_TRUE(bench.last<server::WaitingList>(ann).waiting.empty());
  bench.say(ann, client::Admit{waiting[1].sid});
  EXPECT_EQ(bench.last<server::Error>(ann).code, MessageFault::NotFound);
}

TEST(HostedRoomStay, AHostWhoComesLaterHearsWhoWaits) {
  RoomBench bench({.lobby = true});
  bench.guest("Ben");
  const auto ann = bench.host("Ann");
  EXPECT_EQ(bench.last<server::WaitingList>(ann).waiting.size(), 1U);
}

TEST(HostedRoomStay, WithoutALobbyWhoWaitsIsLetInAsLongAsThereIsRoom) {
  RoomBench bench({.mostParticipants = 2, .lobby = true});
  const auto ann = bench.host("Ann");
  const auto ben = bench.guest("Ben");
  const auto cleo = bench.guest("Cleo");
  bench.say(ann, client::Lobby{false});
  bench.last<server::Joined>(ben);
  EXPECT_EQ(bench.last<server::Refused>(cleo).reason, RefusalReason::Full);
}

TEST(HostedRoomStay, ALockedRoomLetsHostsInAndWhomTheyAdmit) {
  RoomBench bench({.lobby = true});
  const auto ann = bench.host("Ann");
  const auto ben = bench.guest("Ben");
  const auto waiting = bench.last<server::WaitingList>(ann).waiting;
  bench.say(ann, client::Lock{true});
  EXPECT_TRUE(bench.last<server::RoomUpdated>(ann).room.locked);
  EXPECT_EQ(bench.last<server::Refused>(bench.guest("Cleo")).reason, RefusalReason::Locked);
  EXPECT_TRUE(bench.peers[bench.host("Dan")].joined);
  bench.say(ann, client::Admit{waiting.at(0).sid});
  EXPECT_EQ(bench.last<server::Joined>(ben).you.name, "Ben");
}

TEST(HostedRoomStay, WhoIsRemovedIsToldAndItsSessionIsOver) {
  RoomBench bench;
  const auto ann = bench.host("Ann");
  const auto eve = bench.guest("Eve");
  bench.say(ann, client::Remove{bench.sid(eve)});
  EXPECT_EQ(bench.last<server::Closed>(eve).reason, server::CloseReason::Removed);
  EXPECT_EQ(bench.last<server::ParticipantLeft>(ann).reason, LeaveReason::Removed);
  EXPECT_EQ(bench.last<server::Refused>(bench.comeBack(eve)).reason, RefusalReason::Removed);
}

TEST(HostedRoomStay, AHostMutesAnothersTrackWhichItsOwnerMayUnmute) {
  RoomBench bench;
  const auto ann = bench.host("Ann");
  const auto ben = bench.guest("Ben");
  const TrackInfo track = bench.publish(ben, TrackSource::Microphone);
  bench.take(ben);
  bench.say(ann, client::MuteParticipant{bench.sid(ben), track.sid});
  EXPECT_EQ(bench.take(ben),
            (std::vector<ServerMessage>{server::MutedByHost{track.sid},
                                        server::TrackMuted{bench.sid(ben), track.sid, true}}));
  bench.say(ann, client::MuteParticipant{bench.sid(ben), track.sid, false});
  EXPECT_EQ(bench.last<server::Error>(ann).code, MessageFault::Forbidden)
      << "a host switches nobody's microphone on";
  bench.say(ben, client::Mute{track.sid, false});
  EXPECT_FALSE(bench.last<server::TrackMuted>(ann).muted);
  bench.say(ann, client::MuteParticipant{bench.sid(ann), track.sid});
  EXPECT_EQ(bench.last<server::Error>(ann).code, MessageFault::NotFound);
}

TEST(HostedRoomStay, ABrokenConnectionIsLostFor30SecondsAndThenLeft) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto ben = bench.guest("Ben");
  bench.cut(ben);
  EXPECT_EQ(bench.last<server::Quality>(ann), (server::Quality{bench.sid(ben), ConnectionQuality::Lost}));
  bench.pass(30s - 1ns);
  EXPECT_EQ(bench.room.participants().size(), 2U);
  bench.pass(1ns);
  EXPECT_EQ(bench.last<server::ParticipantLeft>(ann),
            (server::ParticipantLeft{bench.sid(ben), LeaveReason::Lost}));
}

TEST(HostedRoomStay, AJumpOfTheWallClockEndsNothing) {
  for (const auto jump : {std::chrono::hours(24 * 3650), std::chrono::hours(-999)}) {
    RoomBench bench;
    const auto ann = bench.host("Ann");
    bench.say(ann, client::Invite{Role::Guest, 60s});
    const auto invitation = bench.last<server::Invitation>(ann).invitation;
    const auto ben = bench.guest("Ben");
    const auto cem = bench.guest("Cem");
    bench.cut(ben);
    bench.now.wall += jump;
    bench.pass(29s);
    EXPECT_EQ(bench.room.participants().size(), 3U);
    EXPECT_TRUE(bench.room.admits(invitation.link, bench.now.at));
    const auto again = bench.comeBack(ben);
    EXPECT_EQ(bench.peers[again].joined->you.name, "Ben");
    bench.say(again, client::Chat{"Here I am."});
    EXPECT_EQ(bench.last<server::Chat>(cem).line.text, "Here I am.");
    bench.pass(31s);
    EXPECT_FALSE(bench.room.admits(invitation.link, bench.now.at)) << "it lasts as long as it was to";
  }
}

/// As after a suspend of this machine.
TEST(HostedRoomStay, WhoIsConnectedStaysThroughADayInWhichNothingWasSaid) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto ben = bench.guest("Ben");
  bench.pass(std::chrono::hours(24));
  EXPECT_EQ(bench.room.participants().size(), 2U);
  bench.say(ann, client::Chat{"Good morning."});
  EXPECT_EQ(bench.last<server::Chat>(ben).line.text, "Good morning.");
}

TEST(HostedRoomStay, WhoComesBackIsWhoItWas) {
  RoomBench bench({.lobby = true});
  const auto ann = bench.host("Ann");
  const auto ben = bench.guest("Ben");
  bench.say(ann, client::Admit{bench.last<server::WaitingList>(ann).waiting.at(0).sid});
  const TrackInfo track = bench.publish(ben, TrackSource::Camera);
  bench.say(ben, client::Hand{true});
  bench.say(ben, client::Quality{ConnectionQuality::Poor});
  const auto before = bench.room.participants();
  bench.cut(ben);
  bench.pass(29s);
  const auto again = bench.comeBack(ben);
  EXPECT_EQ(bench.room.participants(), before);
  EXPECT_EQ(bench.sid(again), bench.sid(ben));
  EXPECT_EQ(bench.peers[again].view.view().you, before[1]);
  EXPECT_EQ(bench.peers[again].view.view().you.tracks, std::vector<TrackInfo>{track});
  EXPECT_EQ(bench.last<server::Quality>(ann).quality, ConnectionQuality::Poor);
  bench.pass(60s);
  EXPECT_EQ(bench.room.participants().size(), 2U);
}

TEST(HostedRoomStay, TheOldConnectionOfWhoComesBackIsClosed) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto again = bench.comeBack(ann);
  EXPECT_EQ(bench.last<server::Closed>(ann).reason, server::CloseReason::Resumed);
  EXPECT_EQ(bench.sid(again), bench.sid(ann));
  bench.cut(ann);  // the room knows it no more
  EXPECT_EQ(bench.room.participants()[0].quality, ConnectionQuality::Good);
}

TEST(HostedRoomStay, WhoComesTooLateIsNew) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  bench.cut(ann);
  bench.pass(30s);
  const auto again = bench.comeBack(ann);
  EXPECT_NE(bench.sid(again), bench.sid(ann));
  EXPECT_EQ(bench.last<server::Joined>(again).you.name, "Again");
}

TEST(HostedRoomStay, ASessionIsOfOneParticipant) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  EXPECT_EQ(bench.room.participantOf(bench.peers[ann].joined->session), bench.sid(ann));
  EXPECT_EQ(bench.room.participantOf(SessionKey()), std::nullopt);
  EXPECT_EQ(bench.room.participantOf(*SessionKey::parse(std::string(32, 'x'))), std::nullopt);
}

TEST(HostedRoomSpeakers, WhoSpeaksIsToldTwiceASecondAtMost) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto ben = bench.guest("Ben");
  bench.publish(ann, TrackSource::Microphone);
  bench.take(ben);
  int lists = 0;
  for (int i = 0; i < 50; ++i) {  // 10 s, up and down
    bench.say(ann, client::Level{i % 3 == 0 ? 1.0 : 0.0});
    bench.pass(200ms);
    for (const auto& each : bench.take(ben)) lists += std::holds_alternative<server::Speakers>(each) ? 1 : 0;
  }
  EXPECT_GE(lists, 2);
  EXPECT_LE(lists, 20);
}

TEST(HostedRoomSpeakers, ASteadyVoiceIsToldUntilItIsLoudAndWhenItEnds) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  bench.publish(ann, TrackSource::Microphone);
  for (int i = 0; i < 50; ++i) {
    bench.say(ann, client::Level{0.8});
    bench.pass(200ms);
  }
  EXPECT_EQ(bench.last<server::Speakers>(ann).speakers, (std::vector<Speaker>{{bench.sid(ann), 0.8}}));
  bench.take(ann);
  for (int i = 0; i < 50; ++i) {
    bench.say(ann, client::Level{0.8});
    bench.pass(200ms);
  }
  EXPECT_TRUE(bench.take(ann).empty());
  for (int i = 0; i < 5; ++i) bench.pass(1s);  // it says nothing any more
  EXPECT_TRUE(bench.last<server::Speakers>(ann).speakers.empty());
}

TEST(HostedRoomSpeakers, WhoIsMutedIsNoSpeaker) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  bench.take(ann);
  for (int i = 0; i < 10; ++i) {
    bench.say(ann, client::Level{1.0});
    bench.pass(200ms);
  }
  EXPECT_TRUE(bench.take(ann).empty());
}

TEST(HostedRoomSpeakers, TheLoudestIsFirst) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const auto ben = bench.guest("Ben");
  bench.publish(ann, TrackSource::Microphone);
  bench.publish(ben, TrackSource::Microphone);
  for (int i = 0; i < 20; ++i) {
    bench.say(ann, client::Level{0.3});
    bench.say(ben, client::Level{0.9});
    bench.pass(200ms);
  }
  EXPECT_EQ(bench.peers[ann].view.view().speakers,
            (std::vector<Speaker>{{bench.sid(ben), 0.9}, {bench.sid(ann), 0.3}}));
}

}  // namespace
}  // namespace tactus::conference
