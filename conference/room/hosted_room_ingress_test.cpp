// SPDX-License-Identifier: Apache-2.0
// Participants of a hosted room who have no connection: they send by WHIP alone.
#include <gtest/gtest.h>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_fixture.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using testing::RoomBench;

const std::vector<TrackSource> kBoth{TrackSource::Camera, TrackSource::Microphone};

/// Of an ingress that is let in.
ParticipantSid begin(RoomBench& bench, const std::string& token, const std::string& name = "Stream") {
  const auto begun = bench.room.beginIngress(token, name, kBoth, bench.now.at);
  bench.pass(0s);
  const auto* const sid = std::get_if<ParticipantSid>(&begun);
  EXPECT_NE(sid, nullptr) << std::get<server::Refused>(begun).message;
  return sid != nullptr ? *sid : ParticipantSid();
}
/// Of one that is not.
RefusalReason refusal(RoomBench& bench, const std::string& token, const std::string& name = "Stream") {
  const auto before = bench.room.participants();
  const auto begun = bench.room.beginIngress(token, name, kBoth, bench.now.at);
  EXPECT_EQ(bench.room.participants(), before);
  const auto* const refused = std::get_if<server::Refused>(&begun);
  EXPECT_NE(refused, nullptr);
  if (refused == nullptr) return RefusalReason::Name;
  EXPECT_TRUE(refused->message.ends_with('.')) << refused->message;
  return refused->reason;
}

TEST(HostedRoomIngress, IsAGuestWithATrackOfEachSourceWhateverItsLink) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  (void)bench.room.takeNews();
  const ParticipantSid sid = begin(bench, bench.hostToken, "Concert");
  const RoomView view = bench.peers[ann].view.view();
  ASSERT_EQ(view.others.size(), 1U);
  EXPECT_EQ(view.others[0].sid, sid);
  EXPECT_EQ(view.others[0].name, "Concert");
  EXPECT_EQ(view.others[0].role, Role::Guest);
  ASSERT_EQ(view.others[0].tracks.size(), 2U);
  EXPECT_EQ(view.others[0].tracks[0].description.source, TrackSource::Camera);
  EXPECT_EQ(view.others[0].tracks[1].description.source, TrackSource::Microphone);
  const auto news = bench.room.takeNews();
  ASSERT_EQ(news.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<server::ParticipantJoined>(news[0]));
  EXPECT_TRUE(std::holds_alternative<server::TrackPublished>(news[2]));
}

TEST(HostedRoomIngress, StaysWithoutAConnectionUntilItEnds) {
  RoomBench bench;
  const auto ann = bench.guest("Ann");
  const ParticipantSid sid = begin(bench, bench.guestToken);
  bench.pass(24h);
  EXPECT_EQ(bench.room.participants().size(), 2U);
  bench.room.endIngress(sid, LeaveReason::Lost);
  bench.pass(0s);
  EXPECT_EQ(bench.last<server::ParticipantLeft>(ann), (server::ParticipantLeft{sid, LeaveReason::Lost}));
  bench.take(ann);
  bench.room.endIngress(sid, LeaveReason::Left);
  bench.room.endIngress(bench.sid(ann), LeaveReason::Left);  // a client leaves by itself
  bench.pass(0s);
  EXPECT_TRUE(bench.take(ann).empty());
}

TEST(HostedRoomIngress, NamesAreMadeUnique) {
  RoomBench bench;
  const auto ann = bench.guest("Stream");
  begin(bench, bench.guestToken);
  EXPECT_EQ(bench.peers[ann].view.view().others.at(0).name, "Stream (2)");
  EXPECT_EQ(refusal(bench, bench.guestToken, ""), RefusalReason::Name);
}

TEST(HostedRoomIngress, IsRefusedAsAClientIs) {
  RoomBench bench({.mostParticipants = 2});
  const auto ann = bench.host("Ann");
  EXPECT_EQ(refusal(bench, "nobody's"), RefusalReason::Expired);
  bench.say(ann, client::Lock{true});
  EXPECT_EQ(refusal(bench, bench.guestToken), RefusalReason::Locked);
  bench.say(ann, client::Lock{false});
  bench.say(ann, client::Lobby{true});
  EXPECT_EQ(refusal(bench, bench.guestToken), RefusalReason::Removed);
  begin(bench, bench.hostToken);
  EXPECT_EQ(refusal(bench, bench.hostToken, "Other"), RefusalReason::Full);
}

TEST(HostedRoomIngress, IsNotLetInByAnInvitationThatIsOver) {
  RoomBench bench;
  const auto ann = bench.host("Ann");
  const std::string token = bench.room.invite(Role::Guest, 10s, bench.now.at).value().link;
  begin(bench, token, "First");
  bench.pass(10s);
  EXPECT_TRUE(bench.room.admits(token, bench.now.at));  // so that it can end what it began
  EXPECT_EQ(refusal(bench, token, "Second"), RefusalReason::Expired);
  EXPECT_EQ(bench.peers[ann].view.view().others.size(), 1U);
}

TEST(HostedRoomIngress, OneThatAHostRemovedDoesNotComeBackByItself) {
  RoomBench bench;
  const auto ann = bench.host("Ann");
  const ParticipantSid sid = begin(bench, bench.guestToken);
  bench.say(ann, client::Remove{sid});
  EXPECT_EQ(bench.last<server::ParticipantLeft>(ann), (server::ParticipantLeft{sid, LeaveReason::Removed}));
  EXPECT_EQ(refusal(bench, bench.guestToken), RefusalReason::Removed);
  begin(bench, bench.guestToken, "Other");
  begin(bench, bench.room.invite(Role::Guest, {}, bench.now.at).value().link);
}

TEST(HostedRoomIngress, AHostMutesItsTrackAndUnmutesIt) {
  RoomBench bench;
  const auto ann = bench.host("Ann");
  const ParticipantSid sid = begin(bench, bench.guestToken);
  const TrackSid track = bench.room.participants().at(1).tracks.at(1).sid;
  bench.say(ann, client::MuteParticipant{sid, track});
  EXPECT_EQ(bench.last<server::TrackMuted>(ann), (server::TrackMuted{sid, track, true}));
  bench.say(ann, client::MuteParticipant{sid, track, false});
  EXPECT_EQ(bench.last<server::TrackMuted>(ann), (server::TrackMuted{sid, track, false}));
  EXPECT_TRUE(bench.room.participants().at(1).ingress);
}

}  // namespace
}  // namespace tactus::conference
