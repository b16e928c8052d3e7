// SPDX-License-Identifier: Apache-2.0
// A call in a real window, in a room of this process. The first argument chooses the output.
#include "ui/windows/call_window.h"

#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QTemporaryDir>
#include <algorithm>
#include <string>

#include "app/display_fixture.h"
#include "ui/windows/call_window_fixture.h"

namespace tactus::ui {
namespace {

using conference::TrackKind;
using media::MediaKind;

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

TEST_F(Call, AWindowClosesWhileItsPicturesAreDrawn) {
  const auto bob = attend("Bob", {});
  open();
  ASSERT_TRUE(seen("Ann Lee"));
  const bool software = g_output == VideoOutput::Software;
  EXPECT_TRUE(waitFor([&] { return !software || cellOf("Ann Lee")->tile().straight(); }))
      << "without the scene graph";
  m_window.reset();
  EXPECT_TRUE(waitFor([&] { return bob->room().view().others.empty(); }));
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
  page->setOriginalSound(true);
  press(Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return call().phase() == "joined"; }));
  EXPECT_EQ(m_window->prejoin(), nullptr);
  EXPECT_TRUE(call().hasMicrophone());
  EXPECT_TRUE(call().originalSound());
  EXPECT_FALSE(call().hasCamera());
  EXPECT_TRUE(waitFor([&] {
    const auto track = trackSeenBy(*bob, TrackKind::Audio);
    return track && bob->room().view().others.front().name == "Annm";
  }));
  EXPECT_FALSE(trackSeenBy(*bob, TrackKind::Video));
  const CallChoice kept = CallMemory(state.filePath("call.json")).recall();
  EXPECT_EQ(kept.name, "Annm");
  EXPECT_EQ(kept.camera, "");
  EXPECT_TRUE(kept.originalSound);
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
