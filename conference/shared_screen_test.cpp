// SPDX-License-Identifier: Apache-2.0
// A screen that a desktop lends, in a room.
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "conference/attendance.h"
#include "conference/local_room_fixture.h"
#include "media/capture/portal_screen.h"
#include "media/capture/wayland_desktop_fixture.h"
#include "media/room/participant/call_peer_fixture.h"

namespace tactus::conference {
namespace {

using media::testing::comesTrue;
using media::testing::WaylandDesktop;

class SharedScreenTest : public ::testing::Test {
 protected:
  std::unique_ptr<Attendance> attend(const std::string& name, std::vector<media::OutgoingTrack> tracks) {
    Attendance::Options options;
    options.name = name;
    options.tracks = std::move(tracks);
    options.addresses = {"127.0.0.1"};
    options.note = [this](const std::string& sentence) {
      const std::lock_guard lock(m_mutex);
      m_notes.push_back(sentence);
    };
    auto made = Attendance::start(m_room.link(), std::move(options), m_scheduler);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    return made.ok() ? std::move(made).value() : nullptr;
  }
  /// Pictures that `who` has seen of the stream that comes now.
  static std::uint64_t seen(Attendance& who, StreamName name) {
    for (const ReceivedStream& each : who.report().received)
      if (each.present && each.name == name) return each.pictures.shown;
    return 0;
  }
  std::vector<std::string> notes() {
    const std::lock_guard lock(m_mutex);
    return m_notes;
  }

  periodic::KernelTime m_time;
  periodic::TraceLog m_trace;
  const std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler m_scheduler{m_time, *m_gate, m_trace};
  LocalRoom m_room;
  std::mutex m_mutex;
  std::vector<std::string> m_notes;  // guarded by it
};

TEST_F(SharedScreenTest, ADesktopThatTakesItBackEndsItWithOneSentenceAndTheCallGoesOn) {
  WaylandDesktop desktop(WaylandDesktop::Extent::Whole);
  auto screen = media::PortalScreen::ask({.bus = desktop.bus()});
  ASSERT_TRUE(comesTrue([&] { return screen->state() == media::PortalScreen::State::Lent; }));
  media::OutgoingTrack camera = media::OutgoingTrack::video("camera");
  camera.width = 320;
  camera.height = 180;
  const auto ann = attend("Ann", {camera});
  const auto bob = attend("Bob", {});
  ASSERT_TRUE(ann && bob);
  ASSERT_TRUE(comesTrue([&] { return seen(*bob, StreamName::Camera) > 10; }));
  ann->publish(
      StreamName::Screen,
      {media::OutgoingTrack::screen("screen", {.kind = media::CaptureSource::Kind::Screen, .lent = screen})});
  screen.reset();  // what is published holds it
  ASSERT_TRUE(desktop.showUntil(1, [&] { return seen(*bob, StreamName::Screen) > 10; }));
  const std::size_t told = notes().size();
  desktop.killPortal();
  EXPECT_TRUE(comesTrue([&] { return bob->room().view().others.front().tracks.size() == 1; }));
  const auto before = seen(*bob, StreamName::Camera);
  EXPECT_TRUE(comesTrue([&] { return seen(*bob, StreamName::Camera) > before + 10; })) << "it goes on";
  const auto after = notes();
  ASSERT_EQ(after.size(), told + 1) << after.back();
  EXPECT_EQ(after.back(), "What is sent has ended: The desktop does not share the screen any more.");
}

}  // namespace
}  // namespace tactus::conference
