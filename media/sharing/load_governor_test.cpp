// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/load_governor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

/// A film that takes so much of a processor at f = 1; what the machine below makes of it comes from outside.
class Film final : public GovernedStream {
 public:
  Film(double load, double rate = 30) : m_load(load), m_rate(rate) {}
  LoadFigures load() const override { return figures; }
  void setThinning(Thinning next) override {
    thinning = next;
    ++changes;
  }
  void setService(StreamService next) override {
    service = next.service;
    above = next.aboveOrdinary;
    quantile = next.quantile;
  }
  void setHeld(bool next) override {
    held = next;
    figures.playing = !next;
  }

  /// What it would use now: keyframes are a tenth of the pictures here, and half of the rest can be given up
  /// before decoding.
  double wants() const {
    if (held) return 0;
    if (thinning.keyframesOnly) return m_load * 0.1;
    const double f = thinning.frequency;
    return m_load * (0.7 * (0.5 + 0.5 * f) + 0.3 * f);
  }
  /// An interval goes by, in which it gets `share` of what it wants.
  void live(double seconds, double share) {
    if (held) return;
    const double f = thinning.keyframesOnly ? 0.1 : thinning.frequency;
    m_due += m_rate * seconds * f;
    const auto pictures = static_cast<std::uint64_t>(m_due);
    m_due -= static_cast<double>(pictures);
    const auto late = static_cast<std::uint64_t>(std::lround(static_cast<double>(pictures) * (1 - share)));
    const auto took = [&](double part) {
      return std::chrono::duration_cast<Duration>(
          std::chrono::duration<double>(wants() * share * part * seconds));
    };
    figures.nominalRate = m_rate;
    figures.disposable = 0.5;
    figures.playing = true;
    figures.decode.completed += static_cast<std::uint64_t>(m_rate * seconds * (0.5 + 0.5 * f) * share);
    figures.decode.cpuTime += took(0.7);
    figures.display.completed += pictures;
    figures.display.packets += pictures - late;
    figures.display.misses += late;
    figures.display.cpuTime += took(0.3);
  }

  LoadFigures figures;
  Thinning thinning;
  periodic::ServiceClass service = periodic::ServiceClass::Statistical;
  int changes = 0;
  bool held = false, above = true;
  double quantile = 0;
  double m_load;

 private:
  double m_rate, m_due = 0;
};

/// Films on a machine of so many processors, in virtual time.
class Governed : public ::testing::Test {
 protected:
  using Entry = LoadGovernor::Entry;
  Film& window(double load, WindowTerms terms, Entry entry = Entry::Admitted) {
    films.push_back(std::make_unique<Film>(load));
    ids.push_back(governor.add(*films.back(), std::move(terms), entry).value());
    return *films.back();
  }
  void run(Duration time) {
    for (const TimePoint until = now + time; now < until; now += 200ms) {
      double wanted = taken;
      for (const auto& film : films) wanted += film->wants();
      const double share = std::min(1.0, capacity / wanted);
      busy = std::min(1.0, wanted / capacity);
      for (const auto& film : films) film->live(0.2, share);
      governor.step(now);
    }
  }
  Duration own() const {
    Duration sum{0};
    for (const auto& film : films) sum += film->figures.decode.cpuTime + film->figures.display.cpuTime;
    return sum;
  }
  WindowState state(std::size_t i) { return *governor.window(ids[i]); }

  std::vector<std::unique_ptr<Film>> films;
  double capacity = 2;
  double taken = 0;  // by others
  double busy = 0;
  TimePoint now{};
  QosEvents events;
  LoadGovernor governor{{.processors = 2,
                         .busy =
                             [this] {
                               return ProcessorUse{busy, busy};
                             },
                         .own = [this] { return own(); }},
                        events};
  std::vector<std::uint64_t> ids;
};

TEST_F(Governed, WithRoomForAllNobodyGivesAnything) {
  for (int i = 0; i < 4; ++i) window(0.4, {.name = "film"});
  run(10s);
  for (const auto& film : films) EXPECT_EQ(film->thinning, Thinning{});
  EXPECT_TRUE(state(0).sentence.empty());
  EXPECT_NEAR(state(0).load, 0.4, 0.05);
  EXPECT_NEAR(state(0).shownRate, 30, 3);
}

