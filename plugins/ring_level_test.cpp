// SPDX-License-Identifier: Apache-2.0
#include "plugins/ring_level.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;

constexpr double kRate = 48'000;
constexpr Duration kPacket = 20ms;

/// Packets of 20 ms go into a ring, a device takes `quantum` samples at a time by a clock of its own, through
/// a resampler that follows the law.
class Ring {
 public:
  Ring(int quantum, double drift, Duration jitter, unsigned seed)
      : m_quantum(quantum), m_drift(drift), m_jitter(jitter), m_random(seed) {}

  void run(Duration length) {
    for (const double end = m_now + periodic::inSeconds(length); m_now < end;) {
      const double push = m_silent ? m_pull + 1 : m_push;
      m_now = std::min(push, m_pull);
      if (push < m_pull)
        this->push();
      else
        pull();
    }
  }
  /// The writer puts nothing in for this long, and goes on with what is due then.
  void fallSilent(Duration length) {
    m_silent = true;
    run(length);
    m_silent = false;
    while (m_push < m_now) nextPush();
  }
  /// The device takes nothing for this long.
  void stall(Duration length) {
    for (m_pull += periodic::inSeconds(length); m_push < m_pull;) push();
  }
  void setQuantum(int quantum) { m_quantum = quantum; }

  [[nodiscard]] Duration target() const {
    return periodic::fromSeconds(m_quantum / kRate) + RingLevel::Constants{}.margin;
  }
  [[nodiscard]] Duration delay() const { return m_level.delay(); }
  [[nodiscard]] double speed() const { return m_speed; }
  int underruns = 0, overflows = 0;

 private:
  void nextPush() {
    std::uniform_real_distribution<double> late(-periodic::inSeconds(m_jitter),
                                                periodic::inSeconds(m_jitter));
    m_push = static_cast<double>(++m_packets) * periodic::inSeconds(kPacket) + late(m_random);
  }
  void push() {
    m_epoch = m_push - m_written / kRate;
    m_written += periodic::inSeconds(kPacket) * kRate;
    nextPush();
  }
  void pull() {
    const double wanted = m_quantum * m_speed;
    const bool played = m_level.plays();
    const auto turn = m_level.turn(periodic::fromSeconds(m_pull - m_epoch - m_read / kRate),
                                   periodic::fromSeconds((m_written - m_read) / kRate),
                                   periodic::fromSeconds(wanted / kRate));
    const double drop = periodic::inSeconds(turn.drop) * kRate, play = periodic::inSeconds(turn.play) * kRate;
    RC_ASSERT(m_read + drop + play <= m_written + 0.01);
    RC_ASSERT(turn.drop >= 0ns && turn.play >= 0ns);
    m_read += drop + play;
    underruns += played && !m_level.plays();
    overflows += played && turn.drop > 0ns;
    m_speed = turn.speed;
    m_pull += m_quantum / kRate * (1 + m_drift);
  }

  int m_quantum;
  const double m_drift;
  const Duration m_jitter;
  std::mt19937 m_random;
  RingLevel m_level;
  // s, and samples
  double m_now = 0, m_push = 0, m_pull = 0.003, m_epoch = 0, m_written = 0, m_read = 0, m_speed = 1;
  long m_packets = 0;
  bool m_silent = false;
};

const auto kQuanta = rc::gen::element(64, 128, 256, 441, 480, 512, 960, 1024, 2048);

RC_GTEST_PROP(RingLevel, NothingRunsDryOrOverWhateverTheQuantumAndTheDrift, ()) {
  const int quantum = *kQuanta;
  const double drift = *rc::gen::inRange(-200, 201) * 1e-6;
  Ring ring(quantum, drift, 10ms, *rc::gen::arbitrary<unsigned>());
  ring.run(5s);  // the first packet may have been early: what is known of the delay is as wrong
  RC_ASSERT(ring.underruns <= 2);
  ring.underruns = 0;
  ring.run(90s);
  RC_ASSERT(ring.underruns == 0);
  RC_ASSERT(ring.overflows == 0);
  RC_ASSERT(ring.delay() > ring.target() - 5ms && ring.delay() < ring.target() + 5ms);
}

RC_GTEST_PROP(RingLevel, TheSpeedBecomesThatOfTheOtherClock, ()) {
  const double drift = *rc::gen::inRange(-200, 201) * 1e-6;
  Ring ring(*kQuanta, drift, 0ms, 0);
  ring.run(60s);
  RC_ASSERT(ring.underruns == 0 && ring.overflows == 0);
  RC_ASSERT(std::abs(ring.speed() - 1 - drift) < 40e-6);
}

