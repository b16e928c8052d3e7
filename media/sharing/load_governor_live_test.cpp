// SPDX-License-Identifier: Apache-2.0
// Streams of a call under the governor: what they show comes a moment before it is shown.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "media/sharing/governed_fixture.h"

namespace tactus::media {
namespace {

using GovernedLive = Governed;

/// Mean of the frequency of each window, over 40 s in which trials come and go.
std::vector<double> meanFrequencies(VirtualMachine& machine, const std::function<void()>& passes) {
  constexpr int kLooks = 200;
  std::vector<double> mean(machine.films.size());
  for (int i = 0; i < kLooks; ++i) {
    passes();
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += (machine.films[k]->thinning.lastRung ? 0 : machine.films[k]->thinning.frequency) / kLooks;
  }
  return mean;
}

RC_GTEST_FIXTURE_PROP(GovernedLive, WithRoomForItAllOfItIsShownForEver, ()) {
  machine.classGranted = *rc::gen::inRange(0, 2) == 1;
  machine.hogs = *rc::gen::inRange(0, 6);
  // Ordinary programs leave one stream without a class as much as each of them has.
  const double left = machine.classGranted ? 2 : 2 / (1 + machine.hogs);
  const double load = left * *rc::gen::inRange(5, 90) / 100.0;
  auto& stream = liveWindow(load, *rc::gen::inRange(10, 41) / 1000.0, {.name = "Ann"});
  if (*rc::gen::inRange(0, 2) == 1) stream.comeInTwoSizes();
  stream.lateTurns = *rc::gen::inRange(0, 9) / 1000.0;
  stream.sound = 0.02 * load;
  run(60s);
  RC_ASSERT(stream.changes == 0);
  RC_ASSERT(stream.thinning == Thinning{});
  RC_ASSERT(stream.figures.display.misses == 0u);
}

/// Every turn of its decoder comes late, by up to 80 ms.
void getLateTurns(VirtualFilm& stream) {
  const int least = *rc::gen::inRange(0, 81);
  stream.leastTurn = least / 1000.0;
  stream.lateTurns = *rc::gen::inRange(0, 81 - least) / 1000.0;
}

RC_GTEST_FIXTURE_PROP(GovernedLive, LateTurnsAreNoLackOfProcessorTimeAndThinNobody, ()) {
  machine.classGranted = *rc::gen::inRange(0, 2) == 1;
  machine.hogs = *rc::gen::inRange(1, 41);
  const int count = *rc::gen::inRange(1, 4);
  const double left = machine.classGranted ? 2 : 2 * count / (count + machine.hogs);
  for (int i = 0; i < count; ++i) {
    const double load = left / count * *rc::gen::inRange(5, 90) / 100.0;
    auto& stream = liveWindow(load, *rc::gen::inRange(10, 41) / 1000.0, {.name = "Ann"});
    if (*rc::gen::inRange(0, 2) == 1) stream.comeInTwoSizes();
    stream.figures.disposable = *rc::gen::inRange(0, 2) / 2.0;
    stream.sound = 0.02 * load;
    getLateTurns(stream);
  }
  run(60s);
  for (const auto& each : machine.films) {
    RC_ASSERT(each->changes == 0);
    RC_ASSERT(each->thinning == Thinning{});
  }
}

RC_GTEST_FIXTURE_PROP(GovernedLive, LateTurnsHideNoLackOfProcessorTime, ()) {
  const double load = *rc::gen::inRange(20, 150) / 100.0;
  const WindowTerms terms{.name = "Ann", .priority = Priority::Background};
  auto& stream = liveWindow(load, *rc::gen::inRange(10, 41) / 1000.0, terms);
  stream.sound = 0.05;
  machine.hogs = *rc::gen::inRange(0, 3);
  getLateTurns(stream);
  run(5s);
  RC_ASSERT(stream.changes == 0);
  const double fits = stream.wants() * *rc::gen::inRange(65, 90) / 100.0;
  machine.realtime = 2 - fits;
  int looks = 0;
  for (; looks < 50 && stream.thinning == Thinning{}; ++looks) run(200ms);
  RC_ASSERT(looks <= 10);  // 2 s
  run(10s);
  double used = 0;
  for (int i = 0; i < 100; ++i) {
    run(200ms);
    used += stream.wants() / 100;
  }
  RC_ASSERT(used < 1.05 * fits);
  RC_ASSERT(used > 0.7 * fits);
  RC_ASSERT(stream.silent == 0.0);
  machine.realtime = 0;
  run(60s);
  RC_ASSERT(stream.thinning == Thinning{});
}

RC_GTEST_FIXTURE_PROP(GovernedLive, BesideAnOverloadItGivesWhatDoesNotFitAndGetsItBack, ()) {
  const double reach = *rc::gen::inRange(10, 41) / 1000.0;
  const double load = *rc::gen::inRange(20, 150) / 100.0;
  auto& stream = liveWindow(load, reach, {.name = "Ann", .priority = Priority::Background});
  stream.sound = 0.05;
  // With ordinary programs nothing is idle, before and after. What is left is more than its floor.
  machine.hogs = *rc::gen::inRange(0, 3);
  run(5s);
  RC_ASSERT(stream.thinning == Thinning{});
  const double fits = stream.wants() * *rc::gen::inRange(65, 95) / 100.0;
  machine.realtime = 2 - fits;
  run(10s);
  double used = 0;
  double f = 0;
  for (int i = 0; i < 100; ++i) {
    run(200ms);
    used += stream.wants() / 100;
    f += stream.thinning.frequency / 100;
  }
  RC_ASSERT(f < 1);
  RC_ASSERT(used < 1.03 * fits);
  RC_ASSERT(used > 0.8 * fits);
  RC_ASSERT(stream.silent == 0.0);
  machine.realtime = 0;
  run(60s);
  RC_ASSERT(stream.thinning == Thinning{});
}

TEST_F(GovernedLive, WhereNothingElseIsIdleItIsBackWithinSeconds) {
  for (const double reach : {0.01, 0.04}) liveWindow(0.4, reach, {.name = "Ann"});
  window(0.4, {.name = "film"});
  run(3s);
  machine.realtime = 1.3;
  run(20s);
  for (const auto& each : machine.films) EXPECT_LT(each->thinning.frequency, 1);
  machine.realtime = 0;
  run(3s);
  for (const auto& each : machine.films) EXPECT_EQ(each->thinning, Thinning{});
}

TEST_F(GovernedLive, FallenToItsSoundItReturnsBesideOrdinaryProgramsToo) {
  auto& stream = liveWindow(0.8, 0.02, {.name = "Ann"});
  stream.sound = 0.05;
  machine.hogs = 2;
  run(3s);
  machine.realtime = 1.7;  // less is left than half of its pictures take
  run(20s);
  EXPECT_EQ(state(0).stage, WindowStage::LastRung);
  EXPECT_EQ(state(0).lastRung, LastRung::SoundAlone);
  EXPECT_EQ(stream.silent, 0);
  machine.realtime = 0;
  run(60s);
  EXPECT_EQ(stream.thinning, Thinning{});
}

TEST(GovernedLiveShares, AreThoseOfAFilmOfTheSameWeight) {
  struct Bench : Governed {
    void TestBody() override {}
    std::vector<double> share(bool live, double weight, double hogs) {
      WindowTerms terms{.name = "Ann", .priority = Priority::Background, .weight = weight};
      if (live)
        liveWindow(0.8, 0.025, terms);
      else
        window(0.8, terms);
      window(0.8, {.name = "film", .priority = Priority::Background, .weight = 1});
      machine.hogs = hogs;
      run(3s);
      machine.realtime = 0.9;
      run(20s);
      return meanFrequencies(machine, [this] { run(200ms); });
    }
  };
  for (const double hogs : {0.0, 3.0})
    for (const double weight : {1.0, 2.0}) {
      const auto films = Bench().share(false, weight, hogs);
      const auto live = Bench().share(true, weight, hogs);
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_NEAR(live[i], films[i], 0.08) << i << " of weight " << weight << " beside " << hogs;
      EXPECT_NEAR(live[0] - live[1], films[0] - films[1], 0.08);
    }
}

TEST_F(GovernedLive, ASenderThatPausesThinsNobody) {
  auto& stream = liveWindow(0.4, 0.02, {.name = "Ann"});
  auto& film = window(0.4, {.name = "film"});
  machine.hogs = 4;
  run(3s);
  for (int i = 0; i < 50; ++i) {
    run(200ms);
    stream.figures.reach = stream.figures.ahead = -(i + 1) * 200ms;
  }
  EXPECT_EQ(stream.thinning, Thinning{});
  EXPECT_EQ(film.thinning, Thinning{});
}

/// Ann's stream, of which less comes than is wanted.
class LimitedLive : public Governed {
 protected:
  using Kind = QosEvent::Kind;
  using Kinds = std::vector<Kind>;
  static constexpr SourceLimit kSmaller{
      .place = SourceLimit::Place::OwnLine, .shown = SourceLimit::Shown::SmallerPicture, .carried = 480'000};
  static constexpr const char* kSentence = "'Ann' shows a smaller picture: your network carries 480 kbit/s.";
  /// Without what is told of misses.
  static std::vector<QosEvent> ofPlanAndLimit(std::vector<QosEvent> told) {
    std::erase_if(told, [](const QosEvent& each) {
      return each.kind == Kind::Violation || each.kind == Kind::Recovered;
    });
    return told;
  }
  /// Events of the first window while time goes by.
  std::vector<QosEvent> told(const std::function<void()>& passes) {
    std::vector<QosEvent> told;
    const auto id = events.watch("test", [&](const QosEvent& event) {
      if (event.stream == ids[0]) told.push_back(event);
    });
    passes();
    events.unsubscribe(id);
    return told;
  }
  static Kinds kindsOf(const std::vector<QosEvent>& told) {
    Kinds kinds;
    for (const QosEvent& each : told) kinds.push_back(each.kind);
    return kinds;
  }
};

TEST_F(LimitedLive, ALimitIsToldOnceWhateverItsFiguresAndSoIsItsEnd) {
  auto& ann = liveWindow(0.1, 0.02, {.name = "Ann"});
  ann.figures.playout = 45ms;
  ann.figures.longestPlayout = 125ms;
  run(2s);
  EXPECT_EQ(state(0).playout, Duration(45ms));
  EXPECT_EQ(state(0).longestPlayout, 125ms);
  const auto heard = told([&] {
    ann.figures.limit = kSmaller;
    run(3s);
    EXPECT_EQ(state(0).limit, kSmaller);
    EXPECT_EQ(state(0).cause, QosCause::Network);
    EXPECT_EQ(state(0).sentence, kSentence);
    ann.figures.limit.carried = 640'000;
    run(3s);
    EXPECT_NE(state(0).sentence.find("640 kbit/s"), std::string::npos);
    ann.figures.limit.place = SourceLimit::Place::TheirComputer;
    run(3s);
    ann.figures.limit = {};
    run(3s);
  });
  ASSERT_EQ(kindsOf(heard), (Kinds{Kind::Limited, Kind::Limited, Kind::Whole}));
  EXPECT_EQ(heard[0].sentence, kSentence);
  EXPECT_EQ(heard[0].cause, QosCause::Network);
  EXPECT_EQ(heard[1].sentence, "'Ann' shows a smaller picture: their computer is busy.");
  EXPECT_EQ(heard[1].cause, QosCause::Sender);
  EXPECT_EQ(heard[2].sentence, "'Ann' shows every picture again.");
  EXPECT_EQ(state(0).cause, QosCause::None);
  EXPECT_EQ(state(0).sentence, "");
  EXPECT_EQ(ann.changes, 0);
}

TEST_F(LimitedLive, ALimitThatComesAndGoesIsToldOnceASecond) {
  auto& ann = liveWindow(0.1, 0.02, {.name = "Ann"});
  run(2s);
  const auto heard = told([&] {
    for (int i = 0; i < 51; ++i) {
      ann.figures.limit = i % 2 == 0 ? kSmaller : SourceLimit{};
      run(200ms);
    }
    ann.figures.limit = {};
    run(2s);
  });
  EXPECT_GE(heard.size(), 2u);
  EXPECT_LE(heard.size(), 13u);  // in 12.2 s
  EXPECT_EQ(heard.back().kind, Kind::Whole);
}

TEST_F(LimitedLive, WhatThePlanLeavesOutIsTheProcessorsFaultAndTheRestTheLimits) {
  auto& ann = liveWindow(0.4, 0.02, {.name = "Ann"});
  liveWindow(0.4, 0.02, {.name = "Bob"});
  window(0.4, {.name = "film"});
  run(3s);
  machine.realtime = 1.3;
  run(20s);
  const auto begun = told([&] {
    ann.figures.limit = kSmaller;
    run(200ms);
  });
  ASSERT_NE(ann.thinning, Thinning{});
  EXPECT_NE(state(0).cause, QosCause::Network);
  EXPECT_NE(state(0).cause, QosCause::None);
  const auto limited = std::find_if(begun.begin(), begun.end(),
                                    [](const QosEvent& each) { return each.kind == Kind::Limited; });
  ASSERT_NE(limited, begun.end());
  EXPECT_EQ(limited->sentence, kSentence);
  EXPECT_EQ(limited->cause, QosCause::Network);
  machine.realtime = 0;
  const auto still = ofPlanAndLimit(told([&] { run(10s); }));
  ASSERT_EQ(ann.thinning, Thinning{});
  EXPECT_EQ(state(0).cause, QosCause::Network);
  EXPECT_EQ(state(0).sentence, kSentence);
  for (const QosEvent& each : still) EXPECT_NE(each.kind, Kind::Whole);
  ASSERT_FALSE(still.empty());
  EXPECT_EQ(still.back().kind, Kind::Limited);
  ann.figures.limit = {};
  EXPECT_EQ(kindsOf(ofPlanAndLimit(told([&] { run(2s); }))), Kinds{Kind::Whole});
}

TEST_F(LimitedLive, TheEndOfALimitIsToldOnceThePlanLeavesOutNothingEither) {
  auto& ann = liveWindow(0.4, 0.02, {.name = "Ann"});
  liveWindow(0.4, 0.02, {.name = "Bob"});
  window(0.4, {.name = "film"});
  ann.figures.limit = kSmaller;
  run(3s);
  machine.realtime = 1.3;
  run(20s);
  ASSERT_NE(ann.thinning, Thinning{});
  ann.figures.limit = {};
  const auto thinned = told([&] { run(200ms); });
  ASSERT_NE(ann.thinning, Thinning{});
  for (const QosEvent& each : thinned) EXPECT_NE(each.kind, Kind::Whole);
  machine.realtime = 0;
  const auto after = told([&] { run(10s); });
  ASSERT_EQ(ann.thinning, Thinning{});
  EXPECT_EQ(std::count_if(after.begin(), after.end(),
                          [](const QosEvent& each) { return each.kind == Kind::Whole; }),
            1);
}

TEST_F(LimitedLive, ALimitExplainsLatePictures) {
  auto& ann = liveWindow(0.1, 0.02, {.name = "Ann"});
  run(2s);
  ann.figures.limit = kSmaller;
  const auto heard = told([&] {
    for (int i = 0; i < 10; ++i) {
      ann.figures.display.misses += 1;
      run(200ms);
    }
  });
  EXPECT_TRUE(state(0).violating);
  EXPECT_EQ(state(0).cause, QosCause::Network);
  const auto violation = std::find_if(heard.begin(), heard.end(),
                                      [](const QosEvent& each) { return each.kind == Kind::Violation; });
  ASSERT_NE(violation, heard.end());
  EXPECT_EQ(violation->sentence, kSentence);
}

}  // namespace
}  // namespace tactus::media
