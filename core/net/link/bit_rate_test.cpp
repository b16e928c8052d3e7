// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/bit_rate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;

TEST(BitRate, IsReadAsTcHasIt) {
  EXPECT_EQ(BitRate::parse("20mbit").value().bits(), 20'000'000);
  EXPECT_EQ(BitRate::parse("600kbit").value().bits(), 600'000);
  EXPECT_EQ(BitRate::parse("1.5gbit").value().bits(), 1'500'000'000);
  EXPECT_EQ(BitRate::parse("64000").value().bits(), 64'000);
  EXPECT_EQ(BitRate::parse("8bit").value().bits(), 8);
  EXPECT_TRUE(BitRate::parse("0").value().isZero());
}

TEST(BitRate, RefusesWhatIsNoRateWithASentence) {
  for (const char* text :
       {"", "mbit", "20 mbit", "20Mbps", "-1mbit", "1e99gbit", "nan", "inf", "0.1", "500gbit", "5xbit"}) {
    const auto rate = BitRate::parse(text);
    ASSERT_FALSE(rate.ok()) << text;
    EXPECT_EQ(rate.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(rate.error().message.find("20mbit"), std::string::npos) << rate.error().message;
  }
  EXPECT_FALSE(BitRate::create(-1).ok());
  EXPECT_FALSE(BitRate::create(BitRate::kLargest + 1).ok());
}

TEST(BitRate, SaysHowLongBytesTake) {
  EXPECT_EQ(BitRate::perSecond(20'000'000).timeOf(1250), 500us);
  EXPECT_EQ(BitRate::perSecond(3).timeOf(1), Duration(2'666'666'667));  // rounded up
  EXPECT_EQ(BitRate().timeOf(1), Duration::max());
  EXPECT_EQ(BitRate::perSecond(1).timeOf(std::numeric_limits<std::size_t>::max()), Duration::max());
  EXPECT_EQ(BitRate::perSecond(BitRate::kLargest).timeOf(0), 0ns);
}

TEST(BitRate, SaysHowManyBytesPass) {
  EXPECT_EQ(BitRate::perSecond(20'000'000).bytesIn(500us), 1250u);
  EXPECT_EQ(BitRate::perSecond(8).bytesIn(1999ms), 1u);
  EXPECT_EQ(BitRate::perSecond(8).bytesIn(-1s), 0u);
}

TEST(BitRate, IsSaidInWords) {
  EXPECT_EQ(BitRate::perSecond(20'000'000).inWords(), "20 Mbit/s");
  EXPECT_EQ(BitRate::perSecond(1'500'000'000).inWords(), "1.5 Gbit/s");
  EXPECT_EQ(BitRate::perSecond(600'000).inWords(), "600 kbit/s");
  EXPECT_EQ(BitRate::perSecond(0).inWords(), "0 bit/s");
}

}  // namespace
}  // namespace tactus::net
