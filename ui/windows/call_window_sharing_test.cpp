// SPDX-License-Identifier: Apache-2.0
// A screen, or a film of this program, that others see in a call.
#include <gtest/gtest.h>

#include <QQuickItem>
#include <QStringList>
#include <memory>
#include <vector>

#include "media/playback/player_fixture.h"
#include "ui/windows/call_window_fixture.h"

namespace tactus::ui {
namespace {

using conference::Attendance;
using conference::ReceivedStream;
using conference::StreamName;

/// What comes of a shared screen now; nothing yet: empty.
ReceivedStream sharedAsSeenBy(Attendance& who) {
  for (auto& stream : who.report().received)
    if (stream.present && stream.name == StreamName::Screen) return stream;
  return {};
}

TEST_F(Call, TheScreenIsShared) {
  const auto bob = attend("Bob", {});
  open({});
  ASSERT_TRUE(waitFor([&] { return cellOf("Bob") != nullptr; }));
  press(Qt::Key_S);
  EXPECT_TRUE(waitFor([&] { return sharedAsSeenBy(*bob).pictures.shown > 10; }));
  EXPECT_TRUE(waitFor([&] { return call().sharing(); }));
  press(Qt::Key_S);
  EXPECT_TRUE(waitFor([&] { return bob->room().view().others.front().tracks.empty(); }));
  EXPECT_TRUE(waitFor([&] { return !call().sharing(); }));
}

/// A player without a window.
class Film {
 public:
  explicit Film(periodic::Scheduler& scheduler) {
    auto created = media::Player::create({}, scheduler, std::make_shared<media::HeadlessPictures>(), m_told);
    EXPECT_TRUE(created.ok());
    m_player = std::move(created).value();
    EXPECT_TRUE(m_player->open(media::testing::plainFilm(60).string()).ok());
  }
  [[nodiscard]] std::shared_ptr<media::FilmTap> tap() const { return m_player->tap(); }
  void close() { m_player.reset(); }

 private:
  media::testing::Recorder m_told;
  std::unique_ptr<media::Player> m_player;
};

TEST_F(Call, AFilmOfThisProgramIsSharedUntilItIsClosed) {
  Film film(m_scheduler);
  m_films = [&] { return std::vector<CallModel::Film>{{QStringLiteral("A film"), film.tap()}}; };
  const auto bob = attend("Bob", {});
  open({});
  ASSERT_TRUE(waitFor([&] { return cellOf("Bob") != nullptr; }));
  QStringList told;  // each goes after a moment
  QObject::connect(&call(), &CallModel::toastChanged, &call(), [&] { told.append(call().toast()); });
  QTest::keyClick(&m_window->window(), 'F', Qt::ShiftModifier);
  auto* menu = m_window->window().findChild<QObject*>(QStringLiteral("sources"));
  ASSERT_NE(menu, nullptr);
  ASSERT_TRUE(waitFor([&] { return menu->property("opened").toBool(); }));
  EXPECT_EQ(menu->property("titles").toStringList(), QStringList{QStringLiteral("A film")});
  press(Qt::Key_Down);
  press(Qt::Key_Down);
  press(Qt::Key_Return);
  EXPECT_TRUE(waitFor([&] { return call().sharing(); }));
  EXPECT_TRUE(told.contains("The others see and hear A film"));
  EXPECT_TRUE(waitFor([&] {
    const ReceivedStream seen = sharedAsSeenBy(*bob);
    return seen.pictures.shown > 10 && seen.call.sound.packets > 50;
  }));
  film.close();
  EXPECT_TRUE(waitFor([&] { return !call().sharing(); }));
  EXPECT_TRUE(waitFor([&] {
    return told.contains("What is sent has ended: The film that was shared has been closed.");
  })) << told.join(" | ").toStdString();
}

}  // namespace
}  // namespace tactus::ui
