// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/opus_packet.h"

#include <gtest/gtest.h>

#include <vector>

namespace tactus::media::testing {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;

std::optional<Duration> lengthOf(const std::vector<std::uint8_t>& packet) {
  return opusPacketLength(packet);
}

std::uint8_t head(unsigned configuration, unsigned code) {
  return static_cast<std::uint8_t>(configuration << 3U | code);
}

TEST(OpusPacket, OneFrameIsAsLongAsItsConfigurationSays) {
  EXPECT_EQ(lengthOf({head(0, 0)}), Duration(10ms));
  EXPECT_EQ(lengthOf({head(11, 0)}), Duration(60ms));
  EXPECT_EQ(lengthOf({head(12, 0)}), Duration(10ms));
  EXPECT_EQ(lengthOf({head(15, 0)}), Duration(20ms));
  EXPECT_EQ(lengthOf({head(16, 0)}), Duration(2500us));
  EXPECT_EQ(lengthOf({head(31, 0)}), Duration(20ms));
}

TEST(OpusPacket, FramesAddUpToAtMost120Milliseconds) {
  EXPECT_EQ(lengthOf({head(31, 1)}), Duration(40ms));
  EXPECT_EQ(lengthOf({head(31, 2)}), Duration(40ms));
  EXPECT_EQ(lengthOf({head(31, 3), 3}), Duration(60ms));
  EXPECT_EQ(lengthOf({head(31, 3), 0xC0 | 6}), Duration(120ms));
  EXPECT_EQ(lengthOf({head(11, 1)}), Duration(120ms));
  EXPECT_EQ(lengthOf({head(31, 3), 7}), std::nullopt);
}

TEST(OpusPacket, EveryLengthIsThatOfAPacket) {
  for (unsigned bytes = 0; bytes < 0x10000; ++bytes) {
    const auto length = lengthOf({static_cast<std::uint8_t>(bytes >> 8U), static_cast<std::uint8_t>(bytes)});
    if (!length) continue;
    ASSERT_GE(*length, Duration(2500us)) << bytes;
    ASSERT_LE(*length, Duration(120ms)) << bytes;
  }
}

TEST(OpusPacket, WhatIsNoneHasNoLength) {
  EXPECT_EQ(lengthOf({}), std::nullopt);
  EXPECT_EQ(lengthOf({head(31, 3)}), std::nullopt);
  EXPECT_EQ(lengthOf({head(31, 3), 0}), std::nullopt);
}

}  // namespace
}  // namespace tactus::media::testing
