// SPDX-License-Identifier: Apache-2.0
// A call in a real window, in a room of this process. The first argument chooses the output.
#include "ui/windows/call_window.h"

#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QQuickItem>
#include <QQuickWindow>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <string>

#include "app/display_fixture.h"
#include "conference/local_room_fixture.h"
#include "ui/video/video_tile.h"
#include "ui/windows/call_cell.h"

namespace tactus::ui {
namespace {

using conference::Attendance;
using conference::TrackInfo;
using conference::TrackKind;
using media::MediaKind;
using media::OutgoingTrack;

VideoOutput g_output = VideoOutput::Software;
OutputChoice g_choice;
constexpr int kPatience = 60'000;  // ms

class Call : public ::testing::Test {
 protected:
  static Attendance::Options stay(const std::string& name, std::vector<OutgoingTrack> tracks) {
    Attendance::Options options;
    options.name = name;
    options.tracks = std::move(tracks);
    options.addresses = {"127.0.0.1"};
    return options;
  }
  static std::vector<OutgoingTrack> both() {
    OutgoingTrack camera = OutgoingTrack::video("camera");
    camera.width = 320;
    camera.height = 180;
    return {camera, OutgoingTrack::audio("microphone")};
  }
  std::unique_ptr<Attendance> attend(const std::string& name, std::vector<OutgoingTrack> tracks = both(),
                                     conference::Role role = conference::Role::Guest) {
    auto started = Attendance::start(m_room.link(role), stay(name, std::move(tracks)), m_scheduler);
    EXPECT_TRUE(started.ok()) << (started.ok() ? "" : started.error().message);
    return started.ok() ? std::move(started).value() : nullptr;
  }
  void open(std::vector<OutgoingTrack> tracks = both()) {
    CallWindow::Options options;
    options.output = g_choice;
    options.call.link = m_room.link(conference::Role::Host);
    options.call.attendance = stay("Ann Lee", std::move(tracks));
    options.call.attendance.governor = m_governor;
    options.size = QSize(960, 540);
    auto created = CallWindow::create(std::move(options), m_scheduler);
    ASSERT_TRUE(created.ok()) << created.error().message;
    m_window = std::move(created).value();
    ASSERT_TRUE(isActive());
  }
  /// The window is there, and has the keys.
  bool isActive() {
    auto& window = m_window->window();
    if (!QTest::qWaitForWindowExposed(&window, kPatience)) return false;
    window.requestActivate();
    return QTest::qWaitForWindowActive(&window, kPatience);
  }
  CallCell* cellOf(const QString& name) {
    const auto& cells = m_window->cells();
    const auto found =
        std::find_if(cells.begin(), cells.end(), [&](const auto& cell) { return cell->name() == name; });
    return found != cells.end() ? found->get() : nullptr;
  }
  /// Pictures of this participant are drawn.
  bool seen(const QString& name) {
    return waitFor([&] {
      auto* cell = cellOf(name);
      return cell != nullptr && cell->pictured() && cell->tile().target()->shown() > 10;
    });
  }
  template <typename Condition>
  static bool waitFor(Condition condition) {
    return QTest::qWaitFor(condition, kPatience);
  }
  CallModel& call() { return m_window->call(); }
  void press(Qt::Key key) { QTest::keyClick(&m_window->window(), key); }
  /// Of the only other in the view of `who`.
  static std::optional<TrackInfo> trackSeenBy(Attendance& who, TrackKind kind) {
    const auto view = who.room().view();
    if (view.others.size() != 1) return std::nullopt;
    for (const TrackInfo& track : view.others.front().tracks)
      if (conference::kindOf(track.description.source) == kind) return track;
    return std::nullopt;
  }
  bool heardAsMuted(Attendance& who, TrackKind kind, bool muted) {
    return waitFor([&] {
      const auto track = trackSeenBy(who, kind);
      return track && track->muted == muted;
    });
  }

