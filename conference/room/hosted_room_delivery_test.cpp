// SPDX-License-Identifier: Apache-2.0
// What receivers are told of how pictures reach them, and what senders say of theirs.
#include <gtest/gtest.h>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_fixture.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using testing::RoomBench;

constexpr TrackDelivery kWhole{};
constexpr TrackDelivery kSmaller{DeliveredPictures::Smaller, DeliveryLimit::ReceiverLine, 900, 0.1};
constexpr TrackDelivery kFewer{DeliveredPictures::Fewer, DeliveryLimit::SenderLine, {}, 0.2};

/// Ann publishes a camera, and Ben and Cleo are there.
class HostedRoomDelivery : public ::testing::Test {
 protected:
  void deliver(ConnectionId receiver, const TrackDelivery& delivery,
               TrackSource source = TrackSource::Camera) {
    const std::vector<PictureDelivery> all{{m_bench.sid(receiver), m_bench.sid(m_ann), source, delivery}};
    m_bench.room.deliver(all);
    m_bench.pass(0s);
  }
  /// What was told of a track since the last call.
  std::vector<TrackDelivery> told(ConnectionId receiver, const TrackSid& track) {
    std::vector<TrackDelivery> all;
    for (const ServerMessage& each : m_bench.take(receiver))
      if (const auto* const delivery = std::get_if<server::Delivery>(&each)) {
        EXPECT_EQ(delivery->track, track);
        all.push_back(delivery->delivery);
      }
    return all;
  }
  std::vector<TrackDelivery> told(ConnectionId receiver) { return told(receiver, m_camera); }
  /// What Ann said since the last call.
  std::vector<SendingChanged> said() {
    std::vector<SendingChanged> all;
    for (const RoomNews& each : m_bench.room.takeNews())
      if (const auto* const changed = std::get_if<SendingChanged>(&each)) all.push_back(*changed);
    return all;
  }
  using Told = std::vector<TrackDelivery>;
  using Said = std::vector<SendingChanged>;

  RoomBench m_bench;
  ConnectionId m_ann = m_bench.guest("Ann");
  ConnectionId m_ben = m_bench.guest("Ben");
  ConnectionId m_cleo = m_bench.guest("Cleo");
  TrackSid m_camera = m_bench.publish(m_ann, TrackSource::Camera).sid;
};

TEST_F(HostedRoomDelivery, ATrackIsWholeWithoutAWord) {
  deliver(m_ben, kWhole);
  EXPECT_EQ(told(m_ben), Told{});
}

TEST_F(HostedRoomDelivery, AChangeIsToldOnceAndToItsReceiverAlone) {
  deliver(m_ben, kSmaller);
  deliver(m_ben, kSmaller);
  EXPECT_EQ(told(m_ben), Told{kSmaller});
  EXPECT_EQ(told(m_ann), Told{});
  EXPECT_EQ(told(m_cleo), Told{});
  deliver(m_ben, kFewer);
  deliver(m_ben, kWhole);
  deliver(m_ben, kWhole);
  EXPECT_EQ(told(m_ben), (Told{kFewer, kWhole}));
}

TEST_F(HostedRoomDelivery, SmallChangesAreComparedWithWhatWasToldLast) {
  deliver(m_ben, kSmaller);
  TrackDelivery less = kSmaller;
  less.carried = 700;
  deliver(m_ben, less);
  EXPECT_EQ(told(m_ben), Told{kSmaller});
  less.carried = 600;
  deliver(m_ben, less);
  EXPECT_EQ(told(m_ben), Told{less});
}

TEST_F(HostedRoomDelivery, EachStreamIsToldOfItsNewestTrack) {
  const TrackSid screen = m_bench.publish(m_ann, TrackSource::Screen).sid;
  m_bench.take(m_ben);
  deliver(m_ben, kSmaller, TrackSource::Screen);
  EXPECT_EQ(told(m_ben, screen), Told{kSmaller});
  const TrackSid other = m_bench.publish(m_ann, TrackSource::Camera).sid;
  deliver(m_ben, kFewer);
  EXPECT_EQ(told(m_ben, other), Told{kFewer});
}

