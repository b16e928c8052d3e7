// SPDX-License-Identifier: Apache-2.0
// What the governor admits, refuses and tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "media/sharing/governed_fixture.h"

namespace tactus::media {
namespace {

/// RTSS, figure 13: each takes its share, and the one too many is told so.
TEST_F(Governed, OneTooManyIsRefusedAndTheOthersAreLeftAlone) {
  const WindowTerms high{.name = "film", .priority = Priority::High};
  for (int i = 0; i < 4; ++i) {
    window(0.54, high, Entry::Asks);
    EXPECT_EQ(state(static_cast<std::size_t>(i)).stage, WindowStage::Asks);
    run(2s);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(film(i).held);
    EXPECT_EQ(film(i).thinning, Thinning{});
  }
  ASSERT_TRUE(film(3).held);
  EXPECT_EQ(state(3).stage, WindowStage::Held);
  const auto refusal = state(3).refusal;
  ASSERT_TRUE(refusal);
  EXPECT_NEAR(refusal->needs, 0.54, 0.05);
  EXPECT_NEAR(refusal->left, 1.76 - 3 * 0.54, 0.1);
  EXPECT_TRUE(std::any_of(refusal->offers.begin(), refusal->offers.end(), [&](const WindowOffer& each) {
    return each.kind == WindowOffer::Kind::Close && each.other == ids[0];
  }));
}

TEST_F(Governed, ARefusedWindowGoesOnByItsNewTerms) {
  window(1.4, {.name = "film", .priority = Priority::High});
  run(1s);
  const auto& added = window(0.6, {.name = "more", .priority = Priority::High}, Entry::Asks);
  run(2s);
  ASSERT_TRUE(added.held);
  const auto offers = state(1).refusal->offers;
  EXPECT_TRUE(std::any_of(offers.begin(), offers.end(), [](const WindowOffer& each) {
    return each.kind == WindowOffer::Kind::Background;
  }));
  ASSERT_TRUE(governor.amend(ids[1], {.priority = Priority::Background}).ok());
  run(400ms);
  EXPECT_FALSE(added.held);
  EXPECT_FALSE(state(1).refusal);
}

TEST_F(Governed, ARefusedWindowGoesOnWhereItsUserWantsItAllTheSame) {
  window(1.7, {.name = "film", .priority = Priority::Normal});
  run(1s);
  const auto& added = window(1.5, {.name = "more", .priority = Priority::High}, Entry::Asks);
  run(2s);
  ASSERT_TRUE(added.held);
  governor.admitAnyway(ids[1]);
  run(5s);
  EXPECT_FALSE(added.held);
  EXPECT_EQ(added.thinning, Thinning{});
  EXPECT_EQ(state(0).stage, WindowStage::LastRung);  // its f_min no longer fits
}

TEST_F(Governed, ARefusedWindowGoesOnOnceAnotherIsClosed) {
  window(1.0, {.name = "one", .priority = Priority::High});
  window(0.5, {.name = "two", .priority = Priority::High});
  window(0.6, {.name = "three", .priority = Priority::High}, Entry::Asks);
  run(2s);
  ASSERT_TRUE(film(2).held);
  close(1);
  run(400ms);
  EXPECT_FALSE(film(1).held);
}

TEST_F(Governed, EventsTellWhatHappenedAndThatItIsOver) {
  std::vector<QosEvent> told;
  const auto id = events.watch("test", [&](const QosEvent& event) { told.push_back(event); });
  window(0.6, {.name = "Lecture", .priority = Priority::High});
  window(0.6, {.name = "Camera", .priority = Priority::Background});
  run(3s);
  machine.realtime = 1.5;
  run(10s);
  machine.realtime = 0;
  run(20s);
  events.unsubscribe(id);
  const auto of = [&](QosEvent::Kind kind) {
    return std::count_if(told.begin(), told.end(),
                         [&](const auto& event) { return event.kind == kind && event.stream == ids[1]; });
  };
  EXPECT_GE(of(QosEvent::Kind::Thinned), 1);
  EXPECT_EQ(of(QosEvent::Kind::Violation), of(QosEvent::Kind::Recovered));
  ASSERT_FALSE(told.empty());
  const auto last = std::find_if(told.rbegin(), told.rend(), [&](const auto& event) {
    return event.stream == ids[1] && event.kind != QosEvent::Kind::Recovered;
  });
  ASSERT_NE(last, told.rend());
  EXPECT_EQ(last->kind, QosEvent::Kind::Whole);
  EXPECT_EQ(last->sentence, "'Camera' shows every picture again.");
  EXPECT_LE(told.size(), 40u);
}

/// A window that misses three deadlines of every second.
class Violating : public Governed {
 protected:
  void violate(VirtualFilm& film, int seconds) {
    for (int i = 0; i < 5 * seconds; ++i) {
      film.figures.display.misses += 1;
      run(200ms);
    }
  }
  /// Milliseconds from one picture to the next.
  static double period(const VirtualFilm& film) { return 1000 / 30.0 / film.thinning.frequency; }
};

TEST_F(Violating, WithoutAHandlerItsPeriodIsLongerForEachSecondOfIt) {
  auto& film = window(0.1, {.name = "Film"});
  run(2s);
  violate(film, 1);
  EXPECT_TRUE(state(0).violating);
  EXPECT_EQ(state(0).cause, QosCause::Display);  // the machine has time to spare
  const double once = period(film);
  EXPECT_NEAR(once, 43.3, 2);
  violate(film, 2);
  EXPECT_GT(period(film), once + 8);
  violate(film, 20);
  EXPECT_NEAR(film.thinning.frequency, 0.5, 1e-9);  // f_min
  run(4s);
  EXPECT_GT(film.thinning.frequency, 0.5);
  EXPECT_LT(film.thinning.frequency, 1);
  run(6s);
  EXPECT_EQ(film.thinning, Thinning{});
}

TEST_F(Violating, ThatIsSoWhateverItsCause) {
  auto& film = window(0.1, {.name = "Film"});
  machine.hogs = 8;
  machine.classGranted = true;
  run(2s);
  violate(film, 3);
  EXPECT_EQ(state(0).cause, QosCause::OtherPrograms);
  EXPECT_GT(period(film), 42);
}

TEST_F(Violating, AWindowAtHighPromisesEveryPictureAndKeepsItsPeriod) {
  auto& film = window(0.1, {.name = "Film", .priority = Priority::High});
  run(2s);
  violate(film, 5);
  EXPECT_TRUE(state(0).violating);
  EXPECT_EQ(film.thinning, Thinning{});
}

TEST_F(Violating, AHandlerActsInPlaceOfTheDefault) {
  auto& film = window(0.1, {.name = "Film"});
  auto& other = window(0.1, {.name = "Other"});
  std::atomic<int> violations{0};
  std::promise<void> decided;
  const auto id = events.attach(
      "half",
      [&](const QosEvent& event) {
        if (event.kind != QosEvent::Kind::Violation) return std::optional<periodic::QosAction>();
        ++violations;
        decided.get_future().wait();  // at leisure
        return std::optional(periodic::QosAction{.frequency = 0.75, .size = 0.5, .weight = 7});
      },
      ids[0]);
  run(2s);
  violate(film, 1);
  EXPECT_EQ(film.thinning, Thinning{});  // the default is left out
  decided.set_value();
  events.unsubscribe(id);  // once it has answered
  EXPECT_EQ(violations, 1);
  run(400ms);
  EXPECT_EQ(film.thinning, (Thinning{.frequency = 0.75, .size = 0.5}));
  EXPECT_EQ(state(0).terms.numbers().weight, 7);
  EXPECT_EQ(state(0).cause, QosCause::Handler);
  EXPECT_EQ(state(0).sentence, "'Film' shows 22 of 30 pictures a second: 'half' asked for it.");
  EXPECT_EQ(other.thinning, Thinning{});
  ASSERT_TRUE(events.want({ids[0], "user", {.frequency = 1, .size = 1}}).ok());
  ASSERT_TRUE(events.want({99, "user", {.size = 0.5}}).ok());  // closed meanwhile
  run(4s);
  EXPECT_EQ(film.thinning, Thinning{});
}

TEST_F(Governed, ASlowSourceIsNotTheProcessorsFault) {
  auto& slow = window(0.3, {.name = "Stream"});
  run(2s);
  slow.figures.late += 10;
  slow.figures.buffering = true;
  run(200ms);
  EXPECT_EQ(state(0).cause, QosCause::Source);
  EXPECT_NE(state(0).sentence.find("its source delivers too slowly"), std::string::npos);
}

TEST_F(Governed, TermsOutOfRangeAreRefusedWithTheNumbers) {
  VirtualFilm film(0.1);
  EXPECT_EQ(governor.add(film, {.leastFrequency = 1.5}).error().message,
            "f_min is a share of the pictures, from 0 to 1, and not 1.5.");
  EXPECT_FALSE(governor.add(film, {.leastFrequency = std::nan("")}).ok());
  EXPECT_EQ(governor.add(film, {.weight = 0}).error().message,
            "A weight is above 0 and at most 1000, and not 0.");
  EXPECT_FALSE(governor.add(film, {.weight = std::nan("")}).ok());
  EXPECT_FALSE(governor.add(film, {.cpus = {-1}}).ok());
  EXPECT_FALSE(governor.amend(99, {}).ok());
  const auto id = governor.add(film, {.name = "film", .leastFrequency = 0.25}).value();
  EXPECT_FALSE(governor.amend(id, {.name = "another", .leastFrequency = 7}).ok());
  EXPECT_EQ(governor.window(id)->terms.name, "film");
  EXPECT_EQ(governor.window(id)->terms.leastFrequency, 0.25);
  governor.remove(id);
  governor.remove(99);
  EXPECT_TRUE(governor.windows().empty());
}

/// Takes long to change its state, as one does whose file lies on a share that does not answer.
class Stalled final : public GovernedStream {
 public:
  LoadFigures load() const override { return {}; }
  void setThinning(Thinning) override {}
  void setService(StreamService) override { asked = std::make_unique<bool>(governor->windows().empty()); }
  void setHeld(bool) override {}
  LoadGovernor* governor = nullptr;
  std::unique_ptr<bool> asked;
};

TEST_F(Governed, AStreamIsToldWithoutTheLockThatOthersNeedToAsk) {
  Stalled stalled;
  stalled.governor = &governor;
  ASSERT_TRUE(governor.add(stalled, {.name = "share"}).ok());
  ASSERT_TRUE(stalled.asked);  // else it would wait for itself
  EXPECT_FALSE(*stalled.asked);
  governor.remove(1);
}

/// May be asked and told by two threads.
class SharedFilm final : public GovernedStream {
 public:
  LoadFigures load() const override {
    ++asked;
    const std::lock_guard lock(m_mutex);
    return m_film.load();
  }
  void setThinning(Thinning next) override {
    const std::lock_guard lock(m_mutex);
    m_film.setThinning(next);
  }
  void setService(StreamService next) override {
    const std::lock_guard lock(m_mutex);
    m_film.setService(std::move(next));
  }
  void setHeld(bool next) override {
    const std::lock_guard lock(m_mutex);
    m_film.setHeld(next);
  }
  Thinning thinning() const {
    const std::lock_guard lock(m_mutex);
    return m_film.thinning;
  }
  mutable std::atomic<int> asked{0};

