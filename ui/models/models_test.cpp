// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <limits>
#include <vector>

#include "ui/models/key_map.h"
#include "ui/models/player_model.h"
#include "ui/models/plot_axis.h"
#include "ui/models/priority_memory.h"
#include "ui/models/recent_files.h"
#include "ui/models/window_model.h"
#include "ui/video/tile_target.h"
#include "ui/video/video_output.h"
#include "ui/video/yuv_matrix.h"
#include "ui/windows/grid_layout.h"
#include "ui/windows/load_model.h"

namespace tactus::ui {
namespace {

TEST(KeyMap, KeysAreMpvs) {
  EXPECT_EQ(actionFor(Qt::Key_Space, {}, " "), Action::TogglePause);
  EXPECT_EQ(actionFor(Qt::Key_P, {}, "p"), Action::TogglePause);
  EXPECT_EQ(actionFor(Qt::Key_Right, {}, ""), Action::SeekForward5);
  EXPECT_EQ(actionFor(Qt::Key_Right, Qt::ShiftModifier, ""), Action::SeekForward1);
  EXPECT_EQ(actionFor(Qt::Key_Up, {}, ""), Action::SeekForward60);
  EXPECT_EQ(actionFor(Qt::Key_BracketRight, {}, "]"), Action::SpeedUp);
  EXPECT_EQ(actionFor(Qt::Key_Backspace, {}, "\b"), Action::SpeedNormal);
  EXPECT_EQ(actionFor(Qt::Key_Period, {}, "."), Action::StepForward);
  EXPECT_EQ(actionFor(Qt::Key_J, Qt::ShiftModifier, "J"), Action::PreviousSubtitle);
  EXPECT_EQ(actionFor(Qt::Key_Q, Qt::ShiftModifier, "Q"), Action::QuitAndSave);
  EXPECT_EQ(actionFor(Qt::Key_I, {}, "i"), Action::Stats);
}

TEST(KeyMap, ControlKeysAreTheDesktops) {
  EXPECT_EQ(actionFor(Qt::Key_O, Qt::ControlModifier, "\x0f"), Action::OpenFile);
  EXPECT_EQ(actionFor(Qt::Key_V, Qt::ControlModifier, "\x16"), Action::Paste);
  EXPECT_EQ(actionFor(Qt::Key_3, Qt::ControlModifier, "3"), Action::PriorityHigh);
  EXPECT_EQ(actionFor(Qt::Key_1, Qt::ControlModifier, "1"), Action::PriorityBackground);
  EXPECT_EQ(actionFor(Qt::Key_N, Qt::ControlModifier, ""), Action::NewWindow);
  EXPECT_EQ(actionFor(Qt::Key_W, Qt::ControlModifier, ""), Action::CloseWindow);
  EXPECT_FALSE(actionFor(Qt::Key_Space, Qt::ControlModifier, " "));
}

TEST(KeyMap, UnknownKeysDoNothing) {
  EXPECT_FALSE(actionFor(Qt::Key_Y, {}, "y"));
  EXPECT_FALSE(actionFor(Qt::Key_Space, Qt::AltModifier, " "));
}

TEST(RecentFiles, NewestComesFirstAndPositionsSurvive) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("deep/recent.json");
  {
    RecentFiles files(path);
    files.add("file:///a");
    files.add("file:///b");
    files.setPosition("file:///a", 12.5);
    files.add("file:///a");
  }
  const RecentFiles again(path);
  EXPECT_EQ(again.items(), (QStringList{"file:///a", "file:///b"}));
  EXPECT_DOUBLE_EQ(again.position("file:///a"), 12.5);
  EXPECT_DOUBLE_EQ(again.position("file:///unknown"), 0);
}

TEST(RecentFiles, NoMoreThanTwentyAreKept) {
  const QTemporaryDir folder;
  RecentFiles files(folder.filePath("recent.json"));
  for (int i = 0; i < 30; ++i) files.add(QString("file:///%1").arg(i));
  EXPECT_EQ(files.items().size(), 20);
  EXPECT_EQ(files.items().first(), "file:///29");
}

TEST(RecentFiles, DamagedFileIsSetAside) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("recent.json");
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("{ half a");
  file.close();
  const RecentFiles files(path);
  EXPECT_TRUE(files.items().isEmpty());
  EXPECT_TRUE(QFile::exists(path + ".damaged"));
}

