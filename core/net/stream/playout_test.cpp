// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/playout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <random>
#include <vector>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::Rate;
using periodic::TimePoint;
using Arrival = Playout::Arrival;

constexpr TimePoint kStart = TimePoint{} + 1000s;

/// A receiver that calls its handler at each due instant and keeps what waits.
struct Receiver {
  explicit Receiver(const PlayoutTerms& terms) : playout(terms) {}

  struct Call {
    TimePoint at;
    std::uint32_t number;
    bool empty;
    Duration waited;
  };

  void runUntil(TimePoint until) {
    while (playout.due() <= until) {
      const TimePoint due = playout.due();
      const auto buffer = waiting.find(playout.next());
      const bool empty = buffer == waiting.end();
      calls.push_back({due, playout.next(), empty, empty ? 0ns : due - buffer->second});
      if (!empty) waiting.erase(buffer);
      playout.advance();
      dropOld();
    }
  }
  /// A buffer that comes at its due instant is in time.
  Arrival arrive(std::uint32_t number, TimePoint at) {
    runUntil(at - 1ns);
    const Arrival what = playout.arrived(number, at);
    if (what == Arrival::InTime) waiting[number] = at;
    dropOld();
    longest = std::max(longest, waiting.size());
    return what;
  }
  void dropOld() {
    std::erase_if(waiting, [&](const auto& each) {
      return static_cast<std::int32_t>(each.first - playout.next()) < 0;
    });
  }
  [[nodiscard]] std::size_t empty(TimePoint since = {}) const {
    return static_cast<std::size_t>(std::count_if(
        calls.begin(), calls.end(), [&](const Call& each) { return each.empty && each.at >= since; }));
  }
  /// The most up-calls without a buffer, one after another.
  [[nodiscard]] int longestEmptyRun() const {
    int most = 0;
    int run = 0;
    for (const Call& each : calls) {
      run = each.empty ? run + 1 : 0;
      most = std::max(most, run);
    }
    return most;
  }
  [[nodiscard]] Duration longestWait(TimePoint since) const {
    Duration most{};
    for (const Call& each : calls)
      if (each.at >= since) most = std::max(most, each.waited);
    return most;
  }

  Playout playout;
  std::map<std::uint32_t, TimePoint> waiting;
  std::vector<Call> calls;
  std::size_t longest = 0;  // of what waited
};

using Delay = std::function<Duration(std::int64_t)>;

/// Buffers [first, last), made at the rate of a clock that is faster by `drift`, after a stand of `shift`.
void send(Receiver& receiver, Rate rate, std::int64_t first, std::int64_t last, const Delay& delay,
          double drift = 0, Duration shift = 0ns) {
  std::vector<std::pair<TimePoint, std::uint32_t>> arrivals;
  for (std::int64_t i = first; i < last; ++i) {
    const Duration made = rate.offsetOf(i);
    const auto lead = Duration(static_cast<std::int64_t>(static_cast<double>(made.count()) * drift));
    arrivals.emplace_back(kStart + shift + made - lead + delay(i), static_cast<std::uint32_t>(i));
  }
  std::stable_sort(arrivals.begin(), arrivals.end());
  for (const auto& [at, number] : arrivals) (void)receiver.arrive(number, at);
}

/// From 0 to `most`, the same at each run.
Delay jitter(Duration most) {
  return [most, random = std::mt19937(7)](std::int64_t) mutable {
    return Duration(std::uniform_int_distribution<std::int64_t>(0, most.count())(random));
  };
}

Duration steady(std::int64_t) {
  return 5ms;
}

const Rate kFifty = Rate::perSecond(50);
const Rate kNtsc = Rate::perSecond(30000, 1001);
const PlayoutTerms kAudio{kFifty, 10ms, 100ms};
const PlayoutTerms kVideo{kNtsc, 10ms, 100ms};

TEST(Playout, NothingIsDueBeforeTheFirstBuffer) {
  Playout playout(kAudio);
  EXPECT_EQ(playout.due(), TimePoint::max());
  playout.advance();
  EXPECT_EQ(playout.due(), TimePoint::max());
  EXPECT_EQ(playout.figures().upCalls, 0u);
}

TEST(Playout, CallsOnceAPeriodFromTheJitterAfterTheFirstBufferOn) {
  Playout playout(kVideo);
  EXPECT_EQ(playout.arrived(40, kStart), Arrival::InTime);
  EXPECT_EQ(playout.due(), kStart + 10ms);
  EXPECT_EQ(playout.next(), 40u);
  for (int i = 0; i < 30000; ++i) playout.advance();
  EXPECT_EQ(playout.due(), kStart + 10ms + 1001s);  // no rounding adds up
  EXPECT_EQ(playout.next(), 30040u);
}

