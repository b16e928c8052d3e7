// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/stream_qos.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;
using Kind = QosEvent::Kind;
using Kinds = std::vector<QosEvent::Kind>;

class StreamQosTest : public testing::Test {
 protected:
  /// Two misses a second are tolerated; periods of 30 ms, 100 ms at the longest.
  void look(std::uint64_t misses, Duration after = 200ms, bool handled = false) {
    now += after;
    if (misses > 0) m_lastMiss = now;
    const double f = stream.highestFrequency(kPeriod);
    stream.look(now, {.misses = misses,
                      .tolerated = 2,
                      .lastMiss = m_lastMiss,
                      .window = 1s,
                      .recovery = 3s,
                      .period = fromSeconds(inSeconds(kPeriod) / f),
                      .longest = longest,
                      .handled = handled});
  }
  Kinds tell(double frequency, Duration after = 200ms, bool lastRung = false) {
    look(0, after);
    return stream.tell(now, frequency, lastRung);
  }
  /// The period in force, in ms.
  double period() const { return 30 / stream.highestFrequency(kPeriod); }

  static constexpr Duration kPeriod = 30ms;
  StreamQos stream;
  Duration longest = 100ms;
  TimePoint now{100s};

 private:
  TimePoint m_lastMiss{};
};

TEST_F(StreamQosTest, MoreMissesThanToleratedAreAViolationUntilNoneCameForTheRecovery) {
  look(2);
  EXPECT_FALSE(stream.isViolated());
  EXPECT_EQ(stream.tell(now, 1, false), Kinds{});
  look(3);
  EXPECT_EQ(stream.tell(now, 1, false), Kinds{Kind::Violation});
  EXPECT_EQ(tell(1, 2900ms), Kinds{});
  EXPECT_TRUE(stream.isViolated());
  EXPECT_EQ(tell(1), Kinds{Kind::Recovered});
  EXPECT_FALSE(stream.isViolated());
}

TEST_F(StreamQosTest, AChangeIsToldOnceASecondAndASmallOneEveryFive) {
  EXPECT_EQ(tell(0.75), Kinds{Kind::Thinned});
  EXPECT_EQ(tell(0.5, 900ms), Kinds{});  // within the second
  EXPECT_EQ(tell(0.5), Kinds{Kind::Thinned});
  EXPECT_EQ(tell(0.55, 2s), Kinds{});  // small
  EXPECT_EQ(tell(0.55, 3s), Kinds{Kind::Thinned});
  EXPECT_EQ(tell(0.5, 1s, true), Kinds{Kind::LastRung});
  EXPECT_EQ(tell(1, 1s), Kinds{Kind::Whole});
}

TEST_F(StreamQosTest, ThePeriodIsTenMillisecondsLongerForEachWindowOfAViolation) {
  look(3);
  EXPECT_NEAR(period(), 40, 1e-6);
  look(3, 900ms);  // within the window of the step before
  EXPECT_NEAR(period(), 40, 1e-6);
  look(3, 100ms);
  EXPECT_NEAR(period(), 50, 1e-6);
  look(2, 1s);  // tolerated
  EXPECT_NEAR(period(), 50, 1e-6);
  for (int i = 0; i < 20; ++i) look(3, 1s);
  EXPECT_NEAR(period(), 100, 1e-6);  // f_min
  EXPECT_TRUE(stream.isStretched());
}

TEST_F(StreamQosTest, OnceItRecoversThePeriodIsShortenedStepByStep) {
  look(3);
  look(3, 1s);
  look(3, 1s);
  EXPECT_NEAR(period(), 60, 1e-6);
  look(0, 2900ms);
  EXPECT_NEAR(period(), 60, 1e-6);
  look(0, 100ms);
  EXPECT_NEAR(period(), 50, 1e-6);
  look(0, 900ms);
  EXPECT_NEAR(period(), 50, 1e-6);
  look(0, 100ms);
  EXPECT_NEAR(period(), 40, 1e-6);
  look(0, 1s);
  EXPECT_EQ(stream.highestFrequency(kPeriod), 1);
  EXPECT_FALSE(stream.isStretched());
}

TEST_F(StreamQosTest, APeriodThatWasTooShortIsTriedAgainAfterTwiceAsLong) {
  look(3);
  look(0, 3s);
  EXPECT_NEAR(period(), 30, 1e-6);
  look(3, 1s);  // the shorter period does not hold
  EXPECT_NEAR(period(), 40, 1e-6);
  look(0, 3s);
  EXPECT_NEAR(period(), 30, 1e-6);
  look(3, 1s);
  look(3, 1s);
  EXPECT_NEAR(period(), 50, 1e-6);
  look(0, 3s);  // four seconds after the step, three after the miss
  EXPECT_NEAR(period(), 50, 1e-6);
  look(0, 1s);
  EXPECT_NEAR(period(), 40, 1e-6);
}

TEST_F(StreamQosTest, AStreamThatIsThinnedAlreadyGetsALongerPeriodThanItHas) {
  PeriodStretch stretch{{}};
  ASSERT_TRUE(stretch.lengthen(now, 60ms, 100ms));  // f = 1/2
  EXPECT_EQ(stretch.period(), 70ms);
  stretch.shorten(now + 1s);  // as many steps back as were made
  EXPECT_EQ(stretch.period(), 0ms);
}

TEST_F(StreamQosTest, APeriodThatTheContractAllowsNoLongerIsShortenedStepByStepThoughItIsViolated) {
  for (int i = 0; i < 10; ++i) look(3);
  EXPECT_NEAR(period(), 50, 1e-3);
  longest = 30ms;
  look(3, 1s);
  EXPECT_NEAR(period(), 40, 1e-3);
  look(3, 400ms);
  EXPECT_NEAR(period(), 40, 1e-3);
  look(3, 1s);
  EXPECT_NEAR(period(), 30, 1e-3);
  EXPECT_TRUE(stream.isViolated());
}

TEST_F(StreamQosTest, WithAHandlerTheDefaultIsLeftOut) {
  look(3, 1s, true);
  look(3, 1s, true);
  EXPECT_TRUE(stream.isViolated());
  EXPECT_EQ(stream.highestFrequency(kPeriod), 1);
}

TEST_F(StreamQosTest, AHandlersLimitsHoldUntilItTakesThemBack) {
  stream.act({.frequency = 0.5});
  EXPECT_EQ(stream.highestFrequency(kPeriod), 0.5);
  stream.act({.size = 0.5});
  EXPECT_EQ(stream.highestFrequency(kPeriod), 0.5);
  EXPECT_EQ(stream.highestSize(), 0.5);
  look(3);
  EXPECT_NEAR(period(), 70, 1e-6);  // both hold
  stream.act({.frequency = 1, .size = 1});
  EXPECT_EQ(stream.highestSize(), 1);
  EXPECT_NEAR(period(), 70, 1e-6);
}

TEST_F(StreamQosTest, OfAnUnknownPeriodNothingIsLengthened) {
  stream.look(now, {.misses = 9, .tolerated = 2, .lastMiss = now, .window = 1s, .recovery = 3s});
  EXPECT_TRUE(stream.isViolated());
  EXPECT_EQ(stream.highestFrequency(0ms), 1);
}

}  // namespace
}  // namespace tactus::periodic