TEST(YuvMatrix, BlackWhiteAndRedAreWhatTheStandardsSay) {
  const auto rgb = [](ColorMatrix matrix, bool full, float y, float cb, float cr) {
    const QVector4D result = yuvToRgb(matrix, full) * QVector4D(y / 255, cb / 255, cr / 255, 1);
    return std::array{std::lround(result.x() * 255), std::lround(result.y() * 255),
                      std::lround(result.z() * 255)};
  };
  using Rgb = std::array<long, 3>;
  EXPECT_EQ(rgb(ColorMatrix::Bt709, false, 16, 128, 128), (Rgb{0, 0, 0}));
  EXPECT_EQ(rgb(ColorMatrix::Bt709, false, 235, 128, 128), (Rgb{255, 255, 255}));
  EXPECT_EQ(rgb(ColorMatrix::Bt601, true, 255, 128, 128), (Rgb{255, 255, 255}));
  EXPECT_EQ(rgb(ColorMatrix::Bt601, false, 81, 90, 240), (Rgb{254, 0, -1})) << "the shader clamps";
  const Rgb red709 = rgb(ColorMatrix::Bt709, false, 63, 102, 240);
  EXPECT_NEAR(static_cast<double>(red709[0]), 255, 1.0);
  EXPECT_NEAR(static_cast<double>(red709[1]), 0, 1.0);
  EXPECT_NEAR(static_cast<double>(red709[2]), 0, 1.0);
}

TEST(Letterbox, PictureKeepsItsShape) {
  EXPECT_EQ(letterboxed({1280, 720}, {0, 0, 640, 480}), QRectF(0, 60, 640, 360));
  EXPECT_EQ(letterboxed({720, 1280}, {0, 0, 720, 1280}), QRectF(0, 0, 720, 1280));
  EXPECT_EQ(letterboxed({}, {0, 0, 10, 10}), QRectF(0, 0, 10, 10));
}

TEST(VideoOutput, SoftwareRenderersAreRecognised) {
  EXPECT_TRUE(isSoftwareRenderer("llvmpipe (LLVM 15.0.6, 256 bits)"));
  EXPECT_TRUE(isSoftwareRenderer(""));
  EXPECT_FALSE(isSoftwareRenderer("Mesa Intel(R) UHD Graphics 620"));
}

TEST(PlayerModel, TimesReadAsPeopleWriteThem) {
  EXPECT_EQ(PlayerModel::timeText(0), "00:00");
  EXPECT_EQ(PlayerModel::timeText(75.9), "01:15");
  EXPECT_EQ(PlayerModel::timeText(3671), "1:01:11");
  EXPECT_EQ(PlayerModel::timeText(-5), "00:00");
}

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
  state.nominalRate = 0;
  EXPECT_EQ(pillText(state), "50 % of the pictures");
  state.thinning.keyframesOnly = true;
  EXPECT_EQ(pillText(state), "keyframes only");
  state.thinning = {};
  state.violating = true;
  EXPECT_EQ(pillText(state), "pictures are late");
}

TEST(PriorityMemory, AFilmsTermsAreKeptAndItsKindsOtherwise) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("deep/priorities.json");
  PriorityMemory memory(path);
  EXPECT_FALSE(memory.recall("file:///a"));
  memory.keep("file:///a", {.priority = media::Priority::High, .leastFrequency = 0.75, .cpus = {0, 2}});
  memory.keep("file:///b", {.priority = media::Priority::Background});
  memory.keepForRole("stream", {.priority = media::Priority::Background, .weight = 3});
  const PriorityMemory again(path);
  const auto kept = again.recall("file:///a");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->priority, media::Priority::High);
  EXPECT_EQ(kept->leastFrequency, 0.75);
  EXPECT_EQ(kept->cpus, (std::vector<int>{0, 2}));
  EXPECT_FALSE(kept->weight);
  EXPECT_FALSE(again.recall("file:///c"));
  EXPECT_EQ(again.recall("rtsp://camera/1")->weight, 3);
  memory.keep("file:///a", {});
  EXPECT_EQ(again.recall("file:///a")->priority, media::Priority::Normal);
}

