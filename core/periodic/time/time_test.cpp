// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/time/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Seconds, BecomeTheNearestNanosecond) {
  EXPECT_EQ(fromSeconds(0), 0ns);
  EXPECT_EQ(fromSeconds(0.04), 40ms);
  EXPECT_EQ(fromSeconds(-1.5), -1500ms);
  EXPECT_EQ(fromSeconds(1.0 / 24), 41'666'667ns);
  EXPECT_EQ(fromSeconds(0.6e-9), 1ns);
  EXPECT_EQ(fromSeconds(-0.4e-9), 0ns);
}

TEST(Seconds, BeyondTheLongestDurationBecomeTheLongest) {
  EXPECT_EQ(fromSeconds(0x1p63 / 1e9), Duration::max());
  EXPECT_EQ(fromSeconds(1e300), Duration::max());
  EXPECT_EQ(fromSeconds(std::numeric_limits<double>::max()), Duration::max());
  EXPECT_EQ(fromSeconds(kInfinity), Duration::max());
  EXPECT_EQ(fromSeconds(-1e300), Duration::min());
  EXPECT_EQ(fromSeconds(-kInfinity), Duration::min());
}

TEST(Seconds, ThatAreNoNumberAreZero) {
  EXPECT_EQ(fromSeconds(std::numeric_limits<double>::quiet_NaN()), 0ns);
}

RC_GTEST_PROP(SecondsProperty, ADurationComesBackFromItsSeconds, ()) {
  // Up to 26 days: a double tells single nanoseconds apart there, with room for two roundings.
  const Duration duration(*rc::gen::inRange<std::int64_t>(-(1LL << 51), 1LL << 51));
  RC_ASSERT(fromSeconds(inSeconds(duration)) == duration);
}

RC_GTEST_PROP(SecondsProperty, AnyBitsBecomeADurationInOrder, (std::uint64_t one, std::uint64_t other)) {
  double less = 0;
  double more = 0;
  std::memcpy(&less, &one, sizeof less);
  std::memcpy(&more, &other, sizeof more);
  if (std::isnan(less)) {
    RC_ASSERT(fromSeconds(less) == 0ns);
    return;
  }
  RC_PRE(!std::isnan(more));
  if (less > more) std::swap(less, more);
  RC_ASSERT(fromSeconds(less) <= fromSeconds(more));
  const bool fits = std::abs(less) < 9.2e9;
  if (fits) RC_ASSERT(std::abs(inSeconds(fromSeconds(less)) - less) <= 0.5e-9 + std::abs(less) * 1e-15);
}

}  // namespace
}  // namespace tactus::periodic