  periodic::KernelTime m_time;
  std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::TraceLog m_trace;
  periodic::Scheduler m_scheduler{m_time, *m_gate, m_trace};
  conference::LocalRoom m_room;
  media::LoadGovernor* m_governor = nullptr;
  std::unique_ptr<CallWindow> m_window;
};

TEST_F(Call, AllAreSeenAndWhoLeavesIsGone) {
  auto bob = attend("Bob");
  open();
  EXPECT_TRUE(seen("Bob"));
  EXPECT_TRUE(seen("Ann Lee")) << "as in a mirror";
  EXPECT_EQ(cellOf("Ann Lee")->initials(), "AL");
  EXPECT_TRUE(call().sentence().isEmpty()) << call().sentence().toStdString();
  ASSERT_EQ(m_window->cells().size(), 2u);
  EXPECT_EQ(m_window->cells().back()->name(), "Ann Lee");
  EXPECT_TRUE(waitFor([&] { return call().loudness() > 0.5; }));
  const auto cyd = attend("Cyd", {});
  EXPECT_TRUE(waitFor([&] { return cellOf("Cyd") != nullptr; }));
  EXPECT_FALSE(cellOf("Cyd")->pictured() || cellOf("Cyd")->audible());
  bob.reset();
  EXPECT_TRUE(waitFor([&] { return cellOf("Bob") == nullptr; }));
  EXPECT_EQ(m_window->cells().size(), 2u);
}

TEST_F(Call, KeysMuteAndTheOthersAreTold) {
  const auto bob = attend("Bob", {});
  open();
  ASSERT_TRUE(heardAsMuted(*bob, TrackKind::Audio, false));
  press(Qt::Key_M);
  ASSERT_TRUE(heardAsMuted(*bob, TrackKind::Audio, true));
  EXPECT_TRUE(call().microphoneMuted());
  EXPECT_TRUE(waitFor([&] { return !cellOf("Ann Lee")->audible(); }));
  // As long as the key is held.
  QTest::keyPress(&m_window->window(), Qt::Key_Space);
  ASSERT_TRUE(heardAsMuted(*bob, TrackKind::Audio, false));
  QTest::keyRelease(&m_window->window(), Qt::Key_Space);
  ASSERT_TRUE(heardAsMuted(*bob, TrackKind::Audio, true));
  press(Qt::Key_M);
  ASSERT_TRUE(heardAsMuted(*bob, TrackKind::Audio, false));
  // Who speaks already is not silent after it.
  press(Qt::Key_Space);
  EXPECT_FALSE(call().microphoneMuted());
  press(Qt::Key_V);
  ASSERT_TRUE(heardAsMuted(*bob, TrackKind::Video, true));
  EXPECT_TRUE(waitFor([&] { return !cellOf("Ann Lee")->pictured(); }));
  press(Qt::Key_R);
  EXPECT_TRUE(waitFor([&] { return bob->room().view().others.front().hand; }));
}

TEST_F(Call, TheScreenIsShared) {
  const auto bob = attend("Bob", {});
  open({});
  ASSERT_TRUE(waitFor([&] { return cellOf("Bob") != nullptr; }));
  const auto screensSeen = [&] {
    std::uint64_t shown = 0;
    for (const auto& stream : bob->report().received)
      if (stream.present && stream.name == conference::StreamName::Screen) shown = stream.pictures.shown;
    return shown;
  };
  press(Qt::Key_S);
  EXPECT_TRUE(waitFor([&] { return screensSeen() > 10; }));
  EXPECT_TRUE(waitFor([&] { return call().sharing(); }));
  press(Qt::Key_S);
  EXPECT_TRUE(waitFor([&] { return bob->room().view().others.front().tracks.empty(); }));
  EXPECT_TRUE(waitFor([&] { return !call().sharing(); }));
}

TEST_F(Call, ChatIsReadAndSaid) {
  const auto bob = attend("Bob", {});
  open({});
  ASSERT_TRUE(waitFor([&] { return cellOf("Bob") != nullptr; }));
  bob->room().say("Good morning");
  ASSERT_TRUE(waitFor([&] { return call().unread() == 1; }));
  press(Qt::Key_C);
  EXPECT_EQ(call().panel(), "chat");
  EXPECT_EQ(call().unread(), 0);
  auto* line = m_window->window().findChild<QQuickItem*>("chatLine");
  ASSERT_NE(line, nullptr);
  ASSERT_TRUE(waitFor([&] { return line->hasActiveFocus(); }));
  for (const auto key : {Qt::Key_M, Qt::Key_V, Qt::Key_Return}) press(key);
  EXPECT_TRUE(waitFor([&] { return bob->room().view().chat.size() == 2; }));
  EXPECT_EQ(bob->room().view().chat.back().text, "mv") << "keys that are typed do nothing else";
  ASSERT_EQ(call().chat().size(), 2);
  EXPECT_TRUE(call().chat().back().toMap()["own"].toBool());
  press(Qt::Key_Escape);
  EXPECT_TRUE(call().panel().isEmpty());
  EXPECT_EQ(call().unread(), 0);
}

TEST_F(Call, AHostMutesAndRemoves) {
  auto bob = attend("Bob");
  open({});
  ASSERT_TRUE(waitFor([&] { return cellOf("Bob") != nullptr && cellOf("Bob")->audible(); }));
  ASSERT_EQ(call().people().size(), 2);
  const QString sid = call().people().back().toMap()["sid"].toString();
  call().muteOther(sid);
  EXPECT_TRUE(waitFor([&] { return bob->muted(MediaKind::Audio); }));
  EXPECT_TRUE(waitFor([&] { return !cellOf("Bob")->audible(); }));
  call().removeOther(sid);
  EXPECT_TRUE(waitFor([&] { return bob->report().end.has_value(); }));
  EXPECT_TRUE(waitFor([&] { return call().sentence() == "Nobody else is here yet."; }));
}

TEST_F(Call, WhatIsPinnedIsLarge) {
  const auto bob = attend("Bob", {});
  const auto cyd = attend("Cyd", {});
  open({});
  ASSERT_TRUE(waitFor([&] { return m_window->cells().size() == 3; }));
  const auto width = [&](const QString& name) { return cellOf(name)->item().width(); };
  EXPECT_NEAR(width("Bob"), width("Cyd"), 1);
  cellOf("Cyd")->togglePin();
  EXPECT_GT(width("Cyd"), 2 * width("Bob"));
  cellOf("Cyd")->togglePin();
  press(Qt::Key_W);
  EXPECT_GT(std::max(width("Bob"), width("Cyd")), 2 * width("Ann Lee")) << "one of the others";
}

TEST_F(Call, EachPlaceIsAWindowOfTheGovernor) {
  periodic::QosEvents events;
  media::LoadGovernor governor({.processors = 0.001}, events);  // whatever the machine can do is not enough
  governor.start();
  const auto bob = attend("Bob");
  m_governor = &governor;
  open({});
  ASSERT_TRUE(waitFor([&] { return cellOf("Bob") != nullptr && cellOf("Bob")->window() != nullptr; }));
  EXPECT_EQ(cellOf("Ann Lee")->window(), nullptr);
  auto* window = cellOf("Bob")->window();
  EXPECT_EQ(window->priority(), "normal");
  EXPECT_TRUE(waitFor([&] { return !window->pill().isEmpty(); })) << "it gives way";
  EXPECT_TRUE(window->sentence().contains("Bob")) << window->sentence().toStdString();
  cellOf("Bob")->item().forceActiveFocus();
  QTest::keyClick(&m_window->window(), Qt::Key_3, Qt::ControlModifier);
  EXPECT_EQ(window->priority(), "high");
  m_window.reset();
  EXPECT_TRUE(governor.windows().empty());
}

TEST_F(Call, TheControlsStayInASmallWindow) {
  open();
  ASSERT_TRUE(waitFor([&] { return call().phase() == "joined"; }));
  m_window->window().resize(480, 320);
  ASSERT_TRUE(waitFor([&] { return m_window->window().width() == 480; }));
  for (const bool panel : {false, true}) {
    if (panel) press(Qt::Key_P);
    const auto buttons = m_window->window().findChildren<QQuickItem*>("callButton");
    ASSERT_EQ(buttons.size(), 8);
    const auto inside = [](const QQuickItem* button) {
      return QRectF(0, 0, 480, 320).contains(button->mapRectToScene(button->boundingRect()));
    };
    EXPECT_TRUE(waitFor([&] { return std::all_of(buttons.begin(), buttons.end(), inside); }));
  }
}

TEST_F(Call, NameAndDevicesAreChosenBefore) {
  const auto bob = attend("Bob", {});
  const QTemporaryDir state;
  CallWindow::Options options;
  options.output = g_choice;
  options.call.link = m_room.link();
  options.call.attendance = stay("Nobody", {});
  options.memory = CallMemory(state.filePath("call.json"));
  options.given.camera = media::CaptureDevice{"Test", {}, true};
  options.given.microphone = media::CaptureDevice{"Tone", {}, true};
  auto created = CallWindow::create(std::move(options), m_scheduler);
  ASSERT_TRUE(created.ok()) << created.error().message;
  m_window = std::move(created).value();
  auto* page = m_window->prejoin();
  ASSERT_NE(page, nullptr);
  ASSERT_TRUE(isActive());
  EXPECT_EQ(call().phase(), "idle");
  EXPECT_TRUE(waitFor([&] { return page->seen() && page->loudness() > 0.5; }));
  EXPECT_EQ(page->cameras().first(), "Test");
  EXPECT_EQ(page->cameras().last(), "No camera");
  // The name field has the keys: they are typed.
  page->setName("Ann");
  EXPECT_TRUE(waitFor([&] { return m_window->window().activeFocusItem() != nullptr; }));
  QTest::keyClick(&m_window->window(), Qt::Key_End);
  press(Qt::Key_M);
  EXPECT_EQ(page->name(), "Annm");
  EXPECT_FALSE(call().microphoneMuted());
  page->setCamera(static_cast<int>(page->cameras().size()) - 1);
  EXPECT_FALSE(page->source(MediaKind::Video));
  press(Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return call().phase() == "joined"; }));
  EXPECT_EQ(m_window->prejoin(), nullptr);
  EXPECT_TRUE(call().hasMicrophone());
  EXPECT_FALSE(call().hasCamera());
  EXPECT_TRUE(waitFor([&] {
    const auto track = trackSeenBy(*bob, TrackKind::Audio);
    return track && bob->room().view().others.front().name == "Annm";
  }));
  EXPECT_FALSE(trackSeenBy(*bob, TrackKind::Video));
  const CallChoice kept = CallMemory(state.filePath("call.json")).recall();
  EXPECT_EQ(kept.name, "Annm");
  EXPECT_EQ(kept.camera, "");
}

