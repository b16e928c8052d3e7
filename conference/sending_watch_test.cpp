// SPDX-License-Identifier: Apache-2.0
#include "conference/sending_watch.h"

#include <gtest/gtest.h>

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using net::BitRate;

constexpr TrackDelivery kWhole = {};

/// A camera of 20 pictures a second in two sizes, of 800 and 200 kbit/s, on a path that carries both.
class SendingWatchTest : public ::testing::Test {
 protected:
  SendingWatchTest() {
    report.state = media::CallState::Live;
    report.tracks.resize(2);
    report.tracks[0].most = report.tracks[0].rate = BitRate::perSecond(800'000);
    report.tracks[1].most = report.tracks[1].rate = BitRate::perSecond(200'000);
    setPath(1'000'000, 1'000'000);
  }
  void setPath(std::int64_t capacity, std::int64_t received, double loss = 0) {
    report.path = net::BandwidthEstimate{.target = BitRate::perSecond(capacity),
                                         .capacity = BitRate::perSecond(capacity),
                                         .received = BitRate::perSecond(received),
                                         .loss = loss};
  }
  void captureOne(media::SendingFigures& layer) const {
    layer.captured += captured;
    if (!layer.paused) layer.taken += taken;
  }
  TrackDelivery looks(int times) {
    TrackDelivery said;
    for (int i = 0; i < times; ++i) {
      now += 1s;
      for (auto& layer : report.tracks) captureOne(layer);
      said = watch.look(now, report);
    }
    return said;
  }
  media::SendingFigures& large() { return report.tracks[0]; }
  media::SendingFigures& small() { return report.tracks[1]; }

  std::uint64_t captured = 20, taken = 20;  // pictures a second
  media::OutgoingReport report;
  SendingWatch watch;
  periodic::TimePoint now{1000s};
};

TEST_F(SendingWatchTest, WhatIsSentAsItIsWantedIsWhole) {
  EXPECT_EQ(looks(20), kWhole);
}

TEST_F(SendingWatchTest, TheLargerSizeRestsForWantOfRate) {
  ASSERT_EQ(looks(5), kWhole);
  large().paused = true;
  setPath(300'000, 280'000, 0.02);
  EXPECT_EQ(looks(1), kWhole) << "found once";
  EXPECT_EQ(looks(1), (TrackDelivery{DeliveredPictures::Smaller, DeliveryLimit::SenderLine, 300, 0.02}));
  setPath(400'000, 280'000);
  EXPECT_EQ(looks(1).carried, 400U) << "figures are said at once";
  large().paused = false;
  EXPECT_EQ(looks(1).limit, DeliveryLimit::SenderLine);
  EXPECT_EQ(looks(1), kWhole);
}

TEST_F(SendingWatchTest, ASizeThatNobodyWantsIsNotMissed) {
  large().wanted = false;
  large().paused = true;
  EXPECT_EQ(looks(5), kWhole);
  small().wanted = false;
  small().paused = true;
  EXPECT_EQ(looks(5), kWhole);
}

TEST_F(SendingWatchTest, LessThanHalfOfTheRateIsTheLine) {
  large().rate = BitRate::perSecond(399'000);
  setPath(599'000, 590'000);
  EXPECT_EQ(looks(2), (TrackDelivery{DeliveredPictures::Smaller, DeliveryLimit::SenderLine, 599}));
  large().rate = BitRate::perSecond(400'000);
  EXPECT_EQ(looks(2), kWhole);
}

TEST_F(SendingWatchTest, OfASingleSizeTheLineTakesPictures) {
  report.tracks.resize(1);
  large().rate = BitRate::perSecond(100'000);
  setPath(100'000, 90'000, 0.5);
  EXPECT_EQ(looks(2), (TrackDelivery{DeliveredPictures::Fewer, DeliveryLimit::SenderLine, 100, 0.5}));
}

TEST_F(SendingWatchTest, WhoUsesLittleOfItsRateIsNotLimitedByIt) {
  report.tracks.resize(1);
  large().rate = BitRate::perSecond(300'000);
  setPath(300'000, 149'000);
  EXPECT_EQ(looks(5), kWhole);
}

TEST_F(SendingWatchTest, PicturesThatDoNotComeToTheEncoderAreTheComputers) {
  ASSERT_EQ(looks(5), kWhole);
  taken = 15;
  EXPECT_EQ(looks(3), kWhole) << "a quarter of the last 3 s was found once";
  EXPECT_EQ(looks(1), (TrackDelivery{DeliveredPictures::Fewer, DeliveryLimit::SenderComputer}));
  taken = 20;
  EXPECT_EQ(looks(1).limit, DeliveryLimit::SenderComputer);
  EXPECT_EQ(looks(1), kWhole);
}

TEST_F(SendingWatchTest, AFifthMayBeDropped) {
  taken = 16;
  EXPECT_EQ(looks(20), kWhole);
}

TEST_F(SendingWatchTest, AnEncoderThatTakesNothingLeavesNoPicture) {
  taken = 0;
  EXPECT_EQ(looks(5), (TrackDelivery{DeliveredPictures::None, DeliveryLimit::SenderComputer}));
}

TEST_F(SendingWatchTest, TheComputerSpeaksBeforeTheLine) {
  large().paused = true;
  taken = 10;
  EXPECT_EQ(looks(6).limit, DeliveryLimit::SenderComputer) << "of the smaller size";
}

TEST_F(SendingWatchTest, WhatIsNotCapturedIsNotDropped) {
  captured = taken = 0;
  EXPECT_EQ(looks(10), kWhole);
  captured = 3;
  EXPECT_EQ(looks(10), kWhole) << "too few for a share";
}

TEST_F(SendingWatchTest, WhatIsDroppedWhileASizeRestsIsNotCountedAfterwards) {
  large().paused = true;
  setPath(300'000, 280'000);
  (void)looks(10);
  large().paused = false;
  EXPECT_EQ(looks(2), kWhole);
  EXPECT_EQ(looks(5), kWhole);
}

TEST_F(SendingWatchTest, AnotherConnectionBeginsItsFiguresAnew) {
  (void)looks(10);
  large().captured = large().taken = small().captured = small().taken = 0;
  EXPECT_EQ(looks(10), kWhole);
}

TEST_F(SendingWatchTest, MutedAndUnconnectedNothingIsSaid) {
  taken = 0;
  ASSERT_NE(looks(6), kWhole);
  large().muted = small().muted = true;
  EXPECT_EQ(looks(2), kWhole);
  large().muted = small().muted = false;
  ASSERT_NE(looks(6), kWhole);
  report.state = media::CallState::Connecting;
  EXPECT_EQ(looks(2), kWhole);
}

}  // namespace
}  // namespace tactus::conference
