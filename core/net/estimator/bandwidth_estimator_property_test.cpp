// SPDX-License-Identifier: Apache-2.0
// On paths by chance: what must hold on each of them. Nightly with other seeds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/net/estimator/simulated_path_fixture.h"

namespace tactus::net::testing {
namespace {

using namespace std::chrono_literals;

BandwidthEstimator::Range range(double least, double most, double start) {
  const auto bits = [](double rate) { return BitRate::perSecond(static_cast<std::int64_t>(rate)); };
  return {bits(least), bits(most), bits(start)};
}

/// Queues as long as those before most lines, and reports as frequent as a browser's; or worse than that.
enum class Kind { Usual, Hostile };

/// A path and a sender by chance, with some jitter, and loss that is repaired by repetition.
struct Case {
  explicit Case(std::uint32_t seed, Kind which = Kind::Hostile)
      : kind(which), chance(seed), path(seed + 1), rate(300e3 * std::pow(10, chance.between(0, 1))) {
    path.longestQueue = chance.between(kind == Kind::Usual ? 0.3 : 0.1, 0.5);
    path.loss = chance.between(0, 0.01);
    path.jitter = chance.between(0, 0.01);
    path.rate = [rate = rate](double) { return rate; };
    sender = randomSender();
    sender.range = range(60e3, 10e6, rate);
  }
  SimulatedSender randomSender() {
    SimulatedSender made;
    made.picturesPerSecond = chance.between(15, 30);
    made.unevenness = chance.between(0, 0.4);
    made.propagation = chance.between(0.005, 0.05);
    made.feedback = chance.between(0.05, kind == Kind::Usual ? 0.1 : 0.25);
    made.feedbackDisorder = kind == Kind::Hostile && chance.happens(0.5) ? 0.05 : 0;
    made.clockOffset = chance.between(-1e6, 1e6);
    made.clockDrift = chance.between(-50e-6, 50e-6);
    made.range = range(60e3, 10e6, 300e3);
    return made;
  }

  Kind kind;
  Chance chance;
  SimulatedPath path;
  double rate;  // bit/s
  SimulatedSender sender;
};

std::uint32_t anySeed() {
  return *rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>());
}

/// From 3 s on, over each five seconds.
void expectConverged(std::uint32_t seed, Kind kind, double least, double most) {
  Case one(seed, kind);
  one.sender.range = range(30e3, 20e6, one.rate * one.chance.between(least, most));
  one.path.add(one.sender);
  one.path.run(13);
  const double within = kind == Kind::Usual ? 0.125 : 0.25;
  for (double from = 3; from < 13; from += 5) {
    const double mean = one.path.mean(0, from, from + 5) / one.rate;
    RC_LOG() << "from " << from << " s " << mean << " of " << one.rate << "\n";
    RC_ASSERT(std::abs(mean - 1) < within);
  }
}

RC_GTEST_PROP(BandwidthEstimatorProperty, ConvergesFromBelowWithinThreeSeconds, ()) {
  expectConverged(anySeed(), Kind::Usual, 1 / 8.0, 1 / 1.5);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, ConvergesFromAboveWithinThreeSeconds, ()) {
  expectConverged(anySeed(), Kind::Usual, 1.5, 4);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, ConvergesOnHostilePathsFromBelow, ()) {
  expectConverged(anySeed(), Kind::Hostile, 1 / 8.0, 1 / 1.5);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, ConvergesOnHostilePathsFromAbove, ()) {
  expectConverged(anySeed(), Kind::Hostile, 1.5, 4);
}

/// The second begins 5 s later; of its equal share what it has from 40 to 60 s.
double shareOfSecond(std::uint32_t seed) {
  Case two(seed);
  two.path.add(two.sender);
  SimulatedSender second = two.randomSender();
  second.begins = 5;
  two.path.add(second);
  two.path.run(60);
  const double first = two.path.mean(0, 40, 60), other = two.path.mean(1, 40, 60);
  return other / (first + other) * 2;
}

TEST(BandwidthEstimatorFairness, OfTwentyPairsAlmostAllShareALinkWithinAQuarter) {
  int fair = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) fair += std::abs(shareOfSecond(seed) - 1) < 0.25 ? 1 : 0;
  EXPECT_GE(fair, 15);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, OfTwoThatShareALinkNoneIsStarved, ()) {
  const double share = shareOfSecond(anySeed());
  RC_LOG() << share << " of its share\n";
  // Least where both send as many pictures a second: whose come second waits for the other's, each time.
  RC_ASSERT(share > 0.1);
  RC_ASSERT(share < 1.9);
}