TEST(Playout, SteadyBuffersWaitForTheJitterEach) {
  Receiver receiver(kAudio);
  send(receiver, kFifty, 0, 50 * 60, steady);
  receiver.runUntil(kStart + 59s);
  EXPECT_EQ(receiver.empty(), 0u);
  for (const auto& each : receiver.calls) EXPECT_EQ(each.waited, 10ms);
  EXPECT_EQ(receiver.longest, 1u);
}

TEST(Playout, JitterWithinThePromiseIsNeverHeard) {
  Receiver receiver(kAudio);
  send(receiver, kFifty, 0, 50 * 600, jitter(10ms));
  EXPECT_EQ(receiver.empty(), 0u);
  EXPECT_EQ(receiver.playout.figures().late, 0u);
  EXPECT_EQ(receiver.playout.figures().slipsLater, 0u);
  EXPECT_EQ(receiver.playout.figures().slipsEarlier, 0u);
  EXPECT_LE(receiver.longest, 2u);
}

TEST(Playout, ALateBufferNowAndThenMovesNothing) {
  Receiver receiver(kAudio);
  send(receiver, kFifty, 0, 50 * 60, [](std::int64_t i) { return i % 100 == 50 ? 65ms : 5ms; });
  EXPECT_EQ(receiver.playout.figures().slipsLater, 0u);
  EXPECT_EQ(receiver.playout.figures().late, 30u);
  EXPECT_EQ(receiver.empty(), 30u);
}

TEST(Playout, JitterAboveThePromiseIsMetByDelayThatGoesBackAfterwards) {
  Receiver receiver(kAudio);
  send(receiver, kFifty, 0, 50 * 60, jitter(60ms));
  EXPECT_GE(receiver.playout.figures().slipsLater, 1u);
  EXPECT_LE(receiver.playout.figures().slipsLater, 3u);  // 20 ms each
  EXPECT_LE(receiver.empty(kStart + 10s), 10u);          // of 2500: it has learnt
  send(receiver, kFifty, 50 * 60, 50 * 120, steady);
  EXPECT_GE(receiver.playout.figures().slipsEarlier, 1u);
  EXPECT_LE(receiver.calls.back().waited, 10ms + 20ms);
  EXPECT_GE(receiver.calls.back().waited, 10ms);
}

TEST(Playout, JitterBeyondTheLatencyDoesNotMakeBuffersWaitForLonger) {
  Receiver receiver(kAudio);
  const Delay burst = [](std::int64_t i) { return i % 10 == 0 && i < 14900 ? 1s : 5ms; };
  send(receiver, kFifty, 0, 50 * 300, burst);
  EXPECT_LE(receiver.longestWait(kStart), 100ms);
  EXPECT_EQ(receiver.playout.figures().late, 1490u);
  EXPECT_EQ(receiver.playout.figures().slipsLater, 0u);
}

TEST(Playout, ADriftOf100PartsAMillionForAnHourSlipsOnePeriodAtATime) {
  const std::int64_t hour = 3600 * 30;  // 10.8 periods of drift
  for (const Duration most : {0ms, 8ms}) {
    Receiver fast(kVideo);
    send(fast, kNtsc, 0, hour, jitter(most), 100e-6);
    EXPECT_GE(fast.playout.figures().slipsEarlier, 9u);
    EXPECT_LE(fast.playout.figures().slipsEarlier, 11u);
    EXPECT_EQ(fast.playout.figures().slipsLater, 0u);
    EXPECT_EQ(fast.empty(), 0u);
    EXPECT_LE(fast.longest, 3u);

    Receiver slow(kVideo);
    send(slow, kNtsc, 0, hour, jitter(most), -100e-6);
    EXPECT_GE(slow.playout.figures().slipsLater, 10u);
    EXPECT_LE(slow.playout.figures().slipsLater, 11u);
    EXPECT_EQ(slow.playout.figures().slipsEarlier, 0u);
    // With jitter, outliers are late before three of a look are.
    EXPECT_LE(slow.empty(), (most == 0ms ? 4 : 20) * slow.playout.figures().slipsLater);
    EXPECT_LE(slow.longestEmptyRun(), 5);
    EXPECT_LE(slow.longest, 2u);
  }
}

