// SPDX-License-Identifier: Apache-2.0
// The model with a real player against a virtual display, without a window.
#include "ui/models/player_model.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QMetaMethod>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "media/playback/virtual_display.h"
#include "ui/models/actions.h"

namespace tactus::ui {
namespace {

class PlayerModelTest : public ::testing::Test {
 protected:
  /// Twelve minutes, so that no action reaches the end, with chapters and subtitles.
  QString film(const QString& name) {
    QFile chapters(m_folder.filePath("chapters"));
    QFile subtitles(m_folder.filePath("subtitles.srt"));
    if (!chapters.open(QIODevice::WriteOnly) || !subtitles.open(QIODevice::WriteOnly)) return {};
    chapters.write(
        ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=300\ntitle=One\n"
        "[CHAPTER]\nTIMEBASE=1/1\nSTART=300\nEND=720\ntitle=Two\n");
    subtitles.write("1\n00:00:00,000 --> 00:00:09,000\nWords\n");
    chapters.close();
    subtitles.close();
    const QString path = m_folder.filePath(name);
    const QString command =
        QString(
            "ffmpeg -v error -y -f lavfi -i testsrc=s=160x90:r=2 -i %1 -i %2 -t 720 -map 0 -map 1 "
            "-map_chapters 2 -c:v mjpeg -c:s srt %3")
            .arg(subtitles.fileName(), chapters.fileName(), path);
    return std::system(command.toUtf8().constData()) == 0 ? path : QString();
  }
  media::PlayerConfig silent() {
    media::PlayerConfig config;
    config.audio = false;
    return config;
  }
  /// The second of three films, playing or paused.
  bool standAtTheSecond(bool playing) {
    if (m_model.playlistSize() != 3 || m_model.playlistIndex() != 1 || !m_model.opened()) {
      m_model.openAll(m_films, true);
      m_model.openNext();
      if (!QTest::qWaitFor([&] { return m_model.state() == "paused" || m_model.playing(); }, 10000))
        return false;
    }
    m_model.seek(1, true);
    playing ? m_model.player()->play() : m_model.player()->pause();
    return QTest::qWaitFor([&] { return m_model.playing() == playing && !m_model.chapters().empty(); },
                           10000);
  }

  QTemporaryDir m_folder;
  QStringList m_films;
  periodic::KernelTime m_time;
  std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::TraceLog m_trace;
  periodic::Scheduler m_scheduler{m_time, *m_gate, m_trace};
  PlayerModel m_model{m_scheduler, silent(), media::createVirtualDisplay(),
                      RecentFiles(m_folder.filePath("recent.json")), "virtual display"};
};

/// All that the model has said so far.
class Heard {
 public:
  explicit Heard(PlayerModel& model) {
    const auto* meta = model.metaObject();
    for (int i = meta->methodOffset(); i < meta->methodCount(); ++i)
      if (meta->method(i).methodType() == QMetaMethod::Signal)
        m_spies.push_back(std::make_unique<QSignalSpy>(&model, meta->method(i)));
  }
  [[nodiscard]] qsizetype count() const {
    qsizetype sum = 0;
    for (const auto& spy : m_spies) sum += spy->count();
    return sum;
  }

 private:
  std::vector<std::unique_ptr<QSignalSpy>> m_spies;
};

TEST_F(PlayerModelTest, EveryActionDoesSomething) {
  for (const char* name : {"a.mkv", "b.mkv", "c.mkv"}) m_films.append(film(name));
  ASSERT_FALSE(m_films.contains(QString())) << "ffmpeg made no film";
  for (const auto& action : actions()) {
    const std::string_view name = action.name;
    ASSERT_TRUE(standAtTheSecond(name == "pause" || name == "stop")) << name;
    QGuiApplication::clipboard()->setText(m_films.first());
    const QString before = m_model.state();
    const Heard heard(m_model);
    m_model.perform(action);
    // What the player alone does is told by its state, later; all else at once.
    EXPECT_TRUE(heard.count() > 0 || QTest::qWaitFor([&] { return m_model.state() != before; }, 5000))
        << name;
  }
}

TEST_F(PlayerModelTest, WhatCannotBeOpenedIsSaid) {
  m_model.openAll({"/nowhere/film.mkv"});
  EXPECT_EQ(m_model.state(), "failed");
  EXPECT_EQ(m_model.error(), "There is no file '/nowhere/film.mkv'.");
  m_model.dismissError();
  EXPECT_TRUE(m_model.error().isEmpty());
}

TEST_F(PlayerModelTest, UnknownActionsAndKeysDoNothing) {
  const Heard heard(m_model);
  m_model.perform(QStringLiteral("frobnicate"));
  EXPECT_FALSE(m_model.handleKey(Qt::Key_Y, 0, "y"));
  EXPECT_EQ(heard.count(), 0);
}

}  // namespace
}  // namespace tactus::ui

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QGuiApplication application(argc, argv);
  return RUN_ALL_TESTS();
}
