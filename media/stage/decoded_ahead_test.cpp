// SPDX-License-Identifier: Apache-2.0
#include "media/stage/decoded_ahead.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

TEST(DecodedAhead, NothingIsKnownBeforeTheFirstPacketAndAfterTheLast) {
  DecodedAhead ahead;
  EXPECT_EQ(ahead.at(TimePoint{1s}, 40ms), std::nullopt);
  ahead.note(200ms, TimePoint{1s});
  EXPECT_EQ(ahead.at(TimePoint{1s}, 40ms), 200ms);
  ahead.forget();
  EXPECT_EQ(ahead.at(TimePoint{1s}, 40ms), std::nullopt);
}

TEST(DecodedAhead, EachPacketCountsAQuarter) {
  DecodedAhead ahead;
  ahead.note(200ms, TimePoint{1s});
  ahead.note(100ms, TimePoint{1040ms});
  EXPECT_EQ(ahead.at(TimePoint{1040ms}, 40ms), 175ms);
  ahead.note(-25ms, TimePoint{1080ms});
  EXPECT_EQ(ahead.at(TimePoint{1080ms}, 40ms), 125ms);
}

TEST(DecodedAhead, ADecoderWithoutATurnFallsBehind) {
  DecodedAhead ahead;
  ahead.note(200ms, TimePoint{1s});
  EXPECT_EQ(ahead.at(TimePoint{1040ms}, 40ms), 200ms);
  EXPECT_EQ(ahead.at(TimePoint{1340ms}, 40ms), -100ms);
}

}  // namespace
}  // namespace tactus::media
