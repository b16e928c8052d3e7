// SPDX-License-Identifier: Apache-2.0
// Streams that come in two sizes: the smaller one is asked for before any picture is given up.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "media/sharing/governed_fixture.h"

namespace tactus::media {
namespace {

/// Participants of a call.
class GovernedSizes : public Governed {
 protected:
  GovernedSizes() {
    m_watched = events.watch("test", [this](const QosEvent& event) {
      const std::lock_guard lock(m_mutex);
      m_told.push_back(event);
    });
  }
  ~GovernedSizes() override { events.unsubscribe(m_watched); }

  VirtualFilm& participant(double load, const std::string& name, Priority priority = Priority::Normal) {
    VirtualFilm& stream = liveWindow(load, 0.025, {.name = name, .priority = priority});
    stream.comeInTwoSizes();
    return stream;
  }
  /// What was told of a window so far.
  std::vector<QosEvent> told(const std::string& name) {
    const std::lock_guard lock(m_mutex);
    std::vector<QosEvent> of;
    for (const auto& each : m_told)
      if (each.name == name) of.push_back(each);
    return of;
  }
  bool hasTold(const std::string& name, QosEvent::Kind kind) {
    for (const auto& each : told(name))
      if (each.kind == kind) return true;
    return false;
  }
  /// Events come by a thread of their own.
  bool comes(const std::string& name, QosEvent::Kind kind) {
    for (int i = 0; i < 1000 && !hasTold(name, kind); ++i) std::this_thread::sleep_for(1ms);
    return hasTold(name, kind);
  }

 private:
  std::mutex m_mutex;
  std::vector<QosEvent> m_told;
  std::uint64_t m_watched = 0;
};

TEST_F(GovernedSizes, TheSmallerSizeIsAskedForAndTheLargerOneReturns) {
  participant(0.8, "Ann");
  participant(0.8, "Bob");
  run(5s);
  machine.realtime = 0.9;
  run(20s);
  EXPECT_EQ(film(0).thinning, Thinning{});
  EXPECT_EQ(film(1).thinning, (Thinning{.smaller = true})) << "the youngest, with every picture";
  EXPECT_TRUE(comes("Bob", QosEvent::Kind::Smaller));
  EXPECT_EQ(state(1).sentence,
            "'Bob' shows a smaller picture: the processors are busy with 'Ann' at Normal.");
  machine.realtime = 0;
  run(30s);
  EXPECT_EQ(film(1).thinning, Thinning{});
  EXPECT_TRUE(comes("Bob", QosEvent::Kind::Whole));
  EXPECT_TRUE(state(1).sentence.empty());
}

TEST_F(GovernedSizes, WhoIsLookedAtKeepsItsSize) {
  participant(0.8, "Ann", Priority::High);
  participant(0.8, "Bob", Priority::Background);
  run(5s);
  machine.realtime = 1;  // 0.8 and the floor of the other one fit
  run(60s);
  EXPECT_EQ(film(0).thinning, Thinning{});
  EXPECT_EQ(film(0).sizeChanges, 0);
  EXPECT_TRUE(film(1).thinning.smaller);
}

TEST_F(GovernedSizes, WhatDoesNotFitSmallIsThinnedAndThenFalls) {
  for (const char* name : {"Ann", "Bob"}) participant(0.8, name);
  run(5s);
  machine.realtime = 1.65;  // 0.4 are asked for, and 0.3 at f = 1/2
  run(30s);
  for (std::size_t i : {0U, 1U}) {
    EXPECT_TRUE(film(i).thinning.smaller);
    EXPECT_LT(film(i).thinning.frequency, 1);
    EXPECT_FALSE(film(i).thinning.lastRung);
  }
  machine.realtime = 1.85;
  run(30s);
  EXPECT_GE(countOf(WindowStage::LastRung), 1);
}

TEST_F(GovernedSizes, ASizeThatIsNotOnOfferIsNotAskedFor) {
  participant(0.8, "Ann");
  auto& bob = participant(0.8, "Bob");
  run(5s);
  bob.figures.sizes.reset();  // its tile is small
  machine.realtime = 0.9;
  run(20s);
  EXPECT_TRUE(film(0).thinning.smaller);
  EXPECT_FALSE(bob.thinning.smaller);
}

RC_GTEST_FIXTURE_PROP(GovernedSizes, SizesDoNotComeAndGo, ()) {
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) participant(1.2 / count, "Ann");
  machine.hogs = *rc::gen::inRange(0, 4);
  run(5s);
  RC_ASSERT(machine.films[0]->sizeChanges == 0);
  machine.realtime = 2 - 1.2 * *rc::gen::inRange(20, 120) / 100.0;
  run(180s);
  for (const auto& each : machine.films) RC_ASSERT(each->sizeChanges <= 12);
  machine.realtime = 0;
  run(120s);
  for (const auto& each : machine.films) RC_ASSERT(each->thinning == Thinning{});
}

}  // namespace
}  // namespace tactus::media
