// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/load_governor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "media/sharing/governed_fixture.h"

namespace tactus::media {
namespace {

TEST_F(Governed, WithRoomForAllNobodyGivesAnything) {
  for (int i = 0; i < 4; ++i) window(0.4, {.name = "film"});
  run(10s);
  for (const auto& each : machine.films) EXPECT_EQ(each->thinning, Thinning{});
  EXPECT_TRUE(state(0).sentence.empty());
  EXPECT_NEAR(state(0).load, 0.4, 0.05);
  EXPECT_NEAR(state(0).shownRate, 30, 3);
  EXPECT_EQ(state(0).stage, WindowStage::Whole);
}

TEST_F(Governed, TheHighOneStaysWholeAndTheOthersGiveByWeight) {
  const auto& high = window(0.6, {.name = "Lecture", .priority = Priority::High});
  const auto& normal = window(0.6, {.name = "News", .priority = Priority::Normal});
  const auto& one = window(0.6, {.name = "Camera", .priority = Priority::Background});
  const auto& two = window(0.6, {.name = "Door", .priority = Priority::Background});
  run(20s);
  EXPECT_EQ(high.thinning, Thinning{});
  EXPECT_LT(one.thinning.frequency, normal.thinning.frequency);
  EXPECT_NEAR(one.thinning.frequency, two.thinning.frequency, 0.02);
  EXPECT_GE(one.thinning.frequency, 0.1);
  EXPECT_GE(normal.thinning.frequency, 0.5);
  EXPECT_EQ(state(2).cause, QosCause::Streams);
  EXPECT_NE(state(2).sentence.find("'Camera' shows "), std::string::npos) << state(2).sentence;
  EXPECT_NE(state(2).sentence.find("busy with 'Lecture' at High"), std::string::npos) << state(2).sentence;
}

TEST_F(Governed, AFilmThatHoldsItsClassIsWholeBesideAnyNumberOfOrdinaryPrograms) {
  const auto& alone = window(1.2, {.name = "film"});
  machine.hogs = 16;
  run(60s);
  EXPECT_EQ(alone.changes, 0);
  EXPECT_EQ(alone.thinning, Thinning{});
}

TEST_F(Governed, AFilmWithoutAClassGivesWayEvenlyBesideOrdinaryPrograms) {
  machine.classGranted = false;
  machine.hogs = 3;
  window(0.7, {.name = "film", .priority = Priority::Background});
  run(20s);
  double mean = 0;  // a quarter of two processors, and now and then a trial
  for (int i = 0; i < 50; ++i) {
    run(200ms);
    mean += machine.wanted() / 50;
  }
  EXPECT_LE(mean, 0.5);
  EXPECT_GE(mean, 0.4);
  EXPECT_EQ(state(0).cause, QosCause::OtherPrograms);
}

TEST_F(Governed, WindowsComeBackThoughOrdinaryProgramsFillTheMachine) {
  for (int i = 0; i < 9; ++i) window(0.15, {.name = "film"});
  machine.hogs = 6;
  machine.realtime = 1.2;
  run(10s);
  EXPECT_LT(film(8).thinning.frequency, 0.8);
  machine.realtime = 0;
  run(30s);  // nothing becomes idle: C is tried step by step
  for (const auto& each : machine.films) EXPECT_EQ(each->thinning, Thinning{});
}

TEST_F(Governed, ASlowSourceThinsNobody) {
  auto& slow = window(0.5, {.name = "film"});
  machine.hogs = 4;
  run(3s);
  for (int i = 0; i < 50; ++i) {
    run(200ms);
    slow.figures.ahead = -300ms;  // late, and its threads waited for packets, not for a processor
  }
  EXPECT_EQ(slow.thinning, Thinning{});
}

TEST_F(Governed, ReservationsAreLargeWhileTheyFitAndSmallOnceThereAreMany) {
  for (int i = 0; i < 3; ++i) window(0.3, {.name = "film"});
  run(5s);
  for (const auto& each : machine.films) EXPECT_EQ(each->service.quantile, StreamService{}.quantile);
  for (int i = 0; i < 5; ++i) window(0.3, {.name = "more"});
  run(5s);
  for (const auto& each : machine.films) EXPECT_EQ(each->service.quantile, 0.75);
  for (int i = 0; i < 5; ++i) close(3);
  run(5s);
  for (const auto& each : machine.films) EXPECT_EQ(each->service.quantile, StreamService{}.quantile);
}

TEST_F(Governed, RaisedToHighItIsWholeAtOnce) {
  for (int i = 0; i < 6; ++i) window(0.5, {.name = "film " + std::to_string(i)});
  run(10s);
  EXPECT_LT(film(2).thinning.frequency, 1);
  ASSERT_TRUE(governor.amend(ids[2], TermsPatch::ofPriority(Priority::High)).ok());
  run(200ms);
  EXPECT_EQ(film(2).thinning, Thinning{});
}

TEST_F(Governed, AllIsBackWithinThreeSecondsOfTheOverloadsEnd) {
  for (int i = 0; i < 4; ++i) window(0.4, {.name = "film"});
  run(3s);
  machine.realtime = 1.5;
  run(21s);
  EXPECT_LT(film(0).thinning.frequency, 1);
  EXPECT_EQ(state(0).cause, QosCause::OtherPrograms);
  machine.realtime = 0;
  run(3s);
  for (const auto& each : machine.films) EXPECT_EQ(each->thinning, Thinning{});
}

TEST_F(Governed, ItSettles) {
  window(0.6, {.name = "Lecture", .priority = Priority::High});
  for (int i = 0; i < 4; ++i) window(0.5, {.name = "film", .priority = Priority::Background});
  run(30s);
  const int before = film(1).changes;
  run(30s);
  // Raises are tried ever more seldom: a few changes a minute, and not one a second as without back-off.
  EXPECT_LE(film(1).changes - before, 12);
}

TEST_F(Governed, KeyframesOnlyIsTheLastStageAndNeverForTheHighOne) {
  const auto& high = window(0.9, {.name = "Lecture", .priority = Priority::High});
  for (int i = 0; i < 5; ++i) window(0.9, {.name = "film", .priority = Priority::Background});
  run(30s);
  EXPECT_EQ(high.thinning, Thinning{});
  EXPECT_GE(countOf(WindowStage::LastRung), 1);
  EXPECT_LE(machine.wanted(), 2.05);
  while (ids.size() > 2) close(2);
  run(12s);
  EXPECT_EQ(countOf(WindowStage::LastRung), 0);
}

TEST_F(Governed, TheLastStageTakesAsManyAsItNeedsAndTheOthersKeepTheirFloor) {
  window(0.2, {.name = "Lecture", .priority = Priority::High});
  for (int i = 0; i < 20; ++i) window(0.2, {.name = "film"});
  run(12s);
  // At its floor each needs 0.135 of a processor, with keyframes only 0.02; there are two.
  EXPECT_GE(countOf(WindowStage::LastRung), 7);
  EXPECT_LE(countOf(WindowStage::LastRung), 12);
  EXPECT_EQ(film(0).thinning, Thinning{});
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const bool older = i + 1 < ids.size() && film(i).thinning.lastRung;
    EXPECT_TRUE(!older || film(i + 1).thinning.lastRung) << i;  // the youngest
    EXPECT_GE(film(i).thinning.frequency, 0.5);
  }
  // Closed windows make room for the others at once.
  for (int i = 1; i < 12; ++i) close(1);
  run(6s);
  EXPECT_EQ(countOf(WindowStage::LastRung), 0);
}

TEST_F(Governed, TheDisplayServerIsLeftWhatItUsesAndWhatItLacks) {
  const auto& high = window(0.3, {.name = "Lecture", .priority = Priority::High});
  for (int i = 0; i < 8; ++i) window(0.25, {.name = "film"});
  machine.server.used = 0.1;
  run(20s);
  const double before = machine.wanted();
  EXPECT_GT(before, 1.6);
  machine.server.waited = 0.2;
  machine.server.turns = 200;  // a millisecond each makes no picture late
  run(20s);
  EXPECT_NEAR(machine.wanted(), before, 0.05);
  machine.server.turns = 6;  // as long as a picture each
  run(20s);
  EXPECT_NEAR(machine.wanted(), before - 0.2, 0.1);
  EXPECT_EQ(high.thinning, Thinning{});
}

TEST_F(Governed, TheDisplayServersWaitingForOrdinaryProgramsThinsNobody) {
  const auto& film = window(0.3, {.name = "film"});
  machine.hogs = 16;
  machine.server.used = 0.1;
  machine.server.waited = 0.8;
  run(20s);
  EXPECT_EQ(film.thinning, Thinning{});
}

TEST_F(Governed, ManyWindowsThatOpenDoNotFallToKeyframes) {
  // At their floors they take 1.5 of the two processors.
  for (int i = 0; i < 24; ++i) {
    auto& next = window(0.09, {.name = "film", .priority = i == 0 ? Priority::High : Priority::Normal});
    next.figures.playing = false;
    next.figures.opening = true;
  }
  machine.server.used = 0.1;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    machine.own += 300ms;  // opening takes the processors
    film(i).figures.opening = false;
    film(i).figures.playing = true;
    run(400ms);
    EXPECT_EQ(countOf(WindowStage::LastRung), 0) << i;
  }
  run(10s);
  EXPECT_EQ(countOf(WindowStage::LastRung), 0);
  EXPECT_EQ(film(0).thinning, Thinning{});
}