TEST_F(Call, ACameraThatIsNotWantedIsNotOpenedThoughAnotherCallHadOne) {
  const QTemporaryDir state;
  CallMemory(state.filePath("call.json")).keep({"Ann", "/dev/video0", {}});
  PrejoinModel::Given given;
  given.noCamera = true;
  PrejoinModel page(CallMemory(state.filePath("call.json")), given, makeTileTarget(g_choice.output));
  EXPECT_EQ(page.name(), "Ann");
  EXPECT_FALSE(page.source(MediaKind::Video));
  page.join();
  EXPECT_EQ(CallMemory(state.filePath("call.json")).recall().camera, "") << "none was chosen";
}

TEST_F(Call, TheEndOfTheRoomIsSaid) {
  open();
  ASSERT_TRUE(waitFor([&] { return call().phase() == "joined"; }));
  m_room.end();
  EXPECT_TRUE(waitFor([&] { return call().phase() == "ended"; }));
  EXPECT_EQ(call().sentence(), "The host has closed the room.");
  press(Qt::Key_M);  // is harmless then
  QTest::keyClick(&m_window->window(), Qt::Key_W, Qt::ControlModifier);
  EXPECT_TRUE(waitFor([&] { return !m_window->window().isVisible(); }));
}

}  // namespace
}  // namespace tactus::ui

int main(int argc, char** argv) {
  return tactus::app::testing::runOnDisplay(argc, argv, tactus::ui::g_output, tactus::ui::g_choice);
}
