// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/load_law.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

/// Two processors, of which one is idle; a film takes 0.45, the rest of the program 0.05.
constexpr MachineReading kCalm{.processors = 2, .idle = 1, .used = 0.5, .films = 0.45, .server = {}};
/// A film that takes 0.45 processors at f = 1, 0.25 at its f_min.
const WindowReading kFilm{
    .ladder = {.weight = 2, .leastFrequency = 0.5, .fixed = 0.05, .elastic = 0.4}, .stock = 0.1, .rate = 30};

class LoadLawTest : public testing::Test {
 protected:
  LoadPlan look(const MachineReading& machine, const WindowReading& window, Duration passed = 200ms) {
    m_now += passed;
    return law.look(m_now, passed, machine, {&window, 1});
  }
  LoadLaw law{LoadConstants{}};

 private:
  TimePoint m_now{100s};
};

TEST_F(LoadLawTest, RoomIsWhatCanBeHadLessWhatIsDoneBesideAndALittleThatFillsTheStock) {
  const LoadPlan plan = look(kCalm, kFilm);
  EXPECT_DOUBLE_EQ(plan.capacity, 2 - 0.05 - 0.02 * 0.5);
  EXPECT_DOUBLE_EQ(plan.room, plan.capacity);
  EXPECT_DOUBLE_EQ(plan.asked, 0.45);
  EXPECT_EQ(plan.rungs.front(), (Rung{WindowStage::Whole, 1}));
}

TEST_F(LoadLawTest, WhatIsMissingIsMadeUpForWithinASecond) {
  WindowReading behind = kFilm;
  behind.backlog = 0.1;
  behind.waited = 1;
  const LoadPlan plan = look(kCalm, behind);
  EXPECT_DOUBLE_EQ(plan.room, plan.capacity - 0.1);
}

TEST_F(LoadLawTest, WhatNoThreadWaitedForIsMissingForAnotherReason) {
  WindowReading behind = kFilm;
  behind.backlog = 0.5;
  behind.waited = 0.02;
  const LoadPlan plan = look(kCalm, behind);
  EXPECT_DOUBLE_EQ(plan.room, plan.capacity - 0.02);
}

TEST_F(LoadLawTest, WhatBeginsSaysNothing) {
  WindowReading opening = kFilm;
  opening.backlog = 0.5;
  opening.waited = 1;
  opening.begins = true;
  const LoadPlan plan = look(kCalm, opening);
  EXPECT_DOUBLE_EQ(plan.capacity, 2);  // opening is no lasting demand either
  EXPECT_DOUBLE_EQ(plan.room, plan.capacity);
}

TEST_F(LoadLawTest, TheDisplayServerIsLeftWhatItUsesAndWhatItLacks) {
  MachineReading drawn = kCalm;
  drawn.server = DrawingLoad{.used = 0.1, .waited = 0.2, .turns = 1000};
  // 0.2 ms a wait are 0.6 % of the time between two pictures; 0.5 of 0.9 processors are ours.
  const double beside = 0.05 + 0.1 + 0.2 * 0.006 * 0.5 / 0.9;
  EXPECT_NEAR(look(drawn, kFilm).capacity, 2 - beside - 0.02 * (0.45 + beside), 1e-9);
  LoadLaw other{LoadConstants{}};
  drawn.server = DrawingLoad{.used = 0.1, .waited = 0.2, .turns = 6};  // as long as a picture each
  const LoadPlan plan = other.look(TimePoint{1s}, 200ms, drawn, {&kFilm, 1});
  const double more = 0.05 + 0.1 + 0.2 * 0.5 / 0.9;
  EXPECT_NEAR(plan.capacity, 2 - more - 0.02 * (0.45 + more), 1e-9);
}

TEST_F(LoadLawTest, APlanThatIsNotCarriedOutWhileThreadsWaitExceedsWhatCanBeHad) {
  const MachineReading full{.processors = 2, .idle = 0, .used = 0.3, .films = 0.3, .server = {}};
  WindowReading waits = kFilm;
  waits.waited = 1;
  look(full, waits);
  LoadPlan plan;
  for (int i = 0; i < 20; ++i) plan = look(full, waits);  // 0.45 are planned, 0.3 are used
  EXPECT_NEAR(plan.capacity, 0.3 - 0.02 * 0.45, 1e-9);
  EXPECT_EQ(plan.rungs.front().stage, WindowStage::Thinned);
  // The same where nobody waits: the film has not more to do.
  LoadLaw other{LoadConstants{}};
  for (int i = 0; i < 20; ++i) plan = other.look(TimePoint{1s} + i * 200ms, 200ms, full, {&kFilm, 1});
  EXPECT_DOUBLE_EQ(plan.capacity, 2 - 0.02 * 0.45);
}

TEST_F(LoadLawTest, OfAPlanThatIsNotCarriedOutOnlyWhatHasComeIsUndone) {
  const MachineReading full{.processors = 2, .idle = 0, .used = 0.3, .films = 0.3, .server = {}};
  WindowReading slow = kFilm;  // its sender sends two of three pictures
  slow.waited = 1;
  slow.waiting = 0;
  LoadPlan plan;
  for (int i = 0; i < 20; ++i) plan = look(full, slow);
  EXPECT_DOUBLE_EQ(plan.capacity, 2 - 0.02 * 0.45);
  slow.waiting = 0.1;
  plan = look(full, slow);
  EXPECT_NEAR(plan.capacity, 0.3 - 0.02 * 0.45, 1e-9);
}

