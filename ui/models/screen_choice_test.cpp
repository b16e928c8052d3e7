// SPDX-License-Identifier: Apache-2.0
// The desktop's own portal is asked.
#include "ui/models/screen_choice.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <optional>

#include "conference/local_room_fixture.h"
#include "media/capture/wayland_desktop_fixture.h"
#include "ui/models/call_model.h"

namespace tactus::ui {
namespace {

using media::CaptureSource;
using media::testing::WaylandDesktop;
using Extent = WaylandDesktop::Extent;
using User = WaylandDesktop::User;

constexpr int kPatience = 60'000;  // ms

class ScreenChoiceTest : public ::testing::Test {
 protected:
  struct Answer {
    std::optional<CaptureSource> source = {};
    QString failure = {};
  };
  /// What comes of it.
  Answer ask(const std::string& bus, bool anew = false) {
    m_answer = {};
    m_choice = std::make_unique<ScreenChoice>(memory(), bus);
    QObject::connect(m_choice.get(), &ScreenChoice::chosen,
                     [this](const CaptureSource& source) { m_answer.source = source; });
    QObject::connect(m_choice.get(), &ScreenChoice::failed,
                     [this](const QString& why) { m_answer.failure = why; });
    m_choice->ask(anew);
    EXPECT_TRUE(m_choice->asks());
    EXPECT_TRUE(QTest::qWaitFor([this] { return !m_choice->asks(); }, kPatience));
    return m_answer;
  }
  [[nodiscard]] QString memory() const { return m_state.filePath("tactus/screen-token"); }

  const QTemporaryDir m_state;
  std::unique_ptr<ScreenChoice> m_choice;
  Answer m_answer;
};

TEST_F(ScreenChoiceTest, TheUserIsAskedOnceAndAnewOnlyIfThatIsWanted) {
  WaylandDesktop desktop(Extent::Whole);
  const auto lent = ask(desktop.bus());
  ASSERT_TRUE(lent.source);
  EXPECT_EQ(lent.source->kind, CaptureSource::Kind::Screen);
  EXPECT_TRUE(lent.source->lent);
  EXPECT_TRUE(QFile::exists(memory()));
  m_answer = {};
  desktop.setUser(User::Refuses);
  const auto again = ask(desktop.bus());
  EXPECT_TRUE(again.source && again.source->lent) << "the one of before";
  m_answer = {};
  const auto refused = ask(desktop.bus(), true);
  EXPECT_FALSE(refused.source);
  EXPECT_TRUE(refused.failure.isEmpty()) << refused.failure.toStdString();
}

TEST_F(ScreenChoiceTest, WhereThereIsNoPortalX11sIsSharedAndWhereThereIsNeitherASentenceSaysSo) {
  const WaylandDesktop bare(Extent::Bus);
  const auto shared = ask(bare.bus());
  ASSERT_TRUE(shared.source);
  EXPECT_EQ(*shared.source, CaptureSource{.kind = CaptureSource::Kind::Screen});
  qputenv("WAYLAND_DISPLAY", "wayland-1");
  const auto refused = ask(bare.bus());
  qunsetenv("WAYLAND_DISPLAY");
  EXPECT_FALSE(refused.source);
  EXPECT_TRUE(refused.failure.contains("xdg-desktop-portal")) << refused.failure.toStdString();
  const QByteArray display = qgetenv("DISPLAY");
  qunsetenv("DISPLAY");
  const auto nowhere = ask(bare.bus());
  qputenv("DISPLAY", display);
  EXPECT_FALSE(nowhere.source);
  EXPECT_TRUE(nowhere.failure.contains("neither")) << nowhere.failure.toStdString();
}

TEST_F(ScreenChoiceTest, WhatTheUserThinksAboutCanBeTakenBack) {
  const WaylandDesktop desktop(Extent::Whole, User::Thinks);
  ScreenChoice choice(memory(), desktop.bus());
  QSignalSpy changes(&choice, &ScreenChoice::asksChanged);
  choice.ask(false);
  EXPECT_TRUE(choice.asks());
  choice.cancel();
  EXPECT_FALSE(choice.asks());
  EXPECT_EQ(changes.size(), 2);
}

TEST_F(ScreenChoiceTest, InACallTheSameKeySharesWaitsNoMoreAndCeases) {
  WaylandDesktop desktop(Extent::Whole, User::Thinks);
  qputenv("DBUS_SESSION_BUS_ADDRESS", desktop.bus().c_str());
  qputenv("XDG_STATE_HOME", m_state.path().toUtf8());
  conference::LocalRoom room;
  periodic::KernelTime time;
  periodic::TraceLog trace;
  const auto gate = periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler scheduler(time, *gate, trace);
  CallModel::Options options;
  options.link = room.link();
  options.attendance.addresses = {"127.0.0.1"};
  CallModel call(std::move(options), scheduler);
  call.start();
  ASSERT_TRUE(QTest::qWaitFor([&] { return call.phase() == "joined"; }, kPatience));
  call.perform("toggleScreen");
  EXPECT_TRUE(call.asksScreen());
  call.perform("toggleScreen");
  EXPECT_FALSE(call.asksScreen());
  desktop.setUser(User::Agrees);
  call.perform("toggleScreen");
  ASSERT_TRUE(QTest::qWaitFor([&] { return call.sharing(); }, kPatience)) << call.toast().toStdString();
  EXPECT_FALSE(call.asksScreen());
  call.perform("shareAnother");
  ASSERT_TRUE(QTest::qWaitFor([&] { return !call.asksScreen(); }, kPatience));
  EXPECT_TRUE(call.sharing());
  call.perform("toggleScreen");
  EXPECT_TRUE(QTest::qWaitFor([&] { return !call.sharing(); }, kPatience));
}

}  // namespace
}  // namespace tactus::ui

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const QCoreApplication application(argc, argv);
  return RUN_ALL_TESTS();
}
