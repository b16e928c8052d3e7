// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/stream_sender.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

net::StreamContract asked() {
  return {.transport = net::TransportKind::Tcp,
          .largestBuffer = 1000,
          .rate = periodic::Rate::perSecond(50),
          .reliable = true};
}

TEST(SentContract, HasTheWeightOfItsTermsAndTheClassOfItsSource) {
  const auto high = sentContract(asked(), {.priority = Priority::High});
  const auto normal = sentContract(asked(), {});
  EXPECT_GT(high.weight, normal.weight);
  EXPECT_EQ(normal.linkClass, net::LinkClass::Stream);
  EXPECT_EQ(normal.rate, asked().rate);
  EXPECT_TRUE(normal.reliable);
  EXPECT_EQ(sentContract(asked(), {.weight = 7}).weight, 7);
  auto sound = asked();
  sound.linkClass = net::LinkClass::Audio;
  EXPECT_EQ(sentContract(sound, {}).linkClass, net::LinkClass::Audio);
}

TEST(SentContract, InTheBackgroundNothingIsPromised) {
  const auto contract = sentContract(asked(), {.priority = Priority::Background});
  EXPECT_FALSE(contract.rate.has_value());
  EXPECT_FALSE(net::byteContractOf(contract).has_value());
  EXPECT_EQ(net::flowOf(contract, "film")->linkClass, net::LinkClass::Bulk);
  EXPECT_TRUE(net::validate(contract).ok());
}

}  // namespace
}  // namespace tactus::media
