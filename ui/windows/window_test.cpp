// SPDX-License-Identifier: Apache-2.0
// The real window on a real display: colours of each output, names of the controls. The first argument
// chooses the output, which is one per process.
#include <gtest/gtest.h>

#include <QAccessible>
#include <QDropEvent>
#include <QGuiApplication>
#include <QImage>
#include <QMimeData>
#include <QQuickItem>
#include <QQuickWindow>
#include <QScreen>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdlib>
#include <set>

#include "app/display_fixture.h"
#include "ui/models/player_model.h"
#include "ui/video/video_tile.h"
#include "ui/windows/application_window.h"

#include "ui/windows/grid_window.h"
#include "ui/windows/load_window.h"

namespace tactus::ui {
namespace {

VideoOutput g_output = VideoOutput::Software;
OutputChoice g_choice;
constexpr int kPatience = 60'000;  // ms

class Window : public ::testing::Test {
 protected:
  void open(const QString& film, bool paused = true) {
    WindowOptions options;
    options.output = g_choice;
    options.playlist = film.isEmpty() ? QStringList() : QStringList{film};
    options.paused = paused;
    options.player.audio = false;
    auto created = ApplicationWindow::create(std::move(options), m_scheduler);
    ASSERT_TRUE(created.ok()) << created.error().message;
    m_window = std::move(created).value();
  }
  QString bars(const char* matrix, const char* range) {
    const QString path = m_folder.filePath(QString("bars-%1-%2.mkv").arg(matrix, range));
    const QString command =
        QString(
            "ffmpeg -v error -y -f lavfi -i smptehdbars=s=1280x720:r=10 -t 1 -vf "
            "scale=in_color_matrix=bt709:in_range=tv:out_color_matrix=%1:out_range=%2:flags=accurate_rnd+"
            "full_chroma_int,format=yuv420p -colorspace %3 -color_range %2 "
            "-color_primaries bt709 -color_trc bt709 -c:v ffv1 %4")
            .arg(matrix, range, QLatin1String(matrix) == QLatin1String("bt601") ? "smpte170m" : "bt709",
                 path);
    return std::system(command.toUtf8().constData()) == 0 ? path : QString();
  }
  /// Waits until the first picture is on the screen.
  bool shown() {
    return QTest::qWaitFor([&] { return m_window->model().player()->statistics().presented > 0; },
                           kPatience) &&
           (QTest::qWait(300), true);
  }

  QTemporaryDir m_folder;
  periodic::KernelTime m_time;
  std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::TraceLog m_trace;
  periodic::Scheduler m_scheduler{m_time, *m_gate, m_trace};
  std::unique_ptr<ApplicationWindow> m_window;
};

TEST_F(Window, BarsHaveTheirColoursWithinThreeLevels) {
  struct Case {
    const char *matrix, *range;
  };
  for (const Case& variant : {Case{"bt709", "tv"}, {"bt709", "pc"}, {"bt601", "tv"}, {"bt601", "pc"}}) {
    const QString film = bars(variant.matrix, variant.range);
    ASSERT_FALSE(film.isEmpty());
    open(film);
    ASSERT_TRUE(shown());
    const QImage image = m_window->window().grabWindow();
    // smptehdbars' upper row: 40 % grey, then 75 % white, yellow, cyan, green, magenta, red, blue.
    const QRgb expected[] = {qRgb(191, 191, 191), qRgb(191, 191, 0), qRgb(0, 191, 191), qRgb(0, 191, 0),
                             qRgb(191, 0, 191),   qRgb(191, 0, 0),   qRgb(0, 0, 191)};
    for (int bar = 0; bar < 7; ++bar) {
      const double x = (160 + (bar + 0.5) * 960.0 / 7) / 1280 * image.width();
      const QRgb seen = image.pixel(static_cast<int>(x), image.height() / 5);
      EXPECT_NEAR(qRed(seen), qRed(expected[bar]), 3) << variant.matrix << variant.range << " bar " << bar;
      EXPECT_NEAR(qGreen(seen), qGreen(expected[bar]), 3)
          << variant.matrix << variant.range << " bar " << bar;
      EXPECT_NEAR(qBlue(seen), qBlue(expected[bar]), 3) << variant.matrix << variant.range << " bar " << bar;
    }
    m_window.reset();
  }
}

TEST_F(Window, ADroppedFileIsOpened) {
  open({});
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&m_window->window(), kPatience));
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(bars("bt709", "tv"))});
  auto& window = m_window->window();
  const QPoint middle(window.width() / 2, window.height() / 2);
  QDragEnterEvent enter(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &enter);
  EXPECT_TRUE(enter.isAccepted());
  QDropEvent drop(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &drop);
  EXPECT_TRUE(shown());
}

