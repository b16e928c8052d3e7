// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/stream_terms.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using net::TransportKind;

TEST(StreamTerms, BuffersAreWholePacketsFiftyTimesASecond) {
  const auto contract = contractFor(TransportKind::Tcp, std::size_t{1000});
  ASSERT_TRUE(contract.ok()) << contract.error().message;
  EXPECT_EQ(contract.value().largestBuffer, 1128u);
  EXPECT_EQ(contract.value().rate, periodic::Rate::perSecond(50));
  EXPECT_TRUE(contract.value().reliable);
  EXPECT_TRUE(net::validate(contract.value()).ok());
}

TEST(StreamTerms, ARateIsBytesInAPeriod) {
  const auto contract = contractFor(TransportKind::Local, net::BitRate::perSecond(8'000'000));
  ASSERT_TRUE(contract.ok()) << contract.error().message;
  EXPECT_EQ(contract.value().largestBuffer, 20'116u);  // 20,000 bytes are 107 packets
  EXPECT_TRUE(contract.value().reliable);
}

TEST(StreamTerms, OverUdpNothingIsReliable) {
  const auto contract = contractFor(TransportKind::Udp, std::size_t{1});
  ASSERT_TRUE(contract.ok()) << contract.error().message;
  EXPECT_EQ(contract.value().largestBuffer, 188u);
  EXPECT_FALSE(contract.value().reliable);
  EXPECT_TRUE(net::validate(contract.value()).ok());
}

TEST(StreamTerms, NoBytesAndMoreThanABufferHoldsAreRefused) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{17} << 20}) {
    const auto contract = contractFor(TransportKind::Tcp, bytes);
    ASSERT_FALSE(contract.ok());
    EXPECT_EQ(contract.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(contract.error().message.find(std::to_string(bytes) + " bytes"), std::string::npos);
  }
}

}  // namespace
}  // namespace tactus::media
