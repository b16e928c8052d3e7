// SPDX-License-Identifier: Apache-2.0
#include "media/room/encoder_rate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tactus::media {
namespace {

using net::BitRate;
using namespace std::chrono_literals;

constexpr periodic::TimePoint kStart{};
constexpr BitRate kLeast = BitRate::perSecond(100'000), kMost = BitRate::perSecond(1'000'000);

/// A link of this rate with a queue before it, and a share of packets that it loses by itself.
struct Bottleneck {
  double rate;
  double loss = 0;
  double queued = 0;  // s
  PathFeedback carry(double sent, double step) {
    const double growth = std::max(sent / rate - 1, -queued / step);
    queued += growth * step;
    return {BitRate::perSecond(static_cast<std::int64_t>(std::min(sent, rate) * (1 - loss))), loss, growth};
  }
};

/// Feedback each 100 ms; the mean rate over the last half of the time.
double meanRate(EncoderRate& law, Bottleneck link, periodic::Duration time, double* longestQueue = nullptr) {
  double sum = 0;
  int count = 0;
  for (auto now = kStart; now < kStart + time; now += 100ms) {
    const auto feedback = link.carry(static_cast<double>(law.rate().bits()), 0.1);
    const auto rate = law.update(now, feedback);
    if (now < kStart + time / 2) continue;
    sum += static_cast<double>(rate.bits());
    ++count;
    if (longestQueue != nullptr) *longestQueue = std::max(*longestQueue, link.queued);
  }
  return sum / count;
}

/// At the least, one second after the start.
EncoderRate fallen() {
  EncoderRate law(kLeast, kMost);
  (void)law.update(kStart, {BitRate::perSecond(0), 0.5, 0});
  (void)law.update(kStart + 1s, {BitRate::perSecond(0), 0.5, 0});
  return law;
}

TEST(EncoderRate, AFreePathKeepsWhatIsWanted) {
  EncoderRate law(kLeast, kMost);
  EXPECT_EQ(meanRate(law, {.rate = 5e6}, 60s), 1e6);
}

TEST(EncoderRate, RareLossIsLeftToRepetition) {
  EncoderRate law(kLeast, kMost);
  EXPECT_EQ(meanRate(law, {.rate = 5e6, .loss = 0.05}, 60s), 1e6);
}

TEST(EncoderRate, ABottleneckIsFilledAndItsQueueStaysShort) {
  EncoderRate law(kLeast, kMost);
  double queue = 0;
  const double mean = meanRate(law, {.rate = 600'000}, 120s, &queue);
  EXPECT_GT(mean, 0.75 * 600'000);
  EXPECT_LT(mean, 600'000 * 1.02);
  EXPECT_LT(queue, 0.3);
}

TEST(EncoderRate, HeavyLossEndsAtTheLeast) {
  EncoderRate law(kLeast, kMost);
  EXPECT_LT(meanRate(law, {.rate = 5e6, .loss = 0.3}, 60s), 1.2e5);
}

TEST(EncoderRate, ItGrowsBackByATwentiethOfTheMostInASecond) {
  EncoderRate law = fallen();
  EXPECT_EQ(law.rate(), kLeast);
  (void)law.update(kStart + 2s, {kLeast, 0, 0});
  EXPECT_EQ(law.rate().bits(), 150'000);
}

TEST(EncoderRate, ThreeLostOfTenAreNotYetHeavyLoss) {
  EncoderRate law(kLeast, kMost);
  auto now = kStart;
  for (const double loss : {0.0, 0.3, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0})
    EXPECT_EQ(law.update(now += 100ms, {kMost, loss, 0}), kMost);
  // But three of each ten are, once they fill the better part of a second.
  for (int i = 0; i < 5; ++i) (void)law.update(now += 100ms, {kMost, 0.3, 0});
  EXPECT_LT(law.rate().bits(), 900'000);
}

TEST(EncoderRate, OneDecreaseHasTimeToShowItsEffect) {
  EncoderRate law(kLeast, kMost);
  const PathFeedback bad{BitRate::perSecond(800'000), 0, 10};
  (void)law.update(kStart - 100ms, {kMost, 0, 0});
  EXPECT_EQ(law.update(kStart, bad).bits(), 680'000);
  EXPECT_EQ(law.update(kStart + 499ms, bad).bits(), 680'000);
  EXPECT_EQ(law.update(kStart + 500ms, bad).bits(), 578'000);  // 0.85 of the lower of both
}

TEST(EncoderRate, ALongSilenceCountsAsOneSecond) {
  EncoderRate law = fallen();
  EXPECT_EQ(law.update(kStart + 3600s, {kLeast, 0, 0}).bits(), 150'000);
}

RC_GTEST_PROP(EncoderRate, StaysBetweenLeastAndMost, ()) {
  EncoderRate law(kLeast, kMost);
  auto now = kStart;
  for (int i = 0; i < 200; ++i) {
    now += periodic::Duration(*rc::gen::inRange<std::int64_t>(0, 3'000'000'000));
    const auto rate = law.update(now, {BitRate::perSecond(*rc::gen::inRange<std::int64_t>(0, 10'000'000)),
                                       *rc::gen::inRange(0, 101) / 100.0, *rc::gen::inRange(-50, 51) / 10.0});
    RC_ASSERT(rate >= kLeast);
    RC_ASSERT(rate <= kMost);
  }
}

}  // namespace
}  // namespace tactus::media