TEST(Playout, BuffersLostInAGapDoNotMoveTheOthers) {
  Receiver receiver(kAudio);
  send(receiver, kFifty, 0, 200, steady);
  send(receiver, kFifty, 250, 500, steady);
  EXPECT_EQ(receiver.empty(), 50u);
  EXPECT_EQ(receiver.playout.figures().slipsLater, 0u);
  for (const auto& each : receiver.calls) EXPECT_EQ(each.waited, each.empty ? 0ms : 10ms);
}

TEST(Playout, AfterASenderStoodStillBuffersAreInTimeOnceThreeWereLate) {
  for (const Duration stand : {30ms, 300ms, 5000ms, 50000ms}) {
    Receiver receiver(kAudio);
    send(receiver, kFifty, 0, 200, steady);
    send(receiver, kFifty, 200, 500, steady, 0, stand);
    EXPECT_EQ(receiver.playout.figures().late, 2u);  // the third has its turn again
    EXPECT_EQ(receiver.empty(kStart + stand + 4070ms), 0u) << stand.count();
    EXPECT_LE(receiver.calls.back().waited, 30ms);
    EXPECT_EQ(receiver.playout.figures().restarts, 0u);
  }
}

TEST(Playout, ASenderThatIsBackAfterMinutesBeginsAnew) {
  Receiver receiver(kAudio);
  send(receiver, kFifty, 0, 200, steady);
  send(receiver, kFifty, 200, 500, steady, 0, 600s);
  EXPECT_EQ(receiver.playout.figures().restarts, 1u);
  EXPECT_EQ(receiver.playout.figures().late, 0u);
  EXPECT_EQ(receiver.empty(kStart + 604s + 5ms), 0u);
  EXPECT_EQ(receiver.calls.back().waited, 10ms);
}

TEST(Playout, ABurstAfterAnOutageIsPassedOver) {
  Receiver receiver(kAudio);
  send(receiver, kFifty, 0, 200, steady);
  // The buffers of a second come at once at its end, and the sender goes on.
  send(receiver, kFifty, 200, 500, [](std::int64_t i) { return std::max<Duration>(5ms, (250 - i) * 20ms); });
  EXPECT_EQ(receiver.empty(kStart + 9s), 0u);
  EXPECT_LE(receiver.calls.back().waited, 30ms);
}

TEST(Playout, ASlowFirstBufferDoesNotDelayAllOthersForEver) {
  Receiver receiver(kAudio);
  // It holds those after it up: all come at once.
  send(receiver, kFifty, 0, 500, [](std::int64_t i) { return std::max<Duration>(5ms, 205ms - i * 20ms); });
  EXPECT_EQ(receiver.playout.figures().slipsEarlier, 10u);
  EXPECT_EQ(receiver.calls.back().waited, 10ms);
}

TEST(Playout, BeginsAnewAfterRestart) {
  Receiver receiver(kAudio);
  send(receiver, kFifty, 0, 100, steady);
  receiver.playout.restart();
  EXPECT_EQ(receiver.playout.due(), TimePoint::max());
  EXPECT_EQ(receiver.playout.arrived(3, kStart + 1h), Arrival::InTime);
  EXPECT_EQ(receiver.playout.next(), 3u);
  EXPECT_EQ(receiver.playout.due(), kStart + 1h + 10ms);
  EXPECT_EQ(receiver.playout.figures().restarts, 1u);
}

TEST(Playout, ANewBeginningBringsUpCallsNoCloserTogether) {
  Playout playout(kAudio);
  (void)playout.arrived(0, kStart);
  const TimePoint next = playout.due() + 20ms;
  playout.advance();
  playout.restart();
  EXPECT_EQ(playout.due(), TimePoint::max());
  (void)playout.arrived(50, kStart + 1ms);
  EXPECT_EQ(playout.due(), next);
  (void)playout.arrived(1'000'000, kStart + 2ms);  // far away: anew as well
  EXPECT_EQ(playout.next(), 1'000'000u);
  EXPECT_EQ(playout.due(), next);
  (void)playout.arrived(0, next + 1s);
  EXPECT_GT(playout.due(), next + 1s);
}

TEST(Playout, NumbersWrap) {
  Receiver receiver(kAudio);
  const std::int64_t first = (std::int64_t{1} << 32) - 100;
  send(receiver, kFifty, first, first + 500, steady);
  EXPECT_EQ(receiver.empty(), 0u);
  EXPECT_EQ(receiver.playout.figures().late, 0u);
  EXPECT_EQ(receiver.playout.figures().restarts, 0u);
  EXPECT_EQ(receiver.playout.next(), 399u);
}

