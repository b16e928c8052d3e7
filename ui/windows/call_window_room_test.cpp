// SPDX-License-Identifier: Apache-2.0
// What is said, and who comes in, in a call's window.
#include <gtest/gtest.h>

#include <QClipboard>
#include <QGuiApplication>
#include <string>
#include <utility>

#include "ui/models/call_invitation.h"
#include "ui/windows/call_window_fixture.h"

namespace tactus::ui {
namespace {

using conference::Attendance;
using media::MediaKind;

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
  ASSERT_TRUE(waitFor([&] { return call().chat().size() == 2; })) << "Bob may hear of it first";
  EXPECT_TRUE(call().chat().back().toMap()["own"].toBool());
  press(Qt::Key_Escape);
  EXPECT_TRUE(call().panel().isEmpty());
  EXPECT_EQ(call().unread(), 0);
}

TEST_F(Call, WhatASenderIsToReadIsSaidInTheChatWithTheSendersName) {
  periodic::QosEvents events;
  media::LoadGovernor governor({.processors = 64}, events);
  m_governor = &governor;
  const auto bob = attend("Bob");
  open({});
  ASSERT_TRUE(waitFor([&] { return cellOf("Bob") != nullptr && cellOf("Bob")->window() != nullptr; }));
  Q_EMIT cellOf("Bob")->window()->tellRequested("I see no picture of you: your computer is busy.");
  EXPECT_TRUE(waitFor([&] { return bob->room().view().chat.size() == 1; }));
  EXPECT_EQ(bob->room().view().chat.back().text, "Bob: I see no picture of you: your computer is busy.");
  m_window.reset();  // before its governor
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

TEST_F(Call, OthersAreInvited) {
  open({});
  auto& invitation = m_window->invitation();
  ASSERT_TRUE(waitFor([&] { return invitation.shown() && !invitation.link().isEmpty(); })) << "it is alone";
  EXPECT_TRUE(invitation.code().startsWith("data:image/png"));
  EXPECT_NE(invitation.link().toStdString(), m_room.link(conference::Role::Host));
  invitation.copy();
  const std::string link = QGuiApplication::clipboard()->text().toStdString();
  auto bob = Attendance::start(link, stay("Bob", {}), m_scheduler);
  ASSERT_TRUE(bob.ok()) << bob.error().message;
  ASSERT_TRUE(waitFor([&] { return cellOf("Bob") != nullptr; }));
  EXPECT_FALSE(invitation.shown()) << "somebody has come";
  EXPECT_EQ(bob.value()->room().view().you.role, conference::Role::Guest);
  press(Qt::Key_I);
  EXPECT_TRUE(invitation.shown());
  press(Qt::Key_Escape);
  EXPECT_FALSE(invitation.shown());
  call().setLobby(true);
  EXPECT_TRUE(waitFor([&] { return call().lobby(); }));
  const auto cyd = attend("Cyd", {});
  ASSERT_TRUE(waitFor([&] { return call().waiting().size() == 1; }));
  call().admit(call().waiting().front().toMap()["sid"].toString());
  EXPECT_TRUE(waitFor([&] { return cellOf("Cyd") != nullptr; }));
  call().setLocked(true);
  EXPECT_TRUE(waitFor([&] { return call().locked(); }));
}

TEST_F(Call, AGuestGivesOnTheLinkByWhichItCame) {
  const auto bob = attend("Bob", {}, conference::Role::Host);
  CallWindow::Options options;
  options.output = g_choice;
  options.call.link = m_room.link();
  options.call.attendance = stay("Ann Lee", {});
  const QString link = QString::fromStdString(options.call.link);
  auto created = CallWindow::create(std::move(options), m_scheduler);
  ASSERT_TRUE(created.ok()) << created.error().message;
  m_window = std::move(created).value();
  ASSERT_TRUE(isActive());
  ASSERT_TRUE(waitFor([&] { return cellOf("Bob") != nullptr; }));
  EXPECT_FALSE(m_window->invitation().shown());
  press(Qt::Key_I);
  EXPECT_EQ(m_window->invitation().link(), link);
}

TEST_F(Call, WhoHasTheRoomIsAskedBeforeItEnds) {
  const auto bob = attend("Bob", {});
  CallWindow::Options options;
  options.output = g_choice;
  options.call.link = m_room.link(conference::Role::Host);
  options.call.attendance = stay("Ann Lee", {});
  options.hosting = true;
  auto created = CallWindow::create(std::move(options), m_scheduler);
  ASSERT_TRUE(created.ok()) << created.error().message;
  m_window = std::move(created).value();
  ASSERT_TRUE(isActive());
  ASSERT_TRUE(waitFor([&] { return call().people().size() == 2; }));
  press(Qt::Key_Space);  // the keys are the call's
  QTest::keyClick(&m_window->window(), Qt::Key_W, Qt::ControlModifier);
  ASSERT_TRUE(waitFor([&] {
    auto* button = m_window->window().activeFocusItem();
    return button != nullptr && button->inherits("QQuickAbstractButton");
  })) << "the question has the keys";
  EXPECT_TRUE(m_window->window().isVisible());
  press(Qt::Key_Escape);
  QTest::keyClick(&m_window->window(), Qt::Key_W, Qt::ControlModifier);
  ASSERT_TRUE(
      waitFor([&] { return m_window->window().activeFocusItem()->inherits("QQuickAbstractButton"); }));
  press(Qt::Key_Space);
  EXPECT_TRUE(waitFor([&] { return !m_window->window().isVisible(); }));
}

}  // namespace
}  // namespace tactus::ui
