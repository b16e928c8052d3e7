// SPDX-License-Identifier: Apache-2.0
#include "conference/told_deliveries.h"

#include <gtest/gtest.h>

namespace tactus::conference {
namespace {

using media::SourceLimit;
using Place = SourceLimit::Place;
using Shown = SourceLimit::Shown;

const ParticipantSid kAnn = *ParticipantSid::parse("PA_ann");
const TrackSid kCamera = *TrackSid::parse("TR_camera"), kScreen = *TrackSid::parse("TR_screen"),
               kMicrophone = *TrackSid::parse("TR_microphone");
const StreamKey kAnnsCamera{kAnn, StreamName::Camera}, kAnnsScreen{kAnn, StreamName::Screen};
const TrackDelivery kSmaller{DeliveredPictures::Smaller, DeliveryLimit::ReceiverLine, 400, 0.25};

/// Ann with camera, microphone and screen.
RoomView room() {
  ParticipantInfo ann{.sid = kAnn, .name = "Ann"};
  ann.tracks = {{kCamera, {.source = TrackSource::Camera}, false},
                {kMicrophone, {.source = TrackSource::Microphone}, false},
                {kScreen, {.source = TrackSource::Screen}, false}};
  RoomView view;
  view.others = {ann};
  return view;
}

TEST(ToldDeliveries, EachLimitOfTheRoomIsOneOfTheStream) {
  EXPECT_EQ(limitOf({}), SourceLimit());
  EXPECT_EQ(limitOf(kSmaller), (SourceLimit{Place::OwnLine, Shown::SmallerPicture, 400'000.0, 0.25}));
  EXPECT_EQ(limitOf({DeliveredPictures::Fewer, DeliveryLimit::SenderLine}),
            (SourceLimit{Place::TheirLine, Shown::FewerPictures}));
  EXPECT_EQ(limitOf({DeliveredPictures::None, DeliveryLimit::SenderComputer}),
            (SourceLimit{Place::TheirComputer, Shown::NoPicture}));
  EXPECT_EQ(limitOf({DeliveredPictures::None, DeliveryLimit::SenderProgram}),
            (SourceLimit{Place::TheirProgram, Shown::NoPicture}));
}

TEST(ToldDeliveries, WhatIsToldOfATrackIsKnownOfItsStreamAlone) {
  ToldDeliveries told;
  told.tell(room(), kCamera, kSmaller);
  EXPECT_EQ(told.of(kAnnsCamera).place, Place::OwnLine);
  EXPECT_EQ(told.of(kAnnsScreen), SourceLimit());
  told.tell(room(), kCamera, {});
  EXPECT_EQ(told.of(kAnnsCamera), SourceLimit());
}

TEST(ToldDeliveries, OfSoundAndOfTracksThatNobodyHasNothingIsKnown) {
  ToldDeliveries told;
  told.tell(room(), kMicrophone, kSmaller);
  told.tell(RoomView(), kCamera, kSmaller);
  EXPECT_EQ(told.of(kAnnsCamera), SourceLimit());
}

TEST(ToldDeliveries, ItHoldsAsLongAsTheTrackDoes) {
  ToldDeliveries told;
  told.tell(room(), kCamera, kSmaller);
  told.tell(room(), kScreen, kSmaller);
  told.follow(room());
  EXPECT_EQ(told.of(kAnnsCamera).place, Place::OwnLine);
  RoomView anew = room();
  anew.others[0].tracks[0].sid = *TrackSid::parse("TR_camera2");
  told.follow(anew);
  EXPECT_EQ(told.of(kAnnsCamera), SourceLimit()) << "it was published anew";
  EXPECT_EQ(told.of(kAnnsScreen).place, Place::OwnLine);
}

TEST(ToldDeliveries, AllOfItCanBeForgotten) {
  ToldDeliveries told;
  told.tell(room(), kCamera, kSmaller);
  told.forget();
  EXPECT_EQ(told.of(kAnnsCamera), SourceLimit());
}

}  // namespace
}  // namespace tactus::conference