TEST_F(Window, PicturesAreConvertedToTheTilesSizeAfterAResize) {
  open(bars("bt709", "tv"), false);
  ASSERT_TRUE(shown());
  auto& window = m_window->window();
  for (const QSize size : {QSize(640, 400), QSize(333, 777), QSize(1000, 300)}) {
    window.resize(size);
    m_window->model().setLoop(true);
    // Letterboxed: 16 to 9 in the middle, black around.
    const double width = std::min<double>(size.width(), size.height() * 16.0 / 9);
    const double height = width * 9 / 16;
    const QPoint yellow(
        static_cast<int>(size.width() / 2.0 - width / 2 + width * (160 + 1.5 * 960 / 7) / 1280),
        static_cast<int>(size.height() / 2.0 - height / 2 + height / 5));
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
          const QImage image = window.grabWindow();
          if (image.size() != size) return false;
          const QRgb seen = image.pixel(yellow);
          return std::abs(qRed(seen) - 191) <= 6 && std::abs(qGreen(seen) - 191) <= 6 && qBlue(seen) <= 6;
        },
        kPatience))
        << size.width() << " x " << size.height();
  }
}

/// Where the pixels are taken: from the screen itself, or from the scene graph, which is made to draw.
QRgb yellowOf(const QImage& image) {
  return image.pixel(static_cast<int>((160 + 1.5 * 960 / 7) / 1280 * image.width()), image.height() / 5);
}

TEST_F(Window, PicturesGoStraightToTheScreenWhileNothingLiesOverThem) {
  if (g_output != VideoOutput::Software) GTEST_SKIP() << "the scene graph has a GPU";
  open(bars("bt709", "tv"), false);
  ASSERT_TRUE(shown());
  m_window->model().setLoop(true);
  auto& tile = m_window->viewer().tile();
  ASSERT_TRUE(QTest::qWaitFor([&] { return tile.straight(); }, kPatience)) << "the controls stay";
  auto& window = m_window->window();
  int frames = 0;
  QObject::connect(&window, &QQuickWindow::frameSwapped, &window, [&] { ++frames; });
  const auto before = m_window->model().player()->statistics().presented;
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return m_window->model().player()->statistics().presented >= before + 8; }, kPatience));
  EXPECT_LE(frames, 2) << "the scene graph draws what it need not";
  const QImage screen = window.screen()->grabWindow(window.winId()).toImage();
  EXPECT_NEAR(qRed(yellowOf(screen)), 191, 3);
  EXPECT_NEAR(qBlue(yellowOf(screen)), 0, 3);
  // The scene graph, asked for a picture, has the newest.
  const QImage drawn = window.grabWindow();
  EXPECT_NEAR(qRed(yellowOf(drawn)), 191, 3);
  // What lies over it is seen again, and the picture beside it.
  QTest::keyClick(&window, Qt::Key_I);
  EXPECT_FALSE(tile.straight());
  QTest::qWait(300);
  EXPECT_FALSE(tile.straight());
  EXPECT_EQ(window.grabWindow().size(), window.screen()->grabWindow(window.winId()).size());
}

