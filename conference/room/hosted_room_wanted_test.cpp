// SPDX-License-Identifier: Apache-2.0
// What a publisher of pictures is told of how large they are wanted.
#include <gtest/gtest.h>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_fixture.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using testing::RoomBench;

constexpr TrackWanted kAsItIs{true, 0, 0};
constexpr TrackWanted kNobody{false, 0, 0};

/// Ann publishes a camera, and Ben and Cleo are there.
class HostedRoomWanted : public ::testing::Test {
 protected:
  void want(ConnectionId receiver, const TrackSetting& setting) {
    m_bench.say(receiver, client::SetTrack{m_camera, setting});
  }
  void want(ConnectionId receiver, std::uint32_t width, std::uint32_t height) {
    want(receiver, {true, width, height, {}, TrackPriority::Normal});
  }
  void wantNothing(ConnectionId receiver) { want(receiver, {false, 0, 0, {}, TrackPriority::Normal}); }
  /// What was told of the camera since the last call.
  std::vector<TrackWanted> told(ConnectionId publisher) {
    std::vector<TrackWanted> all;
    for (const ServerMessage& each : m_bench.take(publisher))
      if (const auto* const wanted = std::get_if<server::Wanted>(&each)) {
        EXPECT_EQ(wanted->track, m_camera);
        all.push_back(wanted->wanted);
      }
    return all;
  }
  using Told = std::vector<TrackWanted>;

  RoomBench m_bench;
  ConnectionId m_ann = m_bench.guest("Ann");
  ConnectionId m_ben = m_bench.guest("Ben");
  ConnectionId m_cleo = m_bench.guest("Cleo");
  TrackSid m_camera = m_bench.publish(m_ann, TrackSource::Camera).sid;
};

TEST_F(HostedRoomWanted, ANewTrackIsWantedAsItIsWithoutAWord) {
  EXPECT_EQ(told(m_ann), Told{});
}

TEST_F(HostedRoomWanted, WhoSetsNothingWantsItAsItIs) {
  want(m_ben, 320, 180);
  EXPECT_EQ(told(m_ann), Told{});
}

TEST_F(HostedRoomWanted, TheLargestOfAllSizesIsWanted) {
  want(m_ben, 320, 180);
  want(m_cleo, 640, 360);
  EXPECT_EQ(told(m_ann), (Told{{true, 640, 360}}));
  want(m_ben, 180, 400);
  EXPECT_EQ(told(m_ann), (Told{{true, 640, 400}}));
  want(m_cleo, 160, 0);
  EXPECT_EQ(told(m_ann), (Told{{true, 180, 0}}));
}

TEST_F(HostedRoomWanted, WhoWantsNothingDoesNotCount) {
  wantNothing(m_ben);
  EXPECT_EQ(told(m_ann), Told{});
  want(m_cleo, 320, 180);
  EXPECT_EQ(told(m_ann), (Told{{true, 320, 180}}));
  want(m_cleo, {false, 320, 180, {}, TrackPriority::Normal});
  EXPECT_EQ(told(m_ann), Told{kNobody});
  want(m_ben, 0, 0);
  EXPECT_EQ(told(m_ann), Told{kAsItIs});
}

TEST_F(HostedRoomWanted, NothingIsToldTwiceAndNothingToOthers) {
  wantNothing(m_ben);
  want(m_cleo, 320, 180);
  want(m_cleo, 320, 180);
  want(m_cleo, {true, 320, 180, periodic::Rate::perSecond(15), TrackPriority::High});
  EXPECT_EQ(told(m_ann), (Told{{true, 320, 180}}));
  EXPECT_EQ(told(m_ben), Told{});
  EXPECT_EQ(told(m_cleo), Told{});
}

TEST_F(HostedRoomWanted, WhoComesWantsItAsItIsAtFirst) {
  want(m_ben, 320, 180);
  want(m_cleo, 320, 180);
  EXPECT_EQ(told(m_ann), (Told{{true, 320, 180}}));
  const auto dora = m_bench.guest("Dora");
  EXPECT_EQ(told(m_ann), Told{kAsItIs});
  want(dora, 640, 360);
  EXPECT_EQ(told(m_ann), (Told{{true, 640, 360}}));
}