TEST(PriorityMemory, ADamagedFileCountsAsEmpty) {
  const QTemporaryDir folder;
  QFile file(folder.filePath("priorities.json"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(
      R"({"films": [{"uri": "file:///a", "priority": "loud"}, {"uri": "file:///b", "priority": "high", "f_min": 7}, 3]})");
  file.close();
  PriorityMemory memory(file.fileName());
  EXPECT_FALSE(memory.recall("file:///a"));
  EXPECT_FALSE(memory.recall("file:///b"));
  memory.keep("file:///a", {.priority = media::Priority::High});
  EXPECT_TRUE(memory.recall("file:///a"));
}

TEST(GridPlaces, FillTheWindowAndNeverOverlap) {
  for (int count = 1; count <= 60; ++count) {
    for (const int pins : {0, 1, 2}) {
      std::vector<bool> pinned(static_cast<std::size_t>(count), false);
      for (int i = 0; i < std::min(pins, count); ++i)
        pinned[static_cast<std::size_t>(i * (count - 1))] = true;
      const auto places = gridPlaces(pinned, QSizeF(1280, 720));
      ASSERT_EQ(places.size(), pinned.size());
      for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_TRUE(QRectF(0, 0, 1280, 720).contains(places[i])) << count << ' ' << pins << ' ' << i;
        EXPECT_EQ(QRectF(places[i].toRect()), places[i]);
        for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(places[i].intersects(places[j]));
      }
    }
  }
}

TEST(GridPlaces, FourStandTwoByTwoAndAPinnedOneIsLargest) {
  const auto four = gridPlaces({false, false, false, false}, QSizeF(1280, 720));
  EXPECT_EQ(four[3], QRectF(640, 360, 640, 360));
  const auto pinned = gridPlaces({false, true, false}, QSizeF(1280, 720));
  EXPECT_GT(pinned[1].width(), 900);
  EXPECT_LT(pinned[0].width(), 300);
}

TEST(LoadModel, ThresholdsAreObsStudios) {
  EXPECT_EQ(rateHealth(0.96), Health::Good);
  EXPECT_EQ(rateHealth(0.94), Health::Strained);
  EXPECT_EQ(rateHealth(0.79), Health::Bad);
  EXPECT_EQ(lossHealth(0.01), Health::Good);
  EXPECT_EQ(lossHealth(0.02), Health::Strained);
  EXPECT_EQ(lossHealth(0.06), Health::Bad);
}

TEST(WindowModel, ShowsWhoGivesWayAndTheRemedyHelps) {
  int argc = 1;
  char name[] = "models_test";
  char* argv[] = {name, nullptr};
  const QCoreApplication application(argc, argv);
  media::QosEvents events;
  media::LoadGovernor governor({.processors = 1,
                                .busy =
                                    [] {
                                      return media::ProcessorUse{0.6, 0.9};
                                    },
                                .own =
                                    [used = periodic::Duration{0}]() mutable {
                                      return used += std::chrono::milliseconds(150);  // at each look
                                    }},
                               events);
  Stream lecture;
  Stream camera;
  WindowModel high(governor, lecture, {.name = "Lecture", .priority = media::Priority::High});
  WindowModel low(governor, camera, {.name = "Camera", .priority = media::Priority::Background});
  periodic::TimePoint now{};
  const auto overload = [&] {
    for (int i = 0; i < 10; ++i, now += std::chrono::milliseconds(200)) {
      lecture.live(2);
      camera.live(2);
      governor.step(now);
    }
  };
  overload();
  EXPECT_TRUE(QTest::qWaitFor([&] { return low.pill().endsWith("of 30 fps"); }, 5000))
      << low.pill().toStdString();
  EXPECT_TRUE(low.sentence().contains("'Lecture' at High")) << low.sentence().toStdString();
  EXPECT_EQ(lecture.thinning, media::Thinning{});
  EXPECT_EQ(low.remedies().first().toMap()["action"], "high");
  EXPECT_EQ(
      low.choose({{"priority", "background"}, {"least", 0.3}, {"weight", 1.0}, {"cpus", "0, x"}}, false),
      "'x' is no number of a processor.");
  EXPECT_EQ(low.choose({{"priority", "background"}, {"least", 0.3}, {"weight", -1}, {"cpus", ""}}, false),
            "A weight is above 0 and at most 1000, and not -1.");
  EXPECT_EQ(
      low.choose({{"priority", "background"}, {"class", "statistical"}, {"least", 0.3}, {"weight", 1.0}},
                 false),
      "");
  EXPECT_EQ(low.described()["class"], "statistical");
  EXPECT_EQ(low.terms().leastFrequency, 0.3);
  EXPECT_FALSE(low.terms().weight) << "what the priority says anyway is not said again";
  low.remedy("high");
  EXPECT_EQ(low.priority(), "high");
  EXPECT_FALSE(low.terms().leastFrequency);
  low.remedy("others");
  overload();
  EXPECT_EQ(camera.thinning, media::Thinning{});
  EXPECT_LT(lecture.thinning.frequency, 1);
  EXPECT_TRUE(QTest::qWaitFor([&] { return high.priority() == "background"; }, 5000));
  bool closing = false;
  QObject::connect(&low, &WindowModel::closeRequested, &low, [&] { closing = true; });
  low.remedy("close");
  EXPECT_TRUE(closing);

  // One more, that must fit, does not.
  Stream more;
  WindowModel asks(governor, more, {.name = "More", .priority = media::Priority::High},
                   media::LoadGovernor::Entry::Asks);
  for (int i = 0; i < 12; ++i, now += std::chrono::milliseconds(200)) {
    for (auto* stream : {&lecture, &camera, &more}) stream->live(0);
    governor.step(now);
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return !asks.refusal().isEmpty(); }, 5000));
  EXPECT_TRUE(asks.refusal().startsWith("There is no room for 'More'")) << asks.refusal().toStdString();
  EXPECT_TRUE(more.held);
  quint64 closed = 0;
  QObject::connect(&asks, &WindowModel::closeOtherRequested, &asks, [&](quint64 id) { closed = id; });
  const auto offers = asks.offers();
  for (int i = 0; i < offers.size(); ++i)
    if (offers[i] == "Close 'Camera'") asks.accept(i);
  EXPECT_EQ(closed, low.id()) << ::testing::PrintToString(offers.size());
  asks.admitAnyway();
  EXPECT_FALSE(more.held);
  EXPECT_TRUE(asks.refusal().isEmpty());
}

