// SPDX-License-Identifier: Apache-2.0
#include "media/stage/packet_clock.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::Rate;
using periodic::TimePoint;

PacketClock clockOf(PacketClock::Stream stream, double speed = 1) {
  PacketClock clock;
  clock.setStream(stream);
  clock.beginSegment(speed);
  return clock;
}

const PacketClock::Stream kFilm{.rate = Rate::perSecond(25)};

TEST(PacketClock, PicturesComeOnePercentFasterThanTheStreamAndTenMayBeAhead) {
  const auto lbap = clockOf(kFilm).ofPictures();
  EXPECT_DOUBLE_EQ(lbap.rate.perSecond(), 25.25);
  EXPECT_EQ(lbap.workahead, 10u);
  EXPECT_DOUBLE_EQ(clockOf(kFilm, 2).ofPictures().rate.perSecond(), 50.5);
  EXPECT_DOUBLE_EQ(clockOf(kFilm, -2).ofPictures().rate.perSecond(), 50.5);
  EXPECT_DOUBLE_EQ(clockOf({}).ofPictures().rate.perSecond(), 30.3);
}

TEST(PacketClock, ASecondOfSoundMayBeAhead) {
  const auto lbap = clockOf({}).ofSound(20ms);
  EXPECT_DOUBLE_EQ(lbap.rate.perSecond(), 50.5);
  EXPECT_EQ(lbap.workahead, 50u);
  EXPECT_EQ(clockOf({}).ofSound(1s).workahead, 4u);
  EXPECT_EQ(clockOf({}).ofSound(std::nullopt).workahead, 50u);
  EXPECT_EQ(clockOf({}).ofSound(0s).workahead, 50u);
}

TEST(PacketClock, SpacingIsTheDistanceOfDecodingTimes) {
  auto clock = clockOf(kFilm);
  EXPECT_EQ(clock.spacing({.decoding = 0ms, .presentation = 80ms}), std::nullopt);
  EXPECT_EQ(clock.spacing({.decoding = 101ms, .presentation = 40ms}), 100ms);
  EXPECT_EQ(clock.spacing({.decoding = 101ms}), std::nullopt);   // twice the same
  EXPECT_EQ(clock.spacing({.decoding = 50ms}), std::nullopt);    // backwards
  EXPECT_EQ(clock.spacing({.decoding = 1051ms}), std::nullopt);  // a gap
  EXPECT_EQ(clock.spacing({.decoding = 2051ms}), Duration(990'099'009));
}

TEST(PacketClock, SpacingIsInRealTime) {
  auto clock = clockOf(kFilm, 4);
  EXPECT_EQ(clock.spacing({.decoding = 0ms}), std::nullopt);
  EXPECT_EQ(clock.spacing({.decoding = 404ms}), 100ms);
  clock.beginSegment(-2);
  EXPECT_EQ(clock.spacing({.decoding = 808ms}), 200ms);
}

TEST(PacketClock, PresentationTimesCountWhereTheyAreInDecodingOrder) {
  auto clock = clockOf({.rate = Rate::perSecond(25), .inDecodingOrder = true});
  EXPECT_EQ(clock.spacing({.presentation = 0ms}), std::nullopt);
  EXPECT_EQ(clock.spacing({.presentation = 101ms}), 100ms);
}

TEST(PacketClock, WhereTheRateIsKnownAndDecodingTimesAreNotTheRateHolds) {
  auto clock = clockOf(kFilm);
  for (const Duration at : {0ms, 120ms, 40ms, 80ms})
    EXPECT_EQ(clock.spacing({.presentation = at}), std::nullopt);
}

TEST(PacketClock, WhereNeitherIsKnownTheMeanHolds) {
  auto clock = clockOf({});
  EXPECT_EQ(clock.spacing({.presentation = 0ms}), std::nullopt);
  EXPECT_EQ(clock.spacing({.presentation = 303ms}), 300ms);  // shown after the next two
  EXPECT_EQ(clock.spacing({.presentation = 101ms}), 150ms);
  EXPECT_EQ(clock.spacing({.presentation = 202ms}), 100ms);
  clock.flush();
  EXPECT_EQ(clock.spacing({.presentation = 9s}), std::nullopt);
  EXPECT_EQ(clock.spacing({.presentation = 9s + 202ms}), 200ms);
}

TEST(PacketClock, AHeaderThatLiesIsCorrectedAfterASecond) {
  auto clock = clockOf({.rate = Rate::perSecond(1000)});
  for (Duration at{0}; at < 1s; at += 40ms) (void)clock.spacing({.decoding = at});
  EXPECT_DOUBLE_EQ(clock.rate()->perSecond(), 1000);
  (void)clock.spacing({.decoding = 1s});
  EXPECT_DOUBLE_EQ(clock.rate()->perSecond(), 25);
  EXPECT_DOUBLE_EQ(clock.ofPictures().rate.perSecond(), 25.25);
  EXPECT_EQ(clock.lead(), 80ms);
}