TEST_F(HostedRoomWanted, WhoLeavesDoesNotCountAnyMore) {
  want(m_ben, 320, 180);
  want(m_cleo, 640, 360);
  told(m_ann);
  m_bench.say(m_cleo, client::Leave{});
  EXPECT_EQ(told(m_ann), (Told{{true, 320, 180}}));
}

TEST_F(HostedRoomWanted, WhoIsLostCountsUntilItsStayIsOver) {
  want(m_ben, 320, 180);
  want(m_cleo, 640, 360);
  told(m_ann);
  m_bench.cut(m_cleo);
  m_bench.pass(29s);
  EXPECT_EQ(told(m_ann), Told{});
  m_bench.pass(1s);
  EXPECT_EQ(told(m_ann), (Told{{true, 320, 180}}));
}

TEST_F(HostedRoomWanted, WithNobodyElseThereWhatWasToldHolds) {
  wantNothing(m_ben);
  want(m_cleo, 320, 180);
  told(m_ann);
  m_bench.say(m_ben, client::Leave{});
  m_bench.say(m_cleo, client::Leave{});
  EXPECT_EQ(told(m_ann), Told{});
  const auto again = m_bench.comeBack(m_ann);
  EXPECT_EQ(told(again), (Told{{true, 320, 180}}));
  m_bench.guest("Dora");
  EXPECT_EQ(told(again), Told{kAsItIs});
}

TEST_F(HostedRoomWanted, APublisherThatComesBackIsToldAfterTheJoin) {
  wantNothing(m_ben);
  want(m_cleo, 320, 180);
  m_bench.cut(m_ann);
  want(m_cleo, 160, 90);
  const auto again = m_bench.comeBack(m_ann);
  ASSERT_EQ(m_bench.peers[again].heard.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<server::Joined>(m_bench.peers[again].heard[0]));
  EXPECT_EQ(told(again), (Told{{true, 160, 90}}));
  want(m_cleo, 0, 0);
  EXPECT_EQ(told(again), Told{kAsItIs});
  EXPECT_EQ(told(m_bench.comeBack(m_ann)), Told{});
}

TEST_F(HostedRoomWanted, EachTrackOfPicturesIsWantedByItself) {
  const TrackSid screen = m_bench.publish(m_ann, TrackSource::Screen).sid;
  for (const auto receiver : {m_ben, m_cleo})
    m_bench.say(receiver, client::SetTrack{screen, {true, 1280, 720, {}, TrackPriority::Normal}});
  EXPECT_EQ(m_bench.last<server::Wanted>(m_ann), (server::Wanted{screen, {true, 1280, 720}}));
  m_bench.take(m_ann);
  wantNothing(m_ben);
  wantNothing(m_cleo);
  EXPECT_EQ(told(m_ann), Told{kNobody});
}

TEST_F(HostedRoomWanted, OfSoundNothingIsTold) {
  const TrackSid microphone = m_bench.publish(m_ann, TrackSource::Microphone).sid;
  m_bench.take(m_ann);
  for (const auto receiver : {m_ben, m_cleo})
    m_bench.say(receiver, client::SetTrack{microphone, {false, 0, 0, {}, TrackPriority::Normal}});
  EXPECT_TRUE(m_bench.take(m_ann).empty());
}

TEST_F(HostedRoomWanted, AStreamOfAProgramWantsNothing) {
  wantNothing(m_ben);
  wantNothing(m_cleo);
  EXPECT_EQ(told(m_ann), Told{kNobody});
  const auto stream =
      m_bench.room.beginIngress(m_bench.guestToken, "OBS", {TrackSource::Camera}, m_bench.now.at);
  m_bench.pass(0s);
  m_bench.room.endIngress(std::get<ParticipantSid>(stream), LeaveReason::Left);
  m_bench.pass(0s);
  EXPECT_EQ(told(m_ann), Told{});
}

}  // namespace
}  // namespace tactus::conference