TEST_F(Governed, TheHighOneStaysWholeAndTheOthersGiveByWeight) {
  auto& high = window(0.6, {.name = "Lecture", .priority = Priority::High});
  auto& normal = window(0.6, {.name = "News", .priority = Priority::Normal});
  auto& one = window(0.6, {.name = "Camera", .priority = Priority::Background});
  auto& two = window(0.6, {.name = "Door", .priority = Priority::Background});
  run(20s);
  EXPECT_EQ(high.thinning, Thinning{});
  EXPECT_LT(one.thinning.frequency, normal.thinning.frequency);
  EXPECT_NEAR(one.thinning.frequency, two.thinning.frequency, 0.02);
  EXPECT_GE(one.thinning.frequency, 0.1);
  EXPECT_GE(normal.thinning.frequency, 0.5);
  EXPECT_EQ(state(2).cause, QosCause::Windows);
  EXPECT_NE(state(2).sentence.find("'Camera' shows "), std::string::npos) << state(2).sentence;
  EXPECT_NE(state(2).sentence.find("busy with 'Lecture' at High"), std::string::npos) << state(2).sentence;
}

/// RTSS, figure 13: each takes its share, and the one too many is told so.
TEST_F(Governed, OneTooManyIsRefusedAndTheOthersAreLeftAlone) {
  const WindowTerms high{.name = "film", .priority = Priority::High};
  for (int i = 0; i < 4; ++i) {
    window(0.54, high, Entry::Asks);
    run(2s);
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(films[i]->held);
    EXPECT_EQ(films[i]->thinning, Thinning{});
  }
  ASSERT_TRUE(films[3]->held);
  const auto refusal = state(3).refusal;
  ASSERT_TRUE(refusal);
  EXPECT_NEAR(refusal->needs, 0.54, 0.05);
  EXPECT_NEAR(refusal->left, 1.76 - 3 * 0.54, 0.1);
  EXPECT_TRUE(std::any_of(refusal->offers.begin(), refusal->offers.end(), [&](const WindowOffer& each) {
    return each.kind == WindowOffer::Kind::Close && each.other == ids[0];
  }));
}

TEST_F(Governed, ReservationsAreLargeWhileTheyFitAndSmallOnceThereAreMany) {
  for (int i = 0; i < 3; ++i) window(0.3, {.name = "film"});
  run(5s);
  for (const auto& film : films) EXPECT_EQ(film->quantile, StreamService{}.quantile);
  for (int i = 0; i < 5; ++i) window(0.3, {.name = "more"});
  run(5s);
  for (const auto& film : films) EXPECT_EQ(film->quantile, 0.75);
  for (int i = 0; i < 5; ++i) {
    governor.remove(ids.back());
    ids.pop_back();
    films.pop_back();
  }
  run(5s);
  for (const auto& film : films) EXPECT_EQ(film->quantile, StreamService{}.quantile);
}

TEST_F(Governed, ARefusedWindowGoesOnByItsNewTerms) {
  window(1.4, {.name = "film", .priority = Priority::High});
  run(1s);
  auto& added = window(0.6, {.name = "more", .priority = Priority::High}, Entry::Asks);
  run(2s);
  ASSERT_TRUE(added.held);
  const auto offers = state(1).refusal->offers;
  EXPECT_TRUE(std::any_of(offers.begin(), offers.end(), [](const WindowOffer& each) {
    return each.kind == WindowOffer::Kind::Background;
  }));
  ASSERT_TRUE(governor.setTerms(ids[1], {.name = "more", .priority = Priority::Background}).ok());
  run(400ms);
  EXPECT_FALSE(added.held);
  EXPECT_FALSE(state(1).refusal);
}

TEST_F(Governed, ARefusedWindowGoesOnWhereItsUserWantsItAllTheSame) {
  window(1.7, {.name = "film", .priority = Priority::Normal});
  run(1s);
  auto& added = window(1.5, {.name = "more", .priority = Priority::High}, Entry::Asks);
  run(2s);
  ASSERT_TRUE(added.held);
  governor.admitAnyway(ids[1]);
  run(5s);
  EXPECT_FALSE(added.held);
  EXPECT_EQ(added.thinning, Thinning{});
  EXPECT_TRUE(films[0]->thinning.keyframesOnly);  // its f_min no longer fits
}

TEST_F(Governed, ARefusedWindowGoesOnOnceAnotherIsClosed) {
  window(1.0, {.name = "one", .priority = Priority::High});
  window(0.5, {.name = "two", .priority = Priority::High});
  auto& added = window(0.6, {.name = "three", .priority = Priority::High}, Entry::Asks);
  run(2s);
  ASSERT_TRUE(added.held);
  governor.remove(ids[1]);
  run(400ms);
  EXPECT_FALSE(added.held);
}