TEST_F(LoadLawTest, ATrialIsPaidByWhatIsDecodedAheadAndByWhatMayBeLate) {
  const MachineReading full{.processors = 2, .idle = 0, .used = 0.3, .films = 0.3, .server = {}};
  for (const auto& [stock, tolerated] : {std::pair{0.0, 0.0}, {0.0, 0.08}, {0.16, 0.0}, {0.08, 0.06}}) {
    LoadLaw fresh{LoadConstants{}};
    WindowReading window = kFilm;
    window.backlog = window.waited = 1;
    LoadPlan plan = fresh.look(TimePoint{1s}, 200ms, full, {&window, 1});
    EXPECT_NEAR(plan.capacity, 0.3 - 0.02 * 0.45, 1e-9);
    const double pays = (stock / 2 + tolerated) * plan.planned;  // it has proved itself after 2 s
    window.backlog = window.waited = 0;
    window.stock = stock;
    window.tolerated = tolerated;
    plan = fresh.look(TimePoint{3s}, 200ms, full, {&window, 1});
    EXPECT_NEAR(plan.capacity, 0.3 + pays - 0.02 * 0.45, 1e-9) << stock << " " << tolerated;
  }
}

TEST_F(LoadLawTest, WhoBeginsCountsAsTheMeanOfTheOthers) {
  std::vector<WindowReading> two(2, kFilm);
  two[1].begins = true;
  two[1].ladder.elastic = 9;  // its first pictures
  EXPECT_DOUBLE_EQ(law.look(TimePoint{1s}, 200ms, kCalm, two).asked, 0.9);
}

TEST_F(LoadLawTest, OtherProgramsAreBlamedForWhatTheyUse) {
  EXPECT_FALSE(look({.processors = 2, .idle = 0, .used = 1.5, .films = 1.4, .server = {}}, kFilm).othersFill);
  LoadPlan plan;
  for (int i = 0; i < 20; ++i) plan = look({.processors = 2, .used = 0.5, .films = 0.4, .server = {}}, kFilm);
  EXPECT_TRUE(plan.othersFill);
  for (int i = 0; i < 20; ++i) plan = look({.processors = 2, .used = 1.05, .films = 1, .server = {}}, kFilm);
  EXPECT_TRUE(plan.othersFill);  // 0.525: within the hysteresis
}

/// Everything that is measured in processors, times `k`.
void scale(std::vector<WindowReading>& windows, MachineReading& machine, double k) {
  for (auto& each : windows) {
    each.ladder.fixed *= k;
    each.ladder.elastic *= k;
    each.ladder.keyframes *= k;
    each.backlog *= k;
    each.waited *= k;
  }
  machine.idle *= k;
  machine.used *= k;
  machine.films *= k;
}

/// The costs and C times a power of two, so that rounding is the same: from a 32nd to 32 times.
RC_GTEST_PROP(LoadLawProperty, IsTheSameForAllCostsAndCapacitiesTimesAnyFactor, ()) {
  const double k = std::ldexp(1.0, *rc::gen::inRange(-5, 6));
  LoadLaw one{LoadConstants{}}, other{LoadConstants{}};
  std::vector<WindowReading> windows(static_cast<std::size_t>(*rc::gen::inRange(1, 5)));
  for (auto& each : windows) {
    each.ladder.weight = *rc::gen::inRange(1, 9);
    each.ladder.leastFrequency = *rc::gen::inRange(0, 101) / 100.0;
    each.ladder.fixed = *rc::gen::inRange(0, 5) / 1000.0;
    each.ladder.elastic = *rc::gen::inRange(1, 10) / 1000.0;
    each.ladder.keyframes = 0.001;
    each.rate = 30;
  }
  for (int look = 1; look <= 60; ++look) {
    MachineReading machine{.processors = 2, .server = {}};
    double used = 0;
    for (auto& each : windows) {
      used += each.ladder.cost(each.ladder.frequency) * *rc::gen::inRange(50, 101) / 100.0;
      each.backlog = *rc::gen::inRange(0, 3) * 0.001;
      each.waited = *rc::gen::inRange(0, 3) * 0.002;
      each.stock = *rc::gen::inRange(0, 5) / 30.0;
    }
    machine.used = machine.films = used;
    machine.idle = *rc::gen::inRange(0, 4) * 0.002;
    auto scaledWindows = windows;
    MachineReading scaledMachine = machine;
    scale(scaledWindows, scaledMachine, k);
    const TimePoint now{look * 200ms};
    const LoadPlan plan = one.look(now, 200ms, machine, windows);
    const LoadPlan scaled = other.look(now, 200ms, scaledMachine, scaledWindows);
    RC_ASSERT(plan.rungs == scaled.rungs);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      windows[i].ladder.stage = plan.rungs[i].stage;
      windows[i].ladder.frequency = plan.rungs[i].frequency;
    }
  }
}

}  // namespace
}  // namespace tactus::media
