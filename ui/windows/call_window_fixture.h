// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <QQuickItem>
#include <QQuickWindow>
#include <QTest>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conference/local_room_fixture.h"
#include "ui/video/video_tile.h"
#include "ui/windows/call_cell.h"
#include "ui/windows/call_window.h"

namespace tactus::ui {

inline VideoOutput g_output = VideoOutput::Software;
inline OutputChoice g_choice;
constexpr int kPatience = 60'000;  // ms

/// A call in a real window, in a room of this process.
class Call : public ::testing::Test {
 protected:
  static conference::Attendance::Options stay(const std::string& name,
                                              std::vector<media::OutgoingTrack> tracks) {
    conference::Attendance::Options options;
    options.name = name;
    options.tracks = std::move(tracks);
    options.addresses = {"127.0.0.1"};
    return options;
  }
  static std::vector<media::OutgoingTrack> both() {
    media::OutgoingTrack camera = media::OutgoingTrack::video("camera");
    camera.width = 320;
    camera.height = 180;
    return {camera, media::OutgoingTrack::audio("microphone")};
  }
  std::unique_ptr<conference::Attendance> attend(const std::string& name,
                                                 std::vector<media::OutgoingTrack> tracks = both(),
                                                 conference::Role role = conference::Role::Guest) {
    auto started =
        conference::Attendance::start(m_room.link(role), stay(name, std::move(tracks)), m_scheduler);
    EXPECT_TRUE(started.ok()) << (started.ok() ? "" : started.error().message);
    return started.ok() ? std::move(started).value() : nullptr;
  }
  void open(std::vector<media::OutgoingTrack> tracks = both()) {
    CallWindow::Options options;
    options.output = g_choice;
    options.call.link = m_room.link(conference::Role::Host);
    options.call.attendance = stay("Ann Lee", std::move(tracks));
    options.call.attendance.governor = m_governor;
    options.call.films = m_films;
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
  static std::optional<conference::TrackInfo> trackSeenBy(conference::Attendance& who,
                                                          conference::TrackKind kind) {
    const auto view = who.room().view();
    if (view.others.size() != 1) return std::nullopt;
    for (const conference::TrackInfo& track : view.others.front().tracks)
      if (conference::kindOf(track.description.source) == kind) return track;
    return std::nullopt;
  }
  bool heardAsMuted(conference::Attendance& who, conference::TrackKind kind, bool muted) {
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
  std::function<std::vector<CallModel::Film>()> m_films;
  std::unique_ptr<CallWindow> m_window;
};

}  // namespace tactus::ui