TEST_F(Governed, RaisedToHighItIsWholeAtOnce) {
  for (int i = 0; i < 6; ++i) window(0.5, {.name = "film " + std::to_string(i)});
  run(10s);
  EXPECT_LT(films[2]->thinning.frequency, 1);
  ASSERT_TRUE(governor.setTerms(ids[2], {.name = "film 2", .priority = Priority::High}).ok());
  run(200ms);
  EXPECT_EQ(films[2]->thinning, Thinning{});
}

TEST_F(Governed, AllIsBackWithinThreeSecondsOfTheOverloadsEnd) {
  for (int i = 0; i < 4; ++i) window(0.4, {.name = "film"});
  run(3s);
  taken = 1.5;
  run(21s);
  EXPECT_LT(films[0]->thinning.frequency, 1);
  EXPECT_EQ(state(0).cause, QosCause::OtherPrograms);
  taken = 0;
  run(3s);
  for (const auto& film : films) EXPECT_EQ(film->thinning, Thinning{});
}

TEST_F(Governed, ItSettles) {
  window(0.6, {.name = "Lecture", .priority = Priority::High});
  for (int i = 0; i < 4; ++i) window(0.5, {.name = "film", .priority = Priority::Background});
  run(30s);
  const int before = films[1]->changes;
  run(30s);
  // Raises are tried ever more seldom: a few changes a minute, and not one a second as without back-off.
  EXPECT_LE(films[1]->changes - before, 12);
}

TEST_F(Governed, KeyframesOnlyIsTheLastStageAndNeverForTheHighOne) {
  auto& high = window(0.9, {.name = "Lecture", .priority = Priority::High});
  for (int i = 0; i < 5; ++i) window(0.9, {.name = "film", .priority = Priority::Background});
  run(30s);
  EXPECT_EQ(high.thinning, Thinning{});
  const auto last =
      std::count_if(films.begin(), films.end(), [](const auto& f) { return f->thinning.keyframesOnly; });
  EXPECT_GE(last, 1);
  double wanted = 0;
  for (const auto& film : films) wanted += film->wants();
  EXPECT_LE(wanted, 2.05);
  films.resize(2);
  for (std::size_t i = 2; i < ids.size(); ++i) governor.remove(ids[i]);
  run(12s);
  EXPECT_FALSE(films[1]->thinning.keyframesOnly);
}

TEST_F(Governed, TheLastStageTakesAsManyAsItNeedsAndTheOthersKeepTheirFloor) {
  window(0.2, {.name = "Lecture", .priority = Priority::High});
  for (int i = 0; i < 20; ++i) window(0.2, {.name = "film"});
  run(12s);
  const auto last = [&] {
    return std::count_if(films.begin(), films.end(), [](const auto& f) { return f->thinning.keyframesOnly; });
  };
  // At its floor each needs 0.135 of a processor, of 1.6 or so.
  EXPECT_GE(last(), 7);
  EXPECT_LE(last(), 12);
  EXPECT_EQ(films[0]->thinning, Thinning{});
  for (std::size_t i = 1; i < films.size(); ++i) {
    const bool after = i + 1 < films.size() && films[i]->thinning.keyframesOnly;
    EXPECT_TRUE(!after || films[i + 1]->thinning.keyframesOnly) << i;  // the youngest
    EXPECT_GE(films[i]->thinning.frequency, 0.5);
  }
  // Who leaves makes room for others, without the trial of one after the other.
  for (int i = 1; i < 12; ++i) governor.remove(ids[static_cast<std::size_t>(i)]);
  films.erase(films.begin() + 1, films.begin() + 12);
  run(6s);
  EXPECT_EQ(last(), 0);
}

TEST_F(Governed, TheDisplayServerIsLeftMoreWhereHighsPicturesReachItTooLate) {
  auto& high = window(0.3, {.name = "Lecture", .priority = Priority::High});
  for (int i = 0; i < 8; ++i) window(0.25, {.name = "film"});
  const auto wanted = [&] {
    double sum = 0;
    for (const auto& film : films) sum += film->wants();
    return sum;
  };
  taken = 0.2;
  run(20s);
  const double before = wanted();
  EXPECT_GT(before, 1.6);
  // So few that nobody counts them as an overload.
  for (int i = 0; i < 30; ++i) {
    ++high.figures.untaken;
    run(600ms);
  }
  EXPECT_LT(wanted(), before - 0.1);
  EXPECT_EQ(high.thinning, Thinning{});
}

