// SPDX-License-Identifier: Apache-2.0
#include "conference/room/room_facts.h"

#include <gtest/gtest.h>

namespace tactus::conference {
namespace {

constexpr TrackDelivery kSmaller{DeliveredPictures::Smaller, DeliveryLimit::ReceiverLine, 1000, 0.1};

TrackDelivery carrying(std::optional<std::uint32_t> carried) {
  TrackDelivery delivery = kSmaller;
  delivery.carried = carried;
  return delivery;
}
TrackDelivery losing(double lost) {
  TrackDelivery delivery = kSmaller;
  delivery.lost = lost;
  return delivery;
}

TEST(IsNews, TheSameIsNone) {
  EXPECT_FALSE(isNews({}, {}));
  EXPECT_FALSE(isNews(kSmaller, kSmaller));
}

TEST(IsNews, AnotherStateOrLimitIs) {
  TrackDelivery other = kSmaller;
  other.pictures = DeliveredPictures::Fewer;
  EXPECT_TRUE(isNews(kSmaller, other));
  other = kSmaller;
  other.limit = DeliveryLimit::SenderLine;
  EXPECT_TRUE(isNews(kSmaller, other));
  EXPECT_TRUE(isNews(kSmaller, {}));
}

TEST(IsNews, ARateIsOnceItDiffersByMoreThanAQuarter) {
  EXPECT_FALSE(isNews(kSmaller, carrying(1250)));
  EXPECT_TRUE(isNews(kSmaller, carrying(1251)));
  EXPECT_FALSE(isNews(kSmaller, carrying(750)));
  EXPECT_TRUE(isNews(kSmaller, carrying(749)));
  EXPECT_TRUE(isNews(kSmaller, carrying(std::nullopt)));
  EXPECT_TRUE(isNews(carrying(std::nullopt), kSmaller));
}

TEST(IsNews, ALossIsOnceItDiffersByMoreThanATwentieth) {
  EXPECT_FALSE(isNews(kSmaller, losing(0.149)));
  EXPECT_TRUE(isNews(kSmaller, losing(0.151)));
  EXPECT_FALSE(isNews(kSmaller, losing(0.051)));
  EXPECT_TRUE(isNews(kSmaller, losing(0)));
}

}  // namespace
}  // namespace tactus::conference