TEST_F(Governed, WhatCannotGoWellGivesWayWhileTheOthersAreBeingOpened) {
  const auto& high = window(0.2, {.name = "Lecture", .priority = Priority::High});
  run(1s);
  // Each begins when the one before has.
  for (int i = 0; i < 20; ++i) {
    window(0.2, {.name = "film"});
    run(400ms);
  }
  EXPECT_GE(countOf(WindowStage::LastRung), 7);
  EXPECT_EQ(high.thinning, Thinning{});
  EXPECT_LE(machine.wanted(), 2.1);
}

TEST_F(Governed, WhoPromisedMoreThanKeyframesGivesUpItsReservationOnly) {
  window(0.9, {.name = "Lecture", .priority = Priority::High});
  const auto& promised = window(0.9, {.name = "News", .leastFrequency = 0.7});
  machine.realtime = 1.2;
  run(10s);
  EXPECT_FALSE(promised.thinning.lastRung);
  EXPECT_EQ(promised.service.service, periodic::ServiceClass::BestEffort);
  EXPECT_EQ(film(0).service.service, periodic::ServiceClass::Guaranteed);
  machine.realtime = 0;
  run(3s);
  EXPECT_EQ(promised.service.service, periodic::ServiceClass::Statistical);
}

/// What the windows of one load were given: at its ends, and in the mean while it was too much.
struct Given {
  std::vector<Rung> before, after;
  std::vector<double> mean;
};