/// A link drops to a quarter or half: the least target within `late` of when it can be heard of, of what the
/// link carries then.
double targetAfterDrop(std::uint32_t seed, Kind kind, double late) {
  Case one(seed, kind);
  const double lower = one.rate * one.chance.between(0.25, 0.5);
  one.path.rate = [&](double now) { return now < 10 ? one.rate : lower; };
  one.path.add(one.sender);
  one.path.run(15);
  const double picture = one.rate / one.sender.picturesPerSecond / lower;
  const double heard = 10 + picture + 2 * one.sender.propagation + one.sender.feedback;
  return one.path.least(0, 10, heard + late) / lower;
}

RC_GTEST_PROP(BandwidthEstimatorProperty, FallsWithinHalfASecondWithALinkThatDrops, ()) {
  const double target = targetAfterDrop(anySeed(), Kind::Usual, 0.5);
  RC_LOG() << target << " of what it carries\n";
  RC_ASSERT(target <= 1);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, FallsWithinTwoSecondsOnHostilePaths, ()) {
  const double target = targetAfterDrop(anySeed(), Kind::Hostile, 2);
  RC_LOG() << target << " of what it carries\n";
  RC_ASSERT(target <= 1.2);
}

/// Its queue is full, and stays so: neither is the path longer, nor is what arrives less than the link.
RC_GTEST_PROP(BandwidthEstimatorProperty, KnowsTheLinkOfAnEncoderThatDoesNotObey, ()) {
  Case one(anySeed(), Kind::Usual);
  one.sender.range = range(30e3, 20e6, one.rate);
  one.sender.floor = one.rate * one.chance.between(1.2, 2);
  one.path.add(one.sender);
  one.path.run(10);
  const double mean = one.path.mean(0, 3, 10) / one.rate;
  RC_LOG() << mean << " of " << one.rate << "\n";
  RC_ASSERT(mean < 1);
  RC_ASSERT(mean > 0.4);
  RC_ASSERT(one.path.estimate(0).queueing > 100ms);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, RandomLossOfTwoPercentDoesNotLowerIt, ()) {
  Case one(anySeed());
  one.path.loss = one.chance.between(0, 0.02);
  one.path.rate = [](double) { return 20e6; };
  one.sender.range = range(60e3, 1e6, 300e3);
  one.path.add(one.sender);
  one.path.run(20);
  RC_ASSERT(one.path.least(0, 4, 20) >= 0.99e6);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, JitterWithoutCongestionDoesNotLowerIt, ()) {
  Case one(anySeed());
  one.path.jitter = one.chance.between(0.02, 0.08);
  // A radio link stands still for a moment, each second or two.
  const double period = one.chance.between(1, 2), length = one.chance.between(0.05, 0.12);
  one.path.holdUp = [=](double now) {
    const double at = std::fmod(now, period);
    return at < length ? length - at : 0;
  };
  one.path.rate = [](double) { return 20e6; };
  one.sender.range = range(60e3, 1e6, 1e6);
  one.path.add(one.sender);
  one.path.run(20);
  RC_LOG() << "least " << one.path.least(0, 2, 20) << " mean " << one.path.mean(0, 2, 20) << "\n";
  RC_ASSERT(one.path.mean(0, 2, 20) >= 0.65e6);
  RC_ASSERT(one.path.least(0, 2, 20) >= 0.2e6);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, RecoversFromAnOutageWithinEightSeconds, ()) {
  Case one(anySeed());
  const double over = 10 + one.chance.between(1, 5);
  one.path.rate = [&](double now) { return now > 10 && now < over ? 0 : one.rate; };
  one.path.add(one.sender);
  one.path.run(30);
  const double mean = one.path.mean(0, over + 8, over + 12);
  RC_LOG() << mean / one.rate << " of " << one.rate << "\n";
  RC_ASSERT(mean > 0.8 * one.rate);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, FindsTheLinkAgainThatBecomesFaster, ()) {
  Case one(anySeed());
  one.path.rate = [&](double now) { return now < 10 ? one.rate / 3 : one.rate; };
  one.path.add(one.sender);
  one.path.run(30);
  const double mean = one.path.mean(0, 18, 24);
  RC_LOG() << mean / one.rate << " of " << one.rate << "\n";
  RC_ASSERT(mean > 0.9 * one.rate);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, ASenderWithLittleToSendDoesNotMakeItGrowWithoutBound, ()) {
  Case one(anySeed());
  const double limit = one.sender.limit = one.chance.between(100e3, 1e6);
  one.path.rate = [](double) { return 50e6; };
  one.sender.range = range(60e3, 50e6, 100e3);
  one.path.add(one.sender);
  one.path.run(30);
  // What arrives in 300 ms is up to a third more than in a second.
  RC_LOG() << one.path.largest(0, 0, 30) << " of " << limit << "\n";
  RC_ASSERT(one.path.largest(0, 0, 30) <= 1.5 * 1.33 * limit + 100e3);
}