TEST(PacketClock, ARateThatIsAboutTheDeclaredOneIsTheDeclaredOne) {
  auto clock = clockOf({.rate = Rate::perSecond(24'000, 1001)});
  for (Duration at{0}; at < 3s; at += 42ms) (void)clock.spacing({.decoding = at});
  EXPECT_EQ(clock.rate(), Rate::perSecond(24'000, 1001));
}

TEST(PacketClock, ARateThatChangesIsFollowedEachSecond) {
  auto clock = clockOf({});
  EXPECT_EQ(clock.rate(), std::nullopt);
  Duration at{0};
  for (; at < 2s; at += 20ms) (void)clock.spacing({.decoding = at});
  EXPECT_DOUBLE_EQ(clock.rate()->perSecond(), 50);
  for (; at <= 4s; at += 40ms) (void)clock.spacing({.decoding = at});
  EXPECT_DOUBLE_EQ(clock.rate()->perSecond(), 25);
  for (; at <= 6s; at += 41ms) (void)clock.spacing({.decoding = at});
  EXPECT_DOUBLE_EQ(clock.rate()->perSecond(), 25) << "it is the same";
}

TEST(PacketClock, JumpsAndSeeksAreNoRate) {
  auto clock = clockOf(kFilm);
  for (int jump = 0; jump < 20; ++jump)
    for (const Duration at : {0ms, 400ms, 900ms}) (void)clock.spacing({.decoding = at});
  for (int seek = 0; seek < 20; ++seek) {
    clock.flush();
    for (const Duration at : {0ms, 400ms, 900ms}) (void)clock.spacing({.decoding = at + seek * 1s});
  }
  EXPECT_DOUBLE_EQ(clock.rate()->perSecond(), 25);
}

TEST(PacketClock, TheRateOfSoundIsNotMeasured) {
  auto clock = clockOf({.rate = std::nullopt, .inDecodingOrder = true, .pictures = false});
  for (Duration at{0}; at < 3s; at += 20ms) (void)clock.spacing({.presentation = at});
  EXPECT_EQ(clock.rate(), std::nullopt);
}

TEST(PacketClock, APacketsTurnIsTwoPicturesBeforeItIsDue) {
  auto clock = clockOf(kFilm);
  clock.meet(0ms);
  EXPECT_EQ(clock.turn(TimePoint{10s}), TimePoint{9920ms});
  EXPECT_EQ(clock.keptBack(), 0ms);
}

TEST(PacketClock, TheTurnIsEarlierByEachFurtherThread) {
  auto clock = clockOf({.rate = Rate::perSecond(25), .decoderThreads = 4});
  EXPECT_EQ(clock.turn(TimePoint{10s}), TimePoint{9800ms});
}

TEST(PacketClock, AtDoubleSpeedPicturesLastHalfAsLong) {
  EXPECT_EQ(clockOf(kFilm, 2).turn(TimePoint{10s}), TimePoint{9960ms});
  EXPECT_EQ(clockOf({}, 2).turn(TimePoint{10s}), TimePoint{9920ms});  // rate unknown: 25 per real second
}

TEST(PacketClock, TheTurnIsEarlierByTheReorderingSeen) {
  auto clock = clockOf(kFilm);
  clock.meet(0ms);
  clock.meet(160ms);  // refers to the first; three are shown in between
  EXPECT_EQ(clock.turn(TimePoint{10s}), TimePoint{9920ms});
  clock.meet(80ms);
  EXPECT_EQ(clock.turn(TimePoint{10s}), TimePoint{9840ms});
  clock.meet(40ms);
  EXPECT_EQ(clock.turn(TimePoint{10s}), TimePoint{9800ms});
  EXPECT_EQ(clock.keptBack(), 0ms);
  clock.meet(120ms);
  clock.meet(320ms);  // needed when the decoder is to show the picture at 160 ms
  EXPECT_EQ(clock.keptBack(), 160ms);
}

TEST(PacketClock, AtMostOneSecondIsReordered) {
  auto clock = clockOf(kFilm);
  clock.meet(100s);
  clock.meet(0s);
  EXPECT_EQ(clock.turn(TimePoint{10s}), TimePoint{8920ms});
}

TEST(PacketClock, StampsThatRunBackwardsThoughNothingIsReorderedMakeNothingLate) {
  auto clock = clockOf({.rate = Rate::perSecond(25), .inDecodingOrder = true});
  clock.meet(900ms);
  clock.meet(0ms);
  clock.meet(940ms);
  EXPECT_EQ(clock.turn(TimePoint{10s}), TimePoint{9920ms});
  EXPECT_EQ(clock.keptBack(), 0ms);
}

TEST(PacketClock, ReorderingOutlastsASeekButNotTheFormat) {
  auto clock = clockOf(kFilm);
  clock.meet(120ms);
  clock.meet(0ms);
  clock.flush();
  clock.beginSegment(1);
  clock.meet(0ms);  // another segment: not 120 ms before the latest
  EXPECT_EQ(clock.turn(TimePoint{10s}), TimePoint{9800ms});
  clock.setStream(kFilm);
  EXPECT_EQ(clock.turn(TimePoint{10s}), TimePoint{9920ms});
}

}  // namespace
}  // namespace tactus::media