RC_GTEST_PROP(RingLevel, ADeviceThatStalledFindsTheTargetAgain, ()) {
  Ring ring(*kQuanta, 0, 2ms, *rc::gen::arbitrary<unsigned>());
  ring.run(2s);
  const auto stall = *rc::gen::inRange(1, 3000) * 1ms;
  ring.stall(stall);
  ring.run(15s);
  RC_ASSERT(ring.overflows == (stall > 70ms ? 1 : ring.overflows));
  RC_ASSERT(ring.overflows <= 1);
  RC_ASSERT(ring.delay() > ring.target() - 3ms && ring.delay() < ring.target() + 3ms);
}

RC_GTEST_PROP(RingLevel, AWriterThatFellSilentIsHeardAgainWithTheSameDelay, ()) {
  Ring ring(*kQuanta, 0, 2ms, *rc::gen::arbitrary<unsigned>());
  ring.run(2s);
  ring.fallSilent(*rc::gen::inRange(200, 3000) * 1ms);
  RC_ASSERT(ring.underruns == 1);
  RC_ASSERT(ring.delay() == 0ns);
  ring.run(5s);
  RC_ASSERT(ring.underruns <= 2);
  RC_ASSERT(ring.delay() > ring.target() - 5ms && ring.delay() < ring.target() + 5ms);
}

RC_GTEST_PROP(RingLevel, AnotherQuantumIsAnotherTarget, ()) {
  Ring ring(*kQuanta, 0, 2ms, *rc::gen::arbitrary<unsigned>());
  ring.run(2s);
  ring.setQuantum(*kQuanta);
  ring.run(15s);
  RC_ASSERT(ring.underruns <= 1);
  RC_ASSERT(ring.overflows == 0);
  RC_ASSERT(ring.delay() > ring.target() - 3ms && ring.delay() < ring.target() + 3ms);
}

TEST(RingLevel, ItsFirstSampleWaitsForTheTargetAndTheRestOfTheRingIsGivenUp) {
  RingLevel level;
  EXPECT_EQ(level.turn(24ms, 40ms, 11ms).play, 0ms);
  const auto turn = level.turn(35ms, 40ms, 11ms);
  EXPECT_EQ(turn.drop, 10ms);
  EXPECT_EQ(turn.play, 11ms);
  EXPECT_EQ(turn.speed, 1);
  EXPECT_EQ(level.delay(), 25ms);
}

TEST(RingLevel, WhatTheDeviceWantsIsNotGivenUp) {
  RingLevel level;
  const auto turn = level.turn(3s, 15ms, 11ms);
  EXPECT_EQ(turn.drop, 4ms);
  EXPECT_EQ(turn.play, 11ms);
}

TEST(RingLevel, ADryRingGivesWhatIsLeftThenSilenceUntilItIsFilled) {
  RingLevel level;
  EXPECT_EQ(level.turn(25ms, 20ms, 11ms).play, 11ms);
  EXPECT_EQ(level.turn(25ms, 9ms, 11ms).play, 9ms);
  EXPECT_FALSE(level.plays());
  EXPECT_EQ(level.turn(15ms, 20ms, 11ms).play, 0ms);
  EXPECT_EQ(level.turn(26ms, 20ms, 11ms).play, 11ms);
}

TEST(RingLevel, ASampleThatCameEarlyDoesNotEndTheSilenceTooSoon) {
  RingLevel level;
  EXPECT_EQ(level.turn(4ms, 20ms, 11ms).play, 0ms);
  EXPECT_EQ(level.turn(25ms, 40ms, 11ms).play, 0ms);
  EXPECT_EQ(level.turn(36ms, 40ms, 11ms).play, 11ms);
  EXPECT_EQ(level.delay(), 25ms);
}

TEST(RingLevel, AnotherDeviceBeginsWithTheTarget) {
  RingLevel level;
  (void)level.turn(25ms, 40ms, 11ms);
  level.reset();
  EXPECT_FALSE(level.plays());
  EXPECT_EQ(level.turn(510ms, 500ms, 11ms).drop, 485ms);
  EXPECT_EQ(level.delay(), 25ms);
}

TEST(RingLevel, TheSpeedChangesByAFiftiethAtMost) {
  RingLevel level;
  (void)level.turn(25ms, 500ms, 11ms);
  for (int i = 0; i < 1000; ++i) EXPECT_LE(level.turn(80ms, 500ms, 11ms).speed, 1.02);
  EXPECT_EQ(level.turn(80ms, 500ms, 11ms).speed, 1.02);
  for (int i = 0; i < 1000; ++i) EXPECT_GE(level.turn(-80ms, 500ms, 11ms).speed, 0.98);
}

}  // namespace
}  // namespace tactus::plugins