TEST_F(Governed, WhatCannotGoWellGivesWayWhileTheOthersAreBeingOpened) {
  auto& high = window(0.2, {.name = "Lecture", .priority = Priority::High});
  run(1s);
  // Each begins when the one before has, and for as long as one begins no miss counts.
  for (int i = 0; i < 20; ++i) {
    auto& next = window(0.2, {.name = "film"});
    next.figures.film = 1;
    run(400ms);
  }
  const auto last =
      std::count_if(films.begin(), films.end(), [](const auto& f) { return f->thinning.keyframesOnly; });
  EXPECT_GE(last, 7);
  EXPECT_EQ(high.thinning, Thinning{});
  double wanted = 0;
  for (const auto& film : films) wanted += film->wants();
  EXPECT_LE(wanted, 2.1);
}

TEST_F(Governed, WhoPromisedMoreThanKeyframesGivesUpItsReservationOnly) {
  window(0.9, {.name = "Lecture", .priority = Priority::High});
  auto& promised = window(0.9, {.name = "News", .leastFrequency = 0.7});
  taken = 1.2;
  run(10s);
  EXPECT_FALSE(promised.thinning.keyframesOnly);
  EXPECT_EQ(promised.service, periodic::ServiceClass::BestEffort);
  EXPECT_EQ(films[0]->service, periodic::ServiceClass::Guaranteed);
  taken = 0;
  run(3s);
  EXPECT_EQ(promised.service, periodic::ServiceClass::Statistical);
}

TEST_F(Governed, EventsTellWhatHappenedAndThatItIsOver) {
  std::vector<QosEvent> told;
  const auto id = events.subscribe("test", [&](const QosEvent& event) { told.push_back(event); });
  window(0.6, {.name = "Lecture", .priority = Priority::High});
  window(0.6, {.name = "Camera", .priority = Priority::Background});
  run(3s);
  taken = 1.5;
  run(10s);
  taken = 0;
  run(20s);
  events.unsubscribe(id);
  const auto of = [&](QosEvent::Kind kind) {
    return std::count_if(told.begin(), told.end(),
                         [&](const auto& event) { return event.kind == kind && event.window == ids[1]; });
  };
  EXPECT_GE(of(QosEvent::Kind::Thinned), 1);
  EXPECT_EQ(of(QosEvent::Kind::Violation), of(QosEvent::Kind::Recovered));
  ASSERT_FALSE(told.empty());
  const auto last = std::find_if(told.rbegin(), told.rend(), [&](const auto& event) {
    return event.window == ids[1] && event.kind != QosEvent::Kind::Recovered;
  });
  ASSERT_NE(last, told.rend());
  EXPECT_EQ(last->kind, QosEvent::Kind::Whole);
  EXPECT_EQ(last->sentence, "'Camera' shows every picture again.");
  EXPECT_LE(told.size(), 40u);
}

TEST_F(Governed, WithoutAHandlerASlowDisplayGetsALongerPeriodUntilItRecovers) {
  auto& film = window(0.1, {.name = "Film"});
  run(2s);
  for (int i = 0; i < 3; ++i) {
    film.figures.display.misses += 1;  // not enough for an overload, too many for the window
    busy = 0.1;
    film.live(0.2, 1);
    governor.step(now);
    now += 200ms;
  }
  film.figures.display.misses += 1;
  governor.step(now);
  now += 200ms;
  EXPECT_TRUE(state(0).violating);
  EXPECT_EQ(state(0).cause, QosCause::Display);
  run(200ms);
  EXPECT_NEAR(film.thinning.frequency, (1 / 30.0) / (1 / 30.0 + 0.010), 0.03);
  run(5s);
  EXPECT_EQ(film.thinning, Thinning{});
}

TEST_F(Governed, ASlowSourceIsNotTheProcessorsFault) {
  auto& film = window(0.3, {.name = "Stream"});
  run(2s);
  film.figures.late += 10;
  film.figures.buffering = true;
  run(200ms);
  EXPECT_EQ(state(0).cause, QosCause::Source);
  EXPECT_NE(state(0).sentence.find("its source delivers too slowly"), std::string::npos);
}

