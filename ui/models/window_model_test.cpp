// SPDX-License-Identifier: Apache-2.0
#include "ui/models/window_model.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QTest>

namespace tactus::ui {
namespace {

using Place = media::SourceLimit::Place;
using Shown = media::SourceLimit::Shown;

/// A stream that the test has miss its deadlines.
class Stream final : public media::GovernedStream {
 public:
  media::LoadFigures load() const override { return figures; }
  void setThinning(media::Thinning next) override { thinning = next; }
  void setHeld(bool next) override { held = next; }
  void setService(media::StreamService) override {}
  /// A fifth of a second goes by.
  void live(std::uint64_t misses) {
    figures.nominalRate = 30;
    figures.playing = true;
    figures.decode.completed += 6;
    figures.decode.cpuTime += std::chrono::milliseconds(150);
    figures.disposable = 1;
    figures.display.completed += 6;
    figures.display.packets += 6;
    figures.display.misses += misses;
  }
  media::LoadFigures figures;
  media::Thinning thinning;
  bool held = false;
};

TEST(PillText, SaysWhatIsShown) {
  media::WindowState state;
  EXPECT_EQ(pillText(state), "");
  state.nominalRate = 30;
  state.thinning.frequency = 0.5;
  EXPECT_EQ(pillText(state), "15 of 30 fps");
  state.nominalRate = 24.4;
  state.thinning.frequency = 0.995;
  EXPECT_EQ(pillText(state), "") << "nobody sees it";
  state.nominalRate = 0;
  state.thinning.frequency = 0.5;
  EXPECT_EQ(pillText(state), "50 % of the pictures");
  state.thinning.lastRung = true;
  EXPECT_EQ(pillText(state), "keyframes only");
  state.thinning = {};
  state.violating = true;
  EXPECT_EQ(pillText(state), "pictures are late");
}

TEST(PillText, SaysWhereALimitLiesAndWhatIsLeft) {
  const auto pill = [](Place place, Shown shown) {
    media::WindowState state;
    state.limit = {.place = place, .shown = shown};
    return pillText(state);
  };
  EXPECT_EQ(pill(Place::OwnLine, Shown::SmallerPicture), "your network: smaller picture");
  EXPECT_EQ(pill(Place::TheirLine, Shown::FewerPictures), "their network: fewer pictures");
  EXPECT_EQ(pill(Place::TheirComputer, Shown::NoPicture), "their computer: no picture");
  EXPECT_EQ(pill(Place::TheirProgram, Shown::SmallerPicture), "their program: smaller picture");
}

TEST(PillText, ThePlanComesBeforeALimitAndALimitBeforeLatePictures) {
  media::WindowState state;
  state.nominalRate = 30;
  state.thinning.frequency = 0.5;
  state.violating = true;
  state.limit = {.place = Place::OwnLine, .shown = Shown::NoPicture};
  EXPECT_EQ(pillText(state), "15 of 30 fps");
  state.thinning.lastRung = true;
  EXPECT_EQ(pillText(state), "keyframes only");
  state.thinning = {.size = 0.5};
  EXPECT_EQ(pillText(state), "50 % of the size");
  state.thinning = {};
  EXPECT_EQ(pillText(state), "your network: no picture");
}

/// A lecture at High and a camera at Background on one processor that other programs share.
class TwoWindows : public ::testing::Test {
 protected:
  static media::LoadGovernor::Settings settings() {
    return {.processors = 1,
            .busy =
                [] {
                  return media::ProcessorUse{0.6, 0.9};
                },
            .own =
                [used = periodic::Duration{0}]() mutable {
                  return used += std::chrono::milliseconds(150);  // at each look
                }};
  }
  /// Two seconds of virtual time in which both miss deadlines.
  void overload() {
    for (int i = 0; i < 10; ++i, m_now += std::chrono::milliseconds(200)) {
      m_lecture.live(2);
      m_camera.live(2);
      m_governor.step(m_now);
    }
  }

  int m_argc = 1;
  char m_name[12] = "models_test";
  char* m_argv[2] = {m_name, nullptr};
  QCoreApplication m_application{m_argc, m_argv};
  periodic::QosEvents m_events;
  media::LoadGovernor m_governor{settings(), m_events};
  Stream m_lecture, m_camera;
  WindowModel m_high{m_governor, m_lecture, {.name = "Lecture", .priority = media::Priority::High}};
  WindowModel m_low{m_governor, m_camera, {.name = "Camera", .priority = media::Priority::Background}};
  periodic::TimePoint m_now{};
};

TEST_F(TwoWindows, TheOneThatGivesWaySaysForWhom) {
  overload();
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_low.pill().endsWith("of 30 fps"); }, 5000))
      << m_low.pill().toStdString();
  EXPECT_TRUE(m_low.sentence().contains("'Lecture' at High")) << m_low.sentence().toStdString();
  EXPECT_EQ(m_lecture.thinning, media::Thinning{});
  EXPECT_EQ(m_low.remedies().first().toMap()["action"], "high");
}