TEST_F(Window, TheGridShowsAllAndLetsThemGo) {
  WindowOptions options;
  options.output = g_choice;
  options.size = QSize(800, 450);
  auto created = GridWindow::create(options, m_scheduler);
  ASSERT_TRUE(created.ok()) << created.error().message;
  auto& grid = *created.value();
  const QString film = bars("bt709", "tv");
  for (int i = 0; i < 4; ++i) {
    FilmOptions each;
    each.output = g_choice;
    each.playlist = {film};
    each.loop = true;
    each.player.audio = false;
    auto viewer = Viewer::create(each, m_scheduler);
    ASSERT_TRUE(viewer.ok());
    ASSERT_TRUE(grid.add(std::move(viewer).value()).ok());
  }
  const auto all = [&](const std::function<bool(Viewer&)>& holds) {
    for (std::size_t i = 0; i < grid.size(); ++i)
      if (!holds(grid.viewer(i))) return false;
    return true;
  };
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return all([](Viewer& viewer) { return viewer.model().player()->statistics().presented > 3; }); },
      kPatience));
  QTest::qWait(300);
  QImage image = grid.window().grabWindow();
  for (const QPoint corner : {QPoint(0, 0), QPoint(400, 0), QPoint(0, 225), QPoint(400, 225)}) {
    const QRgb yellow = yellowOf(image.copy(QRect(corner, QSize(400, 225))));
    EXPECT_NEAR(qRed(yellow), 191, 6) << corner.x() << ' ' << corner.y();
    EXPECT_NEAR(qBlue(yellow), 0, 6) << corner.x() << ' ' << corner.y();
  }
  // Large is the place: who is dropped there is large, and the other is not.
  auto* first = &grid.viewer(0);
  auto* last = &grid.viewer(3);
  grid.cell(0).togglePin();
  EXPECT_GT(first->tile().width(), 500);
  grid.cell(3).dropped(100, 100);
  EXPECT_GT(last->tile().width(), 500);
  EXPECT_LT(first->tile().width(), 300);
  EXPECT_EQ(&grid.viewer(0), last);
  // The one with the focus is heard.
  grid.cell(1).focused();
  EXPECT_FALSE(grid.viewer(1).model().muted());
  EXPECT_TRUE(last->model().muted());
  // Out of the grid and on in a window of its own.
  auto released = grid.release(*last);
  ASSERT_TRUE(released);
  EXPECT_EQ(grid.size(), 3u);
  auto alone = ApplicationWindow::create(options, std::move(released), m_scheduler);
  ASSERT_TRUE(alone.ok()) << alone.error().message;
  const auto presented = last->model().player()->statistics().presented;
  EXPECT_TRUE(QTest::qWaitFor([&] { return last->model().player()->statistics().presented > presented + 5; },
                              kPatience));
  image = alone.value()->window().grabWindow();
  EXPECT_NEAR(qRed(yellowOf(image)), 191, 6);
  EXPECT_FALSE(last->model().muted());
}

TEST_F(Window, TheLoadWindowTellsEveryFilmAndTask) {
  open(bars("bt709", "tv"), false);
  m_window->model().setLoop(true);
  ASSERT_TRUE(shown());
  periodic::QosEvents events;
  const auto films = [&] { return std::vector{m_window->viewer().load()}; };
  LoadModel model(m_scheduler, events, films);
  model.setWatched(true);
  ASSERT_TRUE(QTest::qWaitFor([&] { return model.films().first().toMap()["cpu"].toString().endsWith('%'); },
                              kPatience));
  EXPECT_EQ(model.films().first().toMap()["name"], m_window->model().title());
  EXPECT_TRUE(model.films().first().toMap()["memory"].toString().endsWith(" MB"));
  const auto tasks = model.tasks();
  EXPECT_TRUE(std::any_of(tasks.begin(), tasks.end(), [](const QVariant& task) {
    return task.toMap()["name"].toString().startsWith("video decode");
  }));
  periodic::QosEvent event;
  event.sentence = "'A' gave way.";
  events.publish(event);
  EXPECT_TRUE(QTest::qWaitFor([&] { return model.history().size() == 1; }, kPatience));
  EXPECT_TRUE(model.history().first().endsWith("'A' gave way."));

  LoadWindow load(m_scheduler, events, films);
  ASSERT_TRUE(load.toggle());
  // What it draws is more than its background.
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        const QImage image = load.window()->grabWindow();
        std::set<QRgb> colours;
        for (int y = 0; y < image.height(); ++y)
          for (int x = 0; x < image.width(); ++x) colours.insert(image.pixel(x, y));
        return colours.size() > 20;
      },
      kPatience));
  EXPECT_TRUE(load.toggle());
  EXPECT_FALSE(load.window()->isVisible());
}