TEST_F(Governed, TermsOutOfRangeAreRefusedWithTheNumbers) {
  Film film(0.1);
  EXPECT_EQ(governor.add(film, {.leastFrequency = 1.5}).error().message,
            "f_min is a share of the pictures, from 0 to 1, and not 1.5.");
  EXPECT_FALSE(governor.add(film, {.leastFrequency = std::nan("")}).ok());
  EXPECT_EQ(governor.add(film, {.weight = 0}).error().message,
            "A weight is above 0 and at most 1000, and not 0.");
  EXPECT_FALSE(governor.add(film, {.weight = std::nan("")}).ok());
  EXPECT_FALSE(governor.add(film, {.cpus = {-1}}).ok());
  EXPECT_FALSE(governor.setTerms(99, {}).ok());
  governor.remove(99);
  EXPECT_TRUE(governor.windows().empty());
}

TEST_F(Governed, SixtyWindowsOneClosedWhileTheOthersArePlanned) {
  for (int i = 0; i < 60; ++i)
    window(0.1,
           {.name = "film " + std::to_string(i), .priority = i == 0 ? Priority::High : Priority::Background});
  governor.start();
  for (int i = 59; i > 1; --i) {
    run(200ms);
    governor.remove(ids[static_cast<std::size_t>(i)]);
    films.pop_back();
    ASSERT_TRUE(
        governor.setTerms(ids[1], {.name = "x", .priority = i % 2 ? Priority::Normal : Priority::Background})
            .ok());
  }
  EXPECT_EQ(films[0]->thinning, Thinning{});
  EXPECT_EQ(governor.windows().size(), 2u);
}

/// Share of one processor's time that was used since the beginning, as ticks: used and all.
std::pair<double, double> ticksOf(int cpu) {
  std::ifstream stat("/proc/stat");
  std::string name;
  const std::string wanted = "cpu" + std::to_string(cpu);
  while (stat >> name && name != wanted) stat.ignore(4096, '\n');
  double used = 0;
  double all = 0;
  double value = 0;
  for (int field = 0; field < 8 && stat >> value; ++field) {
    all += value;
    if (field != 3 && field != 4) used += value;
  }
  return {used, all};
}

TEST(ProcessorTimes, ThoseThatTheProgramMayNotUseDoNotCount) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof before, &before), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before)) cpus.push_back(cpu);
  if (cpus.size() < 2) GTEST_SKIP() << "one processor";
  const auto keepOn = [](pid_t tid, int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(tid, sizeof one, &one);
  };
  std::atomic<bool> stop{false};
  std::thread other([&] {
    (void)keepOn(0, cpus[1]);
    while (!stop) {
    }
  });
  EXPECT_EQ(keepOn(getpid(), cpus[0]), 0);
  ProcessorTimes times;
  const auto [used, all] = ticksOf(cpus[0]);
  (void)times.use();
  std::this_thread::sleep_for(500ms);
  const ProcessorUse use = times.use();
  const auto [usedThen, allThen] = ticksOf(cpus[0]);
  stop = true;
  other.join();
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof before, &before), 0);
  const double share = (usedThen - used) / std::max(1.0, allThen - all);
  EXPECT_NEAR(use.all, share, 0.1);
  EXPECT_NEAR(use.busiest, share, 0.1);
}

RC_GTEST_PROP(GovernorProperty, NobodyFallsBelowItsFloorAndHighIsWhole, ()) {
  QosEvents events;
  double busy = 1;
  LoadGovernor governor({.processors = 2, .busy = [&] { return ProcessorUse{busy, busy}; }}, events);
  std::vector<std::unique_ptr<Film>> films;
  std::vector<WindowTerms> terms;
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    films.push_back(std::make_unique<Film>(*rc::gen::inRange(1, 100) / 100.0));
    WindowTerms each;
    each.priority = static_cast<Priority>(*rc::gen::inRange(0, 3));
    if (*rc::gen::inRange(0, 2) == 1) each.leastFrequency = *rc::gen::inRange(0, 101) / 100.0;
    terms.push_back(each);
    RC_ASSERT(governor.add(*films.back(), each).ok());
  }
  TimePoint now{};
  for (int step = 0; step < 100; ++step, now += 200ms) {
    double wanted = step > 20 && step < 60 ? 1.0 : 0.0;
    for (const auto& film : films) wanted += film->wants();
    for (const auto& film : films) film->live(0.2, std::min(1.0, 2 / wanted));
    governor.step(now);
    for (std::size_t i = 0; i < films.size(); ++i) {
      RC_ASSERT(films[i]->thinning.frequency >= terms[i].least() - 1e-9);
      if (terms[i].priority == Priority::High) RC_ASSERT(!films[i]->thinning.keyframesOnly);
    }
  }
}

}  // namespace
}  // namespace tactus::media