/// The same films and the same load, looked at more or less often, on a machine of this speed: on a fast one
/// everything costs less.
Given givenAt(Duration interval, double costs = 1) {
  struct Bench : Governed {
    void TestBody() override {}
    std::vector<Rung> rungs() {
      std::vector<Rung> rungs;
      for (const auto& each : governor.windows()) rungs.push_back({each.stage, each.thinning.frequency});
      return rungs;
    }
    Given play(Duration every, double costs) {
      interval = every;
      window(0.5 * costs, {.name = "Lecture", .priority = Priority::High});
      for (int i = 0; i < 5; ++i)
        window(0.25 * costs, {.name = "film", .priority = i < 3 ? Priority::Normal : Priority::Background});
      run(5s);
      Given given{.before = rungs(), .after = {}, .mean = std::vector<double>(ids.size())};
      machine.realtime = 2 - 1.4 * costs;
      run(5s);
      // Trials come and go: what counts is the mean.
      constexpr int kLooks = 50;
      for (int i = 0; i < kLooks; ++i) {
        run(400ms);
        for (std::size_t k = 0; k < ids.size(); ++k) given.mean[k] += film(k).thinning.frequency / kLooks;
      }
      machine.realtime = 0;
      run(10s);
      given.after = rungs();
      return given;
    }
  };
  return Bench().play(interval, costs);
}

TEST(GovernedPlans, DoNotDependOnHowOftenItLooks) {
  const Given usual = givenAt(200ms);
  EXPECT_LT(usual.mean.back(), 0.6);
  for (const Duration interval : {100ms, 400ms}) {
    const Given given = givenAt(interval);
    EXPECT_EQ(given.before, usual.before);
    EXPECT_EQ(given.after, usual.after);
    for (std::size_t i = 0; i < usual.mean.size(); ++i)
      EXPECT_NEAR(given.mean[i], usual.mean[i], 0.03) << i << " every " << periodic::inMilliseconds(interval);
  }
}

TEST(GovernedPlans, DoNotDependOnHowFastTheMachineIs) {
  const Given usual = givenAt(200ms, 0.5);
  for (const double costs : {0.2, 0.05}) {
    const Given given = givenAt(200ms, costs);
    EXPECT_EQ(given.before, usual.before) << costs;
    EXPECT_EQ(given.after, usual.after) << costs;
    // A thread catches up with one processor at most, which is more of a film that costs less.
    for (std::size_t i = 0; i < usual.mean.size(); ++i)
      EXPECT_NEAR(given.mean[i], usual.mean[i], 0.03) << i << " at " << costs;
  }
}

RC_GTEST_FIXTURE_PROP(Governed, NobodyFallsBelowItsFloorAndHighIsWhole, ()) {
  const int count = *rc::gen::inRange(1, 12);
  std::vector<WindowTerms> terms;
  for (int i = 0; i < count; ++i) {
    WindowTerms each;
    each.priority = static_cast<Priority>(*rc::gen::inRange(0, 3));
    if (*rc::gen::inRange(0, 2) == 1) each.leastFrequency = *rc::gen::inRange(0, 101) / 100.0;
    terms.push_back(each);
    window(*rc::gen::inRange(1, 100) / 100.0, each);
  }
  machine.hogs = *rc::gen::inRange(0, 5);
  for (int step = 0; step < 100; ++step) {
    machine.realtime = step > 20 && step < 60 ? 1.0 : 0.0;
    run(200ms);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      RC_ASSERT(film(i).thinning.frequency >= terms[i].numbers().leastFrequency - 1e-9);
      if (terms[i].priority == Priority::High) RC_ASSERT(!film(i).thinning.lastRung);
    }
  }
}

}  // namespace
}  // namespace tactus::media
