// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/arrival_watch.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using Place = SourceLimit::Place;
using Shown = SourceLimit::Shown;

/// What comes in a tenth of a second.
struct Tenth {
  unsigned pictures = 2, picturePackets = 4, soundPackets = 5, lost = 0, others = 0;
};
constexpr Tenth kWhole = {};
constexpr Tenth kNothing = {0, 0, 0, 0, 0};

/// A stream with 20 pictures of two packets and 50 packets of sound a second, looked at ten times a second.
class ArrivalWatchTest : public ::testing::Test {
 protected:
  SourceLimit passes(periodic::Duration time, const Tenth& tenth = kWhole) {
    for (auto passed = 0ms; passed < time; passed += 100ms) {
      m_now += 100ms;
      m_counters.pictures += tenth.pictures;
      m_counters.picturePackets += tenth.picturePackets;
      m_counters.soundPackets += tenth.soundPackets;
      m_counters.lost += tenth.lost;
      m_counters.heard += tenth.picturePackets + tenth.soundPackets + tenth.others;
      m_watch.look(m_now, m_counters);
    }
    return m_watch.limit();
  }

  ArrivalWatch m_watch;
  ArrivalWatch::Counters m_counters{.expected = true};
  periodic::TimePoint m_now{1000s};
};

TEST_F(ArrivalWatchTest, OfAStreamThatComesWholeNothingIsSaid) {
  EXPECT_EQ(passes(30s), SourceLimit());
}

TEST_F(ArrivalWatchTest, LossThatCostsPicturesIsTheOwnLine) {
  (void)passes(10s);
  // Half of the pictures: of 9 packets 2 are lost.
  const Tenth half{1, 2, 5, 2};
  const SourceLimit limit = passes(5s, half);
  EXPECT_EQ(limit.place, Place::OwnLine);
  EXPECT_EQ(limit.shown, Shown::FewerPictures);
  EXPECT_NEAR(limit.lost, 2.0 / 9, 1e-9);
  EXPECT_EQ(passes(60s, half).place, Place::OwnLine) << "the usual rate is not learned from it";
}

TEST_F(ArrivalWatchTest, LossWithoutMissingPicturesIsNoLimit) {
  (void)passes(10s);
  EXPECT_EQ(passes(20s, {2, 4, 5, 2}), SourceLimit());
}

TEST_F(ArrivalWatchTest, FewerPicturesWithoutLossAreNoLimitOfTheLine) {
  (void)passes(10s);
  EXPECT_EQ(passes(20s, {1, 2, 5, 0}), SourceLimit());
}

TEST_F(ArrivalWatchTest, WhatIsBelowTheShareOfLossIsNoLimit) {
  (void)passes(10s);
  // 1 of 21 packets is less than 0.05.
  EXPECT_EQ(passes(20s, {1, 10, 10, 1}), SourceLimit());
}

TEST_F(ArrivalWatchTest, ALimitIsSaidOneSecondAfterItBegan) {
  (void)passes(10s);
  // From the first tenth on no picture comes: after 0.7 s they are less than 0.8 of the usual.
  const Tenth none{0, 0, 5, 4};
  EXPECT_EQ(passes(1600ms, none), SourceLimit());
  EXPECT_EQ(passes(100ms, none).place, Place::OwnLine);
}

TEST_F(ArrivalWatchTest, ALimitEndsOneSecondAfterItIsOver) {
  (void)passes(10s);
  ASSERT_EQ(passes(4s, {1, 2, 5, 2}).place, Place::OwnLine);
  // In the window of 3 s pictures are 0.8 of the usual again after 1.8 s.
  EXPECT_EQ(passes(2700ms).place, Place::OwnLine);
  EXPECT_EQ(passes(100ms), SourceLimit());
}

TEST_F(ArrivalWatchTest, AMomentOfLossIsNotSaid) {
  (void)passes(10s);
  EXPECT_EQ(passes(300ms, {0, 0, 5, 4}), SourceLimit());
  EXPECT_EQ(passes(10s), SourceLimit());
}

TEST_F(ArrivalWatchTest, WithoutAnyWholePictureTheLineShowsNone) {
  (void)passes(10s);
  const SourceLimit limit = passes(6s, {0, 2, 5, 2});
  EXPECT_EQ(limit.place, Place::OwnLine);
  EXPECT_EQ(limit.shown, Shown::NoPicture);
}

TEST_F(ArrivalWatchTest, PicturesThatStopWhileSoundComesAreTheirProgram) {
  (void)passes(10s);
  const Tenth sound{0, 0, 5, 0};
  EXPECT_EQ(passes(2900ms, sound), SourceLimit());
  const SourceLimit limit = passes(100ms, sound);
  EXPECT_EQ(limit.place, Place::TheirProgram);
  EXPECT_EQ(limit.shown, Shown::NoPicture);
  EXPECT_EQ(passes(900ms).place, Place::TheirProgram);
  EXPECT_EQ(passes(200ms), SourceLimit()) << "they came again";
}

TEST_F(ArrivalWatchTest, WhatIsLostAltogetherIsNotTheirProgram) {
  (void)passes(10s);
  EXPECT_EQ(passes(10s, {0, 0, 5, 4}).place, Place::OwnLine);
}

TEST_F(ArrivalWatchTest, ReportsAloneShowThatTheLineIsThere) {
  (void)passes(10s);
  EXPECT_EQ(passes(4900ms, kNothing), SourceLimit());
  (void)passes(100ms, {0, 0, 0, 0, 1});
  EXPECT_EQ(passes(1s, kNothing).place, Place::TheirProgram);
  EXPECT_EQ(passes(4s, kNothing).place, Place::TheirProgram);
  EXPECT_EQ(passes(3s, kNothing), SourceLimit()) << "no report for 8 s";
}

TEST_F(ArrivalWatchTest, WhenNothingComesAtAllNobodyKnowsWhy) {
  (void)passes(10s);
  EXPECT_EQ(passes(20s, kNothing), SourceLimit());
}

TEST_F(ArrivalWatchTest, PacketsThatWaitForAKeyframeAreNoSilence) {
  (void)passes(10s);
  EXPECT_EQ(passes(10s, {0, 4, 5, 0}), SourceLimit());
}

TEST_F(ArrivalWatchTest, WhatIsNotExpectedIsNotMissed) {
  (void)passes(10s);
  const Tenth sound{0, 0, 5, 0};
  ASSERT_EQ(passes(5s, sound).place, Place::TheirProgram);
  m_counters.expected = false;
  EXPECT_EQ(passes(100ms, sound), SourceLimit()) << "at once";
  (void)passes(60s, sound);
  m_counters.expected = true;
  EXPECT_EQ(passes(3s, sound), SourceLimit()) << "they have time to come";
  EXPECT_EQ(passes(100ms, sound).place, Place::TheirProgram);
}

TEST_F(ArrivalWatchTest, AStreamThatHasNotBegunIsNotMissed) {
  EXPECT_EQ(passes(20s, {0, 0, 5, 0}), SourceLimit());
}

TEST_F(ArrivalWatchTest, ALowerRateBecomesTheUsualOne) {
  (void)passes(10s);
  (void)passes(60s, {1, 2, 5, 0});
  EXPECT_EQ(passes(10s, {1, 2, 5, 2}), SourceLimit()) << "of the pictures sent none is missing";
}

}  // namespace
}  // namespace tactus::media