TEST(PlotAxis, MarksAreRoundAndReachBeyondWhatIsSeen) {
  struct Case {
    double low, high;
    std::vector<double> marks;
  };
  for (const Case& each :
       {Case{0, 30, {0, 10, 20, 30}}, Case{0, 54.3, {0, 20, 40, 60}}, Case{-100, 33.3, {-100, -50, 0, 50}},
        Case{0, 1, {0, 0.5, 1}}, Case{-3, 299, {-200, 0, 200, 400}}}) {
    const PlotAxis axis = plotAxis(each.low, each.high);
    std::vector<double> marks;
    for (int i = 0; i <= axis.steps; ++i) marks.push_back(axis.mark(i));
    EXPECT_EQ(marks, each.marks) << each.low << " to " << each.high;
  }
}

TEST(PlotAxis, NothingLiesOutsideAndNothingAtAllIsAnAxisToo) {
  const PlotAxis axis = plotAxis(-100, 30);
  EXPECT_EQ(axis.place(-1200), 0);
  EXPECT_DOUBLE_EQ(axis.place(0), 100.0 / 150);
  EXPECT_EQ(axis.place(80), 1);
  const double none = std::numeric_limits<double>::infinity();
  for (const PlotAxis& empty : {plotAxis(5, 5), plotAxis(none, -none), plotAxis(3, 1)}) {
    EXPECT_GT(empty.high(), empty.low);
    EXPECT_TRUE(std::isfinite(empty.place(5)));
  }
}

}  // namespace
}  // namespace tactus::ui
