// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/link_share.h"

#include <gtest/gtest.h>

namespace tactus::net {
namespace {

constexpr BitRate kRate = BitRate::perSecond(20'000'000);

TEST(LinkShare, PromisesNineteenTwentiethsOfTheRate) {
  LinkShare link("link", kRate);
  ASSERT_TRUE(link.hold({"Film", 15e6}).ok());
  const auto camera = link.hold({"Camera", 4e6});
  ASSERT_TRUE(camera.ok());
  EXPECT_DOUBLE_EQ(link.standing().held, 19e6);
  EXPECT_DOUBLE_EQ(link.standing().left, 0);
  link.giveBack(camera.value());
  EXPECT_DOUBLE_EQ(link.standing().left, 4e6);
}

TEST(LinkShare, ARefusalHasNumbersAndOffers) {
  LinkShare link("link", kRate);
  ASSERT_TRUE(link.hold({"Film", 12e6}).ok());
  ASSERT_TRUE(link.hold({"Camera", 4e6}).ok());
  const auto refused = link.hold({"Lecture", 5e6});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sentence,
            "Lecture needs 5 Mbit/s of the link; 3 Mbit/s are left beside the 16 Mbit/s that others were "
            "promised. Closing Camera or Film would make room.");
  EXPECT_EQ(refused.error().offer, 3e6);
  EXPECT_EQ(refused.error().resource, "link");
  EXPECT_TRUE(link.hold({"Lecture", 3e6}).ok());
}

TEST(LinkShare, AShareThatGrowsIsTestedAndStaysWhatItWasAfterARefusal) {
  LinkShare link("link", kRate);
  const auto film = link.hold({"Film", 10e6});
  ASSERT_TRUE(film.ok());
  EXPECT_TRUE(link.change(film.value(), {"Film", 19e6}).ok());
  EXPECT_FALSE(link.change(film.value(), {"Film", 19.1e6}).ok());
  EXPECT_DOUBLE_EQ(link.standing().held, 19e6);
}

TEST(LinkShare, ALinkThatGetsSlowerKeepsItsShares) {
  LinkShare link("link", kRate);
  const auto film = link.hold({"Film", 10e6});
  ASSERT_TRUE(film.ok());
  link.setRate(BitRate::perSecond(5'000'000));
  EXPECT_DOUBLE_EQ(link.standing().held, 10e6);
  EXPECT_DOUBLE_EQ(link.standing().left, 0);
  EXPECT_FALSE(link.test({"Voice", 1e3}) == std::nullopt);
  EXPECT_TRUE(link.change(film.value(), {"Film", 9e6}).ok()) << "less is always given";
}

}  // namespace
}  // namespace tactus::net