 private:
  mutable std::mutex m_mutex;
  VirtualFilm m_film{0.1};
};

TEST_F(Governed, TwoAuthorsWhoChangeDifferentTermsLoseNothing) {
  SharedFilm film;
  const auto id = governor.add(film, {.name = "film"}).value();
  std::thread names([&] {
    for (int i = 1; i <= 1000; ++i) EXPECT_TRUE(governor.amend(id, {.name = std::to_string(i)}).ok());
  });
  for (int i = 1; i <= 1000; ++i) {
    EXPECT_TRUE(governor.amend(id, {.weight = i / 10.0}).ok());
    EXPECT_EQ(governor.window(id)->terms.weight, i / 10.0);
  }
  names.join();
  EXPECT_EQ(governor.window(id)->terms.name, "1000");
  EXPECT_EQ(governor.window(id)->terms.weight, 100);
  governor.remove(id);
}

TEST_F(Governed, OnceStartedItPlansByItself) {
  SharedFilm film;
  const auto id = governor.add(film, {.name = "film"}).value();
  governor.start();
  for (const int before = film.asked; film.asked < before + 2;) std::this_thread::sleep_for(1ms);
  governor.remove(id);
}

TEST_F(Governed, SixtyWindowsOneClosedWhileTheOthersArePlanned) {
  std::vector<std::unique_ptr<SharedFilm>> films;
  for (int i = 0; i < 60; ++i) {
    films.push_back(std::make_unique<SharedFilm>());
    const Priority priority = i == 0 ? Priority::High : Priority::Background;
    ids.push_back(governor.add(*films.back(), {.name = "film", .priority = priority}).value());
  }
  std::atomic<int> plans{0};
  std::atomic<bool> over{false};
  std::thread planner([&] {
    for (; !over; ++plans) governor.step(now += interval);
  });
  for (std::size_t i = 59; i > 1; --i) {
    for (const int planned = plans; plans < planned + 2;) std::this_thread::yield();
    governor.remove(ids[i]);
    films.pop_back();
    EXPECT_TRUE(governor.amend(ids[1], {.priority = i % 2 ? Priority::Normal : Priority::Background}).ok());
  }
  over = true;
  planner.join();
  EXPECT_EQ(films[0]->thinning(), Thinning{});
  EXPECT_EQ(governor.windows().size(), 2u);
}

}  // namespace
}  // namespace tactus::media
