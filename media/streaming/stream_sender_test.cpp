// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/stream_sender.h"

#include <gtest/gtest.h>

#include "media/streaming/outgoing_source.h"

namespace tactus::media {
namespace {

net::StreamContract asked() {
  return {.transport = net::TransportKind::Tcp,
          .largestBuffer = 1000,
          .rate = periodic::Rate::perSecond(50),
          .reliable = true};
}

TEST(SentContract, HasTheWeightOfItsTermsAndTheClassOfItsKind) {
  const auto high = sentContract(asked(), SentKind::Pictures, {.priority = Priority::High});
  const auto normal = sentContract(asked(), SentKind::Pictures, {});
  EXPECT_GT(high.weight, normal.weight);
  EXPECT_EQ(normal.linkClass, net::LinkClass::Stream);
  EXPECT_EQ(normal.rate, asked().rate);
  EXPECT_TRUE(normal.reliable);
  EXPECT_EQ(sentContract(asked(), SentKind::Sound, {}).linkClass, net::LinkClass::Audio);
  EXPECT_EQ(sentContract(asked(), SentKind::Sound, {.weight = 7}).weight, 7);
}

TEST(SentContract, InTheBackgroundNothingIsPromised) {
  const auto contract = sentContract(asked(), SentKind::Pictures, {.priority = Priority::Background});
  EXPECT_FALSE(contract.rate.has_value());
  EXPECT_FALSE(net::byteContractOf(contract).has_value());
  EXPECT_EQ(net::flowOf(contract, "film")->linkClass, net::LinkClass::Bulk);
  EXPECT_TRUE(net::validate(contract).ok());
}

TEST(SentKindOf, OnlyTheMicrophoneIsSound) {
  EXPECT_EQ(kindOf("mic"), SentKind::Sound);
  EXPECT_EQ(kindOf("./mic"), SentKind::Pictures);
  EXPECT_EQ(kindOf("camera"), SentKind::Pictures);
}

}  // namespace
}  // namespace tactus::media