TEST(Playout, ASlipLaterGivesALateBufferItsTurnAgain) {
  Playout playout(kAudio);
  (void)playout.arrived(0, kStart);
  playout.advance();
  for (std::uint32_t i = 1; i < 3; ++i) {
    playout.advance();
    EXPECT_EQ(playout.arrived(i, kStart + 10ms + i * 20ms + 1ms), Arrival::Late);
  }
  playout.advance();
  EXPECT_EQ(playout.arrived(3, kStart + 10ms + 61ms), Arrival::InTime);
  EXPECT_EQ(playout.next(), 3u);
  EXPECT_EQ(playout.figures().slipsLater, 1u);
  EXPECT_EQ(playout.due(), kStart + 10ms + 80ms);  // up-calls do not move
}

RC_GTEST_PROP(PlayoutProperty, JitterWithinThePromiseIsNeverLateAtAnyRate, ()) {
  const auto promised = *rc::gen::element<Duration>(0ns, 1ms, 20ms, 500ms);
  const Rate rate = *rc::gen::element(Rate::perSecond(1), kNtsc, Rate::perSecond(1000));
  const PlayoutTerms terms{rate, promised, *rc::gen::element<Duration>(0ns, 100ms)};
  Receiver receiver(terms);
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  // In order, as assembly gives them.
  Duration before{};
  send(receiver, rate, 0, 300, [&](std::int64_t) {
    const auto drawn = std::uniform_int_distribution<std::int64_t>(0, promised.count())(random);
    before = std::max(before - rate.period() + 1ns, Duration(drawn));  // a period is rounded
    return before;
  });
  RC_ASSERT(receiver.playout.figures().late == 0u);
  RC_ASSERT(receiver.playout.figures().slipsLater == 0u);
}

RC_GTEST_PROP(PlayoutProperty, WhateverArrivesUpCallsComeOnceAPeriodAndGiveEachBufferOnce, ()) {
  Receiver receiver(kAudio);
  TimePoint now = kStart;
  std::uint32_t number = *rc::gen::element<std::uint32_t>(0, UINT32_MAX - 20);
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const int count = *rc::gen::element(10, 300);
  for (int i = 0; i < count; ++i) {
    const Duration steps[] = {20ms, 20ms, 20ms, 20ms, 0ms, 1ms, 90ms, 3000ms};
    const std::uint32_t jumps[] = {1, 1, 1, 1, 2, 1, 3, 50};
    now += steps[random() % 8];
    number += jumps[random() % 8];
    (void)receiver.arrive(number, now);
  }
  receiver.runUntil(now + 10s);
  std::vector<std::uint32_t> given;
  for (std::size_t i = 0; i < receiver.calls.size(); ++i) {
    const bool anew = receiver.playout.figures().restarts > 0;
    const Duration apart = i > 0 ? receiver.calls[i].at - receiver.calls[i - 1].at : 20ms;
    RC_ASSERT(apart == 20ms || (anew && apart > 20ms));
    if (!receiver.calls[i].empty) given.push_back(receiver.calls[i].number);
  }
  std::sort(given.begin(), given.end());
  RC_ASSERT(std::adjacent_find(given.begin(), given.end()) == given.end());
  RC_ASSERT(given.size() + receiver.playout.figures().late <= static_cast<std::size_t>(count));
  RC_ASSERT(receiver.calls.size() >= receiver.playout.figures().upCalls);
}

TEST(Playout, AnotherRateHoldsFromTheNextUpCallOn) {
  Receiver receiver({Rate::perSecond(50), 20ms, 60ms});
  for (std::uint32_t i = 0; i < 10; ++i) receiver.arrive(i, kStart + i * 20ms);
  receiver.runUntil(kStart + 190ms);  // 0 to 8 at 20 ms to 180 ms
  receiver.playout.setRate(Rate::perSecond(25), kStart + 190ms);
  for (std::uint32_t i = 10; i < 20; ++i) receiver.arrive(i, kStart + 180ms + (i - 9) * 40ms);
  receiver.runUntil(kStart + 600ms);
  ASSERT_EQ(receiver.calls.size(), 20u);
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(receiver.calls[i].at, kStart + (i < 10 ? (i + 1) * 20ms : 200ms + (i - 9) * 40ms)) << i;
    EXPECT_EQ(receiver.calls[i].number, i);
    EXPECT_FALSE(receiver.calls[i].empty);
  }
}

}  // namespace
}  // namespace tactus::net