TEST_F(HostedRoomDelivery, OfWhatIsNotPublishedAnyMoreNothingIsTold) {
  deliver(m_ben, kSmaller);
  m_bench.say(m_ann, client::Unpublish{m_camera});
  m_bench.take(m_ben);
  deliver(m_ben, kFewer);
  EXPECT_EQ(told(m_ben), Told{});
  const TrackSid again = m_bench.publish(m_ann, TrackSource::Camera).sid;
  deliver(m_ben, kWhole);
  EXPECT_EQ(told(m_ben, again), Told{}) << "a new track is whole without a word";
}

TEST_F(HostedRoomDelivery, WhoComesBackIsToldAnew) {
  deliver(m_ben, kSmaller);
  m_bench.cut(m_ben);
  deliver(m_ben, kFewer);
  const ConnectionId again = m_bench.comeBack(m_ben);
  EXPECT_EQ(told(again), Told{});
  deliver(again, kSmaller);
  deliver(again, kSmaller);
  EXPECT_EQ(told(again), Told{kSmaller});
}

TEST_F(HostedRoomDelivery, OfWhomHasLeftAndToWhomHasLeftNothingIsTold) {
  const ParticipantSid ben = m_bench.sid(m_ben), ann = m_bench.sid(m_ann), cleo = m_bench.sid(m_cleo);
  m_bench.say(m_ben, client::Leave{});
  m_bench.take(m_ben);
  const std::vector<PictureDelivery> toBen{{ben, ann, TrackSource::Camera, kSmaller}};
  m_bench.room.deliver(toBen);
  m_bench.say(m_ann, client::Leave{});
  m_bench.take(m_cleo);
  const std::vector<PictureDelivery> ofAnn{{cleo, ann, TrackSource::Camera, kSmaller}};
  m_bench.room.deliver(ofAnn);
  m_bench.pass(0s);
  EXPECT_EQ(told(m_ben), Told{});
  EXPECT_EQ(told(m_cleo), Told{});
}

TEST_F(HostedRoomDelivery, OfSoundNothingIsTold) {
  m_bench.publish(m_ann, TrackSource::Microphone);
  m_bench.take(m_ben);
  deliver(m_ben, kSmaller, TrackSource::Microphone);
  EXPECT_EQ(told(m_ben), Told{});
}

TEST_F(HostedRoomDelivery, WhatASenderSaysOfItsPicturesIsNews) {
  said();
  m_bench.take(m_ben);
  m_bench.say(m_ann, client::Sending{m_camera, kFewer});
  EXPECT_EQ(said(), (Said{{m_camera, kFewer}}));
  EXPECT_TRUE(m_bench.take(m_ben).empty());
  m_bench.say(m_ann, client::Sending{m_camera, kWhole});
  EXPECT_EQ(said(), (Said{{m_camera, kWhole}}));
}

TEST_F(HostedRoomDelivery, NobodySpeaksOfSoundOrOfTracksOfOthers) {
  const TrackSid microphone = m_bench.publish(m_ann, TrackSource::Microphone).sid;
  said();
  m_bench.say(m_ann, client::Sending{microphone, kFewer});
  EXPECT_EQ(m_bench.last<server::Error>(m_ann).code, MessageFault::NotFound);
  m_bench.say(m_ben, client::Sending{m_camera, kFewer});
  EXPECT_EQ(m_bench.last<server::Error>(m_ben).code, MessageFault::NotFound);
  EXPECT_EQ(m_bench.last<server::Error>(m_ben).about, "track_sending");
  EXPECT_EQ(said(), Said{});
}

TEST_F(HostedRoomDelivery, WhatASenderSaidHoldsUntilItComesBack) {
  m_bench.say(m_ann, client::Sending{m_camera, kFewer});
  said();
  m_bench.cut(m_ann);
  EXPECT_EQ(said(), Said{});
  const ConnectionId again = m_bench.comeBack(m_ann);
  EXPECT_EQ(said(), (Said{{m_camera, kWhole}}));
  m_bench.say(again, client::Sending{m_camera, kWhole});
  said();
  m_bench.comeBack(again);
  EXPECT_EQ(said(), Said{});
}

}  // namespace
}  // namespace tactus::conference