TEST_F(TwoWindows, AdvancedTermsAreCheckedAndTaken) {
  EXPECT_EQ(
      m_low.choose({{"priority", "background"}, {"least", 0.3}, {"weight", 1.0}, {"cpus", "0, x"}}, false),
      "'x' is no number of a processor.");
  EXPECT_EQ(m_low.choose({{"priority", "background"}, {"least", 0.3}, {"weight", -1}, {"cpus", ""}}, false),
            "A weight is above 0 and at most 1000, and not -1.");
  EXPECT_EQ(
      m_low.choose({{"priority", "background"}, {"class", "statistical"}, {"least", 0.3}, {"weight", 1.0}},
                   false),
      "");
  EXPECT_EQ(m_low.described()["class"], "statistical");
  EXPECT_EQ(m_low.terms().leastFrequency, 0.3);
  EXPECT_FALSE(m_low.terms().weight) << "what the priority says anyway is not said again";
  m_low.remedy("high");
  EXPECT_EQ(m_low.priority(), "high");
  EXPECT_FALSE(m_low.terms().leastFrequency) << "another priority brings its own";
}

TEST_F(TwoWindows, RemediesHelp) {
  overload();
  m_low.remedy("high");
  EXPECT_EQ(m_low.priority(), "high");
  m_low.remedy("others");
  overload();
  EXPECT_EQ(m_camera.thinning, media::Thinning{});
  EXPECT_LT(m_lecture.thinning.frequency, 1);
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_high.priority() == "background"; }, 5000));
  bool closing = false;
  QObject::connect(&m_low, &WindowModel::closeRequested, &m_low, [&] { closing = true; });
  m_low.remedy("close");
  EXPECT_TRUE(closing);
}

TEST_F(TwoWindows, ALimitIsSaidAndWhatIsTheirFaultCanBeToldToThem) {
  const auto actions = [&] {
    QStringList list;
    for (const QVariant& each : m_low.remedies()) list.append(each.toMap()["action"].toString());
    return list;
  };
  const auto look = [&] { m_governor.step(m_now += std::chrono::milliseconds(200)); };
  QStringList told;
  QObject::connect(&m_low, &WindowModel::tellRequested, &m_low,
                   [&](const QString& sentence) { told.append(sentence); });
  m_camera.figures.limit = {.place = Place::OwnLine, .shown = Shown::SmallerPicture, .carried = 480'000};
  look();
  EXPECT_EQ(actions(), QStringList({"high", "others", "close"}));
  m_low.remedy("tell");
  EXPECT_TRUE(told.isEmpty()) << "the fault is not theirs";
  m_camera.figures.limit.place = Place::TheirLine;
  look();
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_low.pill() == "their network: smaller picture"; }, 5000))
      << m_low.pill().toStdString();
  EXPECT_EQ(m_low.sentence(), "'Camera' shows a smaller picture: their network carries 480 kbit/s.");
  EXPECT_EQ(actions(), QStringList({"tell", "close"}));
  m_low.remedy("tell");
  EXPECT_EQ(told, QStringList("I see a smaller picture of you: your network carries 480 kbit/s."));
  m_camera.figures.limit = {};
  look();
  EXPECT_FALSE(actions().contains("tell"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return m_low.pill().isEmpty(); }, 5000));
  m_low.remedy("tell");
  EXPECT_EQ(told.size(), 1) << "nothing limits it any more";
}

TEST_F(TwoWindows, WhatThePlanLeavesOutHasItsOwnRemediesThoughTheStreamIsLimited) {
  m_camera.figures.limit = {.place = Place::TheirComputer, .shown = Shown::FewerPictures};
  overload();
  ASSERT_LT(m_camera.thinning.frequency, 1);
  EXPECT_EQ(m_low.remedies().first().toMap()["action"], "high");
}

TEST_F(TwoWindows, OneMoreThatDoesNotFitIsRefusedAndMayBePlayedAllTheSame) {
  overload();
  m_low.remedy("high");
  m_low.remedy("others");
  overload();
  Stream more;
  WindowModel asks(m_governor, more, {.name = "More", .priority = media::Priority::High},
                   media::LoadGovernor::Entry::Asks);
  for (int i = 0; i < 12; ++i, m_now += std::chrono::milliseconds(200)) {
    for (auto* stream : {&m_lecture, &m_camera, &more}) stream->live(0);
    m_governor.step(m_now);
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return !asks.refusal().isEmpty(); }, 5000));
  EXPECT_TRUE(asks.refusal().startsWith("There is no room for 'More'")) << asks.refusal().toStdString();
  EXPECT_TRUE(more.held);
  quint64 closed = 0;
  QObject::connect(&asks, &WindowModel::closeOtherRequested, &asks, [&](quint64 id) { closed = id; });
  const auto offers = asks.offers();
  for (int i = 0; i < offers.size(); ++i)
    if (offers[i] == "Close 'Camera'") asks.accept(i);
  EXPECT_EQ(closed, m_low.id()) << ::testing::PrintToString(offers.size());
  asks.admitAnyway();
  EXPECT_FALSE(more.held);
  EXPECT_TRUE(asks.refusal().isEmpty());
}

}  // namespace
}  // namespace tactus::ui
