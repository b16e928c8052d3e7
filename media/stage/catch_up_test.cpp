// SPDX-License-Identifier: Apache-2.0
#include "media/stage/catch_up.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;

TEST(CatchUp, AFilmThatCatchesUpIsLeftAlone) {
  CatchUp catchUp;
  TimePoint now{};
  for (Duration late = 2s; late > -1s; late -= 80ms, now += 100ms)  // nearly twice as fast as its clock
    EXPECT_FALSE(catchUp.skips(now, late, false)) << late.count();
}

TEST(CatchUp, AFilmThatStaysBehindSkipsToAKeyframeThatIsNotLate) {
  CatchUp catchUp;
  TimePoint now{};
  int before = 0;
  while (!catchUp.skips(now, 800ms, before % 20 == 0) && before < 100) {
    now += 33ms;
    ++before;
  }
  EXPECT_LT(before, 25);
  EXPECT_GT(before, 10);
  EXPECT_TRUE(catchUp.skips(now, 700ms, true));   // late as well
  EXPECT_TRUE(catchUp.skips(now, -50ms, false));  // in time, and refers to what was skipped
  EXPECT_FALSE(catchUp.skips(now, -80ms, true));
  EXPECT_FALSE(catchUp.skips(now, -90ms, false));
}

TEST(CatchUp, AFilmThatWouldNeedTooLongSkips) {
  CatchUp catchUp;
  TimePoint now{};
  bool skipped = false;
  for (Duration late = 4s; late > 1s; late -= 20ms, now += 100ms)
    skipped = skipped || catchUp.skips(now, late, false);
  EXPECT_TRUE(skipped);
}

TEST(CatchUp, WithoutKeyframesItEnds) {
  CatchUp catchUp;
  TimePoint now{};
  Duration skipping{0};
  for (int i = 0; i < 1000; ++i, now += 10ms)
    if (catchUp.skips(now, 2s, false)) skipping += 10ms;
  EXPECT_GT(skipping, 3s);
  EXPECT_LT(skipping, 9s);
  EXPECT_FALSE(catchUp.skips(now, 0s, true));
}

RC_GTEST_PROP(CatchUpProperty, AFilmThatIsNotBehindNeverBeginsToSkip, ()) {
  CatchUp catchUp;
  TimePoint now{};
  for (const int late : *rc::gen::container<std::vector<int>>(rc::gen::inRange(-2000, 2000))) {
    const bool skipped = catchUp.skipping();
    const bool skips = catchUp.skips(now, std::chrono::milliseconds(late), late % 7 == 0);
    if (!skipped && late <= 500) RC_ASSERT(!skips);
    now += 40ms;
  }
}

}  // namespace
}  // namespace tactus::media