/// The visible controls: how many there are, and the types of those without a name.
int collectNameless(QQuickItem* item, QStringList& nameless) {
  const QString type = item->metaObject()->className();
  const bool control = item->inherits("QQuickAbstractButton") || item->inherits("QQuickSlider") ||
                       item->inherits("QQuickTextField");
  const bool counts = control && item->isVisible();
  if (counts) {
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(item);
    if (face == nullptr || face->text(QAccessible::Name).isEmpty()) nameless.append(type);
  }
  int controls = counts ? 1 : 0;
  for (auto* child : item->childItems()) controls += collectNameless(child, nameless);
  return controls;
}

TEST_F(Window, EveryControlHasAName) {
  open({});
  QAccessible::setActive(true);
  QStringList nameless;
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        nameless.clear();
        return collectNameless(m_window->window().contentItem(), nameless) >= 10;
      },
      kPatience))
      << "there are fewer controls than a player has";
  EXPECT_TRUE(nameless.isEmpty()) << nameless.join(", ").toStdString();
}

TEST_F(Window, KeysReachThePlayer) {
  open(bars("bt709", "tv"));
  ASSERT_TRUE(shown());
  auto& model = m_window->model();
  QTest::keyClick(&m_window->window(), Qt::Key_I);
  EXPECT_TRUE(model.statsVisible());
  EXPECT_TRUE(QTest::qWaitFor([&] { return model.stats().contains("kernel class"); }, kPatience));
  QTest::keyClick(&m_window->window(), Qt::Key_M);
  EXPECT_TRUE(model.muted());
  QTest::keyClick(&m_window->window(), ']');
  EXPECT_DOUBLE_EQ(model.speed(), 1.1);
  QTest::keyClick(&m_window->window(), Qt::Key_Backspace);
  EXPECT_DOUBLE_EQ(model.speed(), 1.0);
  QTest::keyClick(&m_window->window(), Qt::Key_Space);
  EXPECT_TRUE(QTest::qWaitFor([&] { return model.playing() || model.state() == "ended"; }, kPatience));
}

TEST_F(Window, KeysReachThePlayerOnceAMenuIsClosed) {
  open(bars("bt709", "tv"));
  ASSERT_TRUE(shown());
  auto& window = m_window->window();
  window.requestActivate();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window, kPatience));
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.activeFocusItem() != nullptr; }, kPatience));
  const auto* film = window.activeFocusItem();
  QTest::mouseClick(&window, Qt::RightButton, Qt::NoModifier,
                    QPoint(window.width() / 2, window.height() / 3));
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return window.activeFocusItem() != nullptr && window.activeFocusItem() != film; }, kPatience))
      << "no menu opens";
  QTest::keyClick(&window, Qt::Key_Escape);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.activeFocusItem() == film; }, kPatience));
  QTest::keyClick(&window, Qt::Key_I);
  EXPECT_TRUE(m_window->model().statsVisible());
}

TEST_F(Window, MissingFileIsSaidInTheBanner) {
  open("/nowhere/film.mp4");
  EXPECT_EQ(m_window->model().error(), "There is no file '/nowhere/film.mp4'.");
  QTest::qWait(100);
  m_window->model().dismissError();
  EXPECT_TRUE(m_window->model().error().isEmpty());
}

}  // namespace
}  // namespace tactus::ui

int main(int argc, char** argv) {
  return tactus::app::testing::runOnDisplay(argc, argv, tactus::ui::g_output, tactus::ui::g_choice);
}
