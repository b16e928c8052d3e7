// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/delivery.h"

#include <gtest/gtest.h>

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using enum DeliveredPictures;
using Limit = DeliveryLimit;

constexpr TrackDelivery kWhole{};

/// Two sizes, of which the larger is wanted and sent, over a line that carries 800 kbit/s and loses 2 %.
DeliverySigns twoSizes() {
  return {
      .isWanted = true, .sizes = 2, .sent = 0, .lineLost = 0.02, .carried = net::BitRate::perSecond(800'400)};
}
/// What is wrong with the receiver's line.
TrackDelivery line(DeliveredPictures pictures) {
  return {pictures, Limit::ReceiverLine, 800, 0.02};
}

TEST(DeliveryOf, WithoutASignItIsWhole) {
  EXPECT_EQ(deliveryOf(twoSizes()), kWhole);
  EXPECT_EQ(deliveryOf({.isWanted = true, .sent = 0}), kWhole);
}

TEST(DeliveryOf, OfWhatIsNotWantedNothingIsSaid) {
  DeliverySigns signs = twoSizes();
  signs.quiet = signs.withheld = signs.wantedRests = true;
  signs.allowed = 2;
  signs.feedLost = 0.5;
  signs.said = {None, Limit::SenderComputer};
  signs.isWanted = false;
  EXPECT_EQ(deliveryOf(signs), kWhole);
}

TEST(DeliveryOf, WhatIsQuietIsNone) {
  DeliverySigns signs = twoSizes();
  signs.quiet = true;
  EXPECT_EQ(deliveryOf(signs), (TrackDelivery{None, Limit::SenderProgram}));
  signs.said = {Smaller, Limit::SenderLine, 60, 0.3};
  EXPECT_EQ(deliveryOf(signs), (TrackDelivery{None, Limit::SenderLine, 60, 0.3}));
  signs.allowed = 2;
  EXPECT_EQ(deliveryOf(signs).limit, Limit::SenderLine) << "before the receiver's line";
}

TEST(DeliveryOf, TheReceiversLineMayHaveRoomForTheSmallerSizeOrForNone) {
  DeliverySigns signs = twoSizes();
  signs.allowed = 1;
  signs.sent = 1;
  EXPECT_EQ(deliveryOf(signs), line(Smaller));
  signs.allowed = 2;
  signs.sent = {};
  EXPECT_EQ(deliveryOf(signs), line(None));
  EXPECT_EQ(deliveryOf({.isWanted = true, .allowed = 1}), (TrackDelivery{None, Limit::ReceiverLine}));
}

TEST(DeliveryOf, WhoWantsTheSmallerSizeMissesNoLargerOne) {
  DeliverySigns signs = twoSizes();
  signs.wanted = signs.allowed = 1;
  signs.sent = 1;
  EXPECT_EQ(deliveryOf(signs), kWhole);
  signs.said = {Smaller, Limit::SenderLine, 300, 0};
  EXPECT_EQ(deliveryOf(signs), kWhole);
  signs.said.pictures = Fewer;
  EXPECT_EQ(deliveryOf(signs), signs.said);
}

TEST(DeliveryOf, WhatIsWithheldIsFewerWhicheverSizeItIs) {
  DeliverySigns signs = twoSizes();
  signs.withheld = true;
  EXPECT_EQ(deliveryOf(signs), line(Fewer));
  signs.allowed = 1;
  EXPECT_EQ(deliveryOf(signs), line(Fewer));
  signs.allowed = 2;
  EXPECT_EQ(deliveryOf(signs), line(None));
}

TEST(DeliveryOf, ASendersWordCountsIfItLeavesLessThanTheReceiversLine) {
  DeliverySigns signs = twoSizes();
  signs.said = {Smaller, Limit::SenderComputer, {}, 0};
  EXPECT_EQ(deliveryOf(signs), signs.said);
  signs.allowed = 1;
  EXPECT_EQ(deliveryOf(signs), line(Smaller)) << "equal: the receiver's line";
  signs.said.pictures = Fewer;
  EXPECT_EQ(deliveryOf(signs), signs.said);
  signs.withheld = true;
  EXPECT_EQ(deliveryOf(signs), line(Fewer)) << "equal: the receiver's line";
}

TEST(DeliveryOf, ASizeThatRestsWithoutAWordIsItsSendersProgram) {
  DeliverySigns signs = twoSizes();
  signs.wantedRests = true;
  signs.sent = 1;
  EXPECT_EQ(deliveryOf(signs), (TrackDelivery{Smaller, Limit::SenderProgram}));
  signs.said = {Smaller, Limit::SenderLine, 500, 0};
  EXPECT_EQ(deliveryOf(signs), signs.said);
}

TEST(DeliveryOf, ASizeThatRestsWithoutASmallerOneIsNotYetNone) {
  DeliverySigns signs{.isWanted = true, .sent = 0, .wantedRests = true};
  EXPECT_EQ(deliveryOf(signs), kWhole);
  signs.quiet = true;
  EXPECT_EQ(deliveryOf(signs).pictures, None);
}

TEST(DeliveryOf, AFeedWithATenthMissingIsLimitedByItsSendersLine) {
  DeliverySigns signs = twoSizes();
  signs.feedLost = 0.099;
  EXPECT_EQ(deliveryOf(signs), kWhole);
  signs.feedLost = 0.10;
  EXPECT_EQ(deliveryOf(signs), (TrackDelivery{Fewer, Limit::SenderLine, {}, 0.10}));
  signs.allowed = 1;
  EXPECT_EQ(deliveryOf(signs), line(Smaller));
}

TEST(DeliveryOf, ARateIsToldWithinItsRange) {
  DeliverySigns signs = twoSizes();
  signs.withheld = true;
  signs.carried = net::BitRate::perSecond(10);
  EXPECT_EQ(deliveryOf(signs).carried, 1U);
  signs.carried = net::BitRate::perSecond(net::BitRate::kLargest);
  EXPECT_EQ(deliveryOf(signs).carried, kHighestCarried);
  signs.carried = {};
  EXPECT_EQ(deliveryOf(signs).carried, std::nullopt);
}

/// Looked at each half second, wanted for 10 s already.
class SteadyDeliveryTest : public ::testing::Test {
 protected:
  SteadyDeliveryTest() { look(20); }
  void look(int times = 1) {
    for (int i = 0; i < times; ++i) steady.look(at += 500ms, signs);
  }
  DeliveredPictures pictures() const { return steady.said().pictures; }

  DeliverySigns signs = twoSizes();
  periodic::TimePoint at{10s};
  SteadyDelivery steady;
};

TEST_F(SteadyDeliveryTest, AChangeIsSaidAtTheSecondLook) {
  signs.allowed = 1;
  look();
  EXPECT_EQ(steady.said(), kWhole);
  look();
  EXPECT_EQ(steady.said(), line(Smaller));
  signs.allowed = 0;
  look();
  EXPECT_EQ(steady.said(), line(Smaller));
  look();
  EXPECT_EQ(steady.said(), kWhole);
}

TEST_F(SteadyDeliveryTest, AShortChangeSaysNothing) {
  for (int i = 0; i < 5; ++i) {
    signs.allowed = 1;
    look();
    signs.allowed = 0;
    look();
    EXPECT_EQ(steady.said(), kWhole);
  }
}

TEST_F(SteadyDeliveryTest, FiguresOfTheSameStateAreThoseOfTheLastLook) {
  signs.allowed = 1;
  look(2);
  signs.carried = net::BitRate::perSecond(400'000);
  look();
  EXPECT_EQ(steady.said().carried, 400U);
}

TEST_F(SteadyDeliveryTest, PicturesThatComeAndGoForWantOfRoomStayFewer) {
  for (int i = 0; i < 10; ++i) {
    signs.withheld = true;
    look(2);
    signs.withheld = false;
    look(6);
    EXPECT_EQ(pictures(), Fewer);
  }
  look(1);
  EXPECT_EQ(pictures(), Fewer) << "3.5 s after the last";
  look(2);
  EXPECT_EQ(pictures(), Whole);
}

TEST_F(SteadyDeliveryTest, WhatIsWantedAnewHasThreeSecondsToCome) {
  signs.isWanted = false;
  look(10);
  signs.isWanted = signs.quiet = signs.withheld = true;
  look(6);
  EXPECT_EQ(pictures(), Whole);
  look(1);
  EXPECT_EQ(pictures(), Whole);
  look(1);
  EXPECT_EQ(pictures(), None);
}

TEST_F(SteadyDeliveryTest, ASizeThatIsWantedAnewHasThreeSecondsToCome) {
  signs.wanted = signs.allowed = 1;
  signs.sent = 1;
  look(10);
  signs.wanted = signs.allowed = 0;
  signs.wantedRests = true;
  look(7);
  EXPECT_EQ(pictures(), Whole);
  look(1);
  EXPECT_EQ(pictures(), Smaller);
}

TEST_F(SteadyDeliveryTest, WhatIsSwitchedOffIsForgotten) {
  signs.withheld = true;
  look(4);
  EXPECT_EQ(pictures(), Fewer);
  signs.isWanted = signs.withheld = false;
  look(2);
  EXPECT_EQ(pictures(), Whole);
  signs.isWanted = true;
  look(2);
  EXPECT_EQ(pictures(), Whole) << "less than 4 s after the last that was withheld";
}

}  // namespace
}  // namespace tactus::conference