RC_GTEST_PROP(BandwidthEstimatorProperty, StaysBetweenLeastAndMostWhateverItIsTold, ()) {
  Chance chance(anySeed());
  const auto limits = range(100e3, 1e6, chance.between(0, 2e6));
  BandwidthEstimator estimator(limits);
  const auto anyTime = [&]() -> std::int64_t {
    if (chance.happens(0.1)) return std::numeric_limits<std::int64_t>::max();
    if (chance.happens(0.1)) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(chance.between(-9e18, 9e18) * (chance.happens(0.7) ? 1e-8 : 1));
  };
  for (int i = 0; i < 300; ++i) {
    std::vector<PacketOutcome> packets(static_cast<std::size_t>(chance.between(0, 20)));
    for (PacketOutcome& each : packets) {
      each.sent = periodic::TimePoint(periodic::Duration(anyTime()));
      each.bytes = chance.happens(0.1) ? std::numeric_limits<std::size_t>::max() : 1200;
      if (chance.happens(0.8)) each.arrived = periodic::Duration(anyTime());
    }
    const periodic::TimePoint now{periodic::Duration(anyTime())};
    const BandwidthEstimate& told =
        chance.happens(0.9) ? estimator.update(now, packets) : estimator.update(now, chance.between(-1, 2));
    RC_ASSERT(told.target >= limits.least && told.target <= limits.most);
    RC_ASSERT(told.capacity >= limits.least && told.capacity <= limits.most);
    RC_ASSERT(told.loss >= 0 && told.loss <= 1);
    RC_ASSERT(told.queueing >= 0ns && told.received.bits() >= 0);
  }
}

RC_GTEST_PROP(BandwidthEstimatorProperty, ClocksThatAreSetDoNotLowerItForLong, ()) {
  Case one(anySeed());
  one.path.rate = [](double) { return 20e6; };
  one.sender.range = range(60e3, 1e6, 1e6);
  const double leap =
      one.chance.happens(0.5) ? one.chance.between(-3600, 3600) : one.chance.between(-0.5, 0.5);
  one.path.add(one.sender);
  one.path.run(5);
  one.path.setReceiversClock(0, leap);
  one.path.run(25);
  RC_LOG() << "by " << leap << " s: least " << one.path.least(0, 5, 20) << "\n";
  RC_ASSERT(one.path.mean(0, 20, 25) >= 0.9e6);
}

}  // namespace
}  // namespace tactus::net::testing
