// SPDX-License-Identifier: Apache-2.0
#include "conference/attendance.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "conference/local_room_fixture.h"
#include "media/playback/test_films.h"
#include "media/room/participant/call_peer_fixture.h"
#include "media/sharing/load_governor.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using media::testing::comesTrue;

class AttendanceTest : public ::testing::Test {
 protected:
  static media::OutgoingTrack camera() {
    media::OutgoingTrack track = media::OutgoingTrack::video("camera");
    track.width = 320;
    track.height = 240;
    return track;
  }
  std::unique_ptr<Attendance> attend(const std::string& name, std::vector<media::OutgoingTrack> tracks) {
    return attend(name, std::move(tracks), m_link);
  }
  std::unique_ptr<Attendance> attend(const std::string& name, std::vector<media::OutgoingTrack> tracks,
                                     const std::string& link, Attendance::Options options = {}) {
    options.name = name;
    options.tracks = std::move(tracks);
    options.addresses = {"127.0.0.1"};
    options.over = [this](const RoomEnd&) { m_over = true; };
    options.note = [this](const std::string& sentence) {
      const std::lock_guard lock(m_mutex);
      m_notes += sentence + "\n";
    };
    auto made = Attendance::start(link, std::move(options), m_scheduler);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    return made.ok() ? std::move(made).value() : nullptr;
  }
  /// Whether pictures (if there are any) and sound of this participant keep coming.
  static bool receives(Attendance& who, const std::string& from, bool pictures = true) {
    const AttendanceReport report = who.report();
    return std::any_of(report.received.begin(), report.received.end(), [&](const ReceivedStream& each) {
      return each.participant == from && each.present && (!pictures || each.call.pictures.shown.shown > 20) &&
             each.call.sound.played > 1s;
    });
  }

  periodic::KernelTime m_time;
  periodic::TraceLog m_trace;
  const std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler m_scheduler{m_time, *m_gate, m_trace};
  LocalRoom m_room;
  const std::string m_link = m_room.link();
  std::atomic<bool> m_over{false};
  std::mutex m_mutex;
  std::string m_notes;  // of all; guarded by it
};

TEST_F(AttendanceTest, TwoParticipantsSeeAndHearEachOther) {
  const auto ann = attend("Ann", {camera(), media::OutgoingTrack::audio("microphone")});
  const auto bob = attend("Bob", {camera(), media::OutgoingTrack::audio("microphone")});
  ASSERT_TRUE(ann && bob);
  EXPECT_TRUE(comesTrue([&] { return receives(*ann, "Bob") && receives(*bob, "Ann"); }));
  const AttendanceReport report = bob->report();
  EXPECT_EQ(report.phase, RoomPhase::Joined);
  EXPECT_EQ(report.others, 1U);
  EXPECT_EQ(report.sent.tracks.size(), 2U);
  EXPECT_FALSE(report.stages.empty());
}

TEST_F(AttendanceTest, WhoLeavesIsReceivedNoMoreAndItsFiguresStay) {
  auto ann = attend("Ann", {media::OutgoingTrack::audio("microphone")});
  const auto bob = attend("Bob", {});
  ASSERT_TRUE(ann && bob);
  ASSERT_TRUE(comesTrue([&] { return receives(*bob, "Ann", false); }));
  ann.reset();
  ASSERT_TRUE(comesTrue([&] { return bob->report().others == 0 && !bob->report().received.back().present; }));
  EXPECT_GT(bob->report().received.back().call.sound.played, 1s);
  const std::lock_guard lock(m_mutex);
  EXPECT_EQ(m_notes.find("The call was ended here."), std::string::npos) << m_notes;
}

/// The track of Bob's view that Ann sends, of this kind.
std::optional<TrackInfo> trackOfAnn(Attendance& bob, TrackKind kind) {
  for (const ParticipantInfo& other : bob.room().view().others)
    for (const TrackInfo& track : other.tracks)
      if (kindOf(track.description.source) == kind) return track;
  return std::nullopt;
}

TEST_F(AttendanceTest, WhoIsMutedSendsNothingAndAllAreTold) {
  const auto ann = attend("Ann", {camera(), media::OutgoingTrack::audio("microphone")});
  ann->setMuted(media::MediaKind::Audio, true);  // from the beginning
  const auto bob = attend("Bob", {});
  ASSERT_TRUE(ann && bob);
  ASSERT_TRUE(comesTrue([&] {
    const auto track = trackOfAnn(*bob, TrackKind::Audio);
    return track && track->muted;
  }));
  ASSERT_TRUE(comesTrue([&] { return ann->report().sent.state == media::CallState::Live; })) << m_notes;
  const auto silent = ann->report().sent.tracks[1].captured;  // what the offer needs
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(ann->report().sent.tracks[1].captured, silent);
  EXPECT_EQ(ann->loudness(), 0);
  ann->setMuted(media::MediaKind::Audio, false);
  ASSERT_TRUE(comesTrue([&] { return receives(*bob, "Ann") && !trackOfAnn(*bob, TrackKind::Audio)->muted; }));
  EXPECT_GT(ann->loudness(), 0.5);  // a tone of the test's
  EXPECT_TRUE(comesTrue([&] { return !bob->room().view().speakers.empty(); })) << "its level is told";
  // A host may mute, too.
  const auto host = attend("Host", {}, m_room.link(Role::Host));
  ASSERT_TRUE(comesTrue([&] { return host->room().view().others.size() == 2; }));
  host->room().muteParticipant(bob->room().view().others.front().sid, trackOfAnn(*bob, TrackKind::Video)->sid,
                               true);
  EXPECT_TRUE(comesTrue([&] { return ann->muted(media::MediaKind::Video); }));
  EXPECT_TRUE(comesTrue([&] { return ann->report().sent.tracks[0].muted; }));
}

TEST_F(AttendanceTest, WhatIsMutedAndUnmutedAtOnceIsToldAtLast) {
  const auto ann = attend("Ann", {media::OutgoingTrack::audio("microphone")}), bob = attend("Bob", {});
  ASSERT_TRUE(ann && bob);
  ASSERT_TRUE(comesTrue([&] { return trackOfAnn(*bob, TrackKind::Audio).has_value(); }));
  for (const bool muted : {true, false, true, false}) ann->setMuted(media::MediaKind::Audio, muted);
  (void)ann->report();  // by then all is said
  ann->room().say("Done.");
  ASSERT_TRUE(comesTrue([&] { return bob->report().chatLines == 1; }));
  EXPECT_FALSE(trackOfAnn(*bob, TrackKind::Audio)->muted);
  for (const bool muted : {true, false, true}) ann->setMuted(media::MediaKind::Audio, muted);
  EXPECT_TRUE(comesTrue([&] { return trackOfAnn(*bob, TrackKind::Audio)->muted; }));
}

TEST_F(AttendanceTest, PicturesGoWhereTheyAreToBeShown) {
  const auto shown = std::make_shared<media::HeadlessPictures>();
  const auto mirror = std::make_shared<media::HeadlessPictures>();
  Attendance::Options options;
  options.target = [&](const StreamKey&) { return shown; };
  const auto bob = attend("Bob", {}, m_link, options);
  options.target = nullptr;
  options.preview = mirror;
  const auto ann = attend("Ann", {camera()}, m_link, options);
  ASSERT_TRUE(ann && bob);
  EXPECT_TRUE(comesTrue([&] { return shown->figures().stamped > 20; }));
  EXPECT_TRUE(comesTrue([&] { return mirror->figures().shown > 20; }));
  EXPECT_EQ(mirror->figures().stamped, 0u) << "a mirror shows it the other way round";
}

TEST_F(AttendanceTest, WhatIsReceivedGivesWayByTheGovernorButItsSound) {
  periodic::QosEvents events;
  // Whatever the machine can do, it is not enough.
  media::LoadGovernor governor({.processors = 0.001}, events);
  governor.start();
  Attendance::Options governed;
  governed.governor = &governor;
  const auto ann = attend("Ann", {camera(), media::OutgoingTrack::audio("microphone")});
  auto bob = attend("Bob", {}, m_link, governed);
  ASSERT_TRUE(ann && bob);
  const auto window = [&] {
    const AttendanceReport report = bob->report();
    return report.received.empty() ? std::nullopt : report.received.back().window;
  };
  ASSERT_TRUE(comesTrue([&] { return window() && window()->thinning.frequency < 1; }));
  EXPECT_EQ(window()->terms.name, "Ann");
  EXPECT_TRUE(comesTrue([&] { return receives(*bob, "Ann", false); }));
  bob.reset();
  EXPECT_TRUE(governor.windows().empty());
}

TEST_F(AttendanceTest, AScreenIsPublishedBesideTheCameraAndTakenBack) {
  const auto ann = attend("Ann", {camera()});
  const auto bob = attend("Bob", {});
  ASSERT_TRUE(ann && bob);
  const auto receivesStream = [&](StreamName name) {
    for (const ReceivedStream& each : bob->report().received)
      if (each.present && each.name == name && each.pictures.shown > 10) return true;
    return false;
  };
  ASSERT_TRUE(comesTrue([&] { return receivesStream(StreamName::Camera); }));
  media::OutgoingTrack screen = camera();
  screen.cid = "screen";
  ann->publish(StreamName::Screen, {screen});
  EXPECT_TRUE(comesTrue([&] { return receivesStream(StreamName::Screen); }));
  EXPECT_TRUE(receivesStream(StreamName::Camera)) << "it goes on";
  EXPECT_GT(ann->report().screen.tracks.size(), 0u);
  ann->publish(StreamName::Screen, {});
  EXPECT_TRUE(comesTrue([&] { return bob->room().view().others.front().tracks.size() == 1; }));
  EXPECT_TRUE(comesTrue([&] { return !receivesStream(StreamName::Screen); }));
}

TEST_F(AttendanceTest, DevicesChangeInTheMiddleOfACall) {
  const auto ann = attend("Ann", {camera()});
  const auto bob = attend("Bob", {});
  ASSERT_TRUE(ann && bob);
  ASSERT_TRUE(comesTrue([&] { return trackOfAnn(*bob, TrackKind::Video).has_value(); }));
  EXPECT_FALSE(trackOfAnn(*bob, TrackKind::Audio));
  ann->publish(StreamName::Camera, {camera(), media::OutgoingTrack::audio("microphone")});
  EXPECT_TRUE(comesTrue([&] { return receives(*bob, "Ann"); })) << m_notes;
  ann->publish(StreamName::Camera, {media::OutgoingTrack::audio("microphone")});
  EXPECT_TRUE(comesTrue([&] { return !trackOfAnn(*bob, TrackKind::Video); }));
  EXPECT_TRUE(comesTrue([&] { return receives(*bob, "Ann", false); }));
}

TEST_F(AttendanceTest, ADeviceThatDoesNotWorkIsToldAndTheRestGoesOn) {
  media::OutgoingTrack broken = camera();
  broken.source = {media::CaptureSource::Kind::Device, "/dev/video-that-is-not-there"};
  const auto ann = attend("Ann", {broken, media::OutgoingTrack::audio("microphone")});
  const auto bob = attend("Bob", {});
  ASSERT_TRUE(ann && bob);
  EXPECT_TRUE(comesTrue([&] { return receives(*bob, "Ann", false); })) << m_notes;
  EXPECT_TRUE(comesTrue([&] { return !trackOfAnn(*bob, TrackKind::Video); }));
  const std::lock_guard lock(m_mutex);
  EXPECT_NE(m_notes.find("The camera does not work"), std::string::npos) << m_notes;
}

TEST_F(AttendanceTest, AFilmThatHasNoSoundIsSentWithoutIt) {
  media::OutgoingTrack sound = media::OutgoingTrack::audio("microphone");
  const auto film = media::testing::film(
      "without sound.mkv", {"-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=1", "-c:v", "libx264"});
  sound.source = {media::CaptureSource::Kind::File, film.string()};
  const auto ann = attend("Ann", {camera(), sound});
  const auto bob = attend("Bob", {});
  ASSERT_TRUE(ann && bob);
  EXPECT_TRUE(comesTrue([&] {
    const std::lock_guard lock(m_mutex);
    return m_notes.find("has no sound that could be sent") != std::string::npos;
  })) << m_notes;
  EXPECT_TRUE(comesTrue([&] { return !trackOfAnn(*bob, TrackKind::Audio); }));
  EXPECT_TRUE(comesTrue([&] {
    const AttendanceReport report = bob->report();
    return std::any_of(report.received.begin(), report.received.end(), [](const ReceivedStream& each) {
      return each.present && each.call.pictures.shown.shown > 20;
    });
  }));
}

TEST_F(AttendanceTest, TheEndOfTheRoomIsTold) {
  const auto ann = attend("Ann", {});
  ASSERT_TRUE(ann);
  ASSERT_TRUE(comesTrue([&] { return ann->report().phase == RoomPhase::Joined; }));
  m_room.end();
  ASSERT_TRUE(comesTrue([&] { return m_over.load(); }));
  const AttendanceReport report = ann->report();
  ASSERT_TRUE(report.end);
  EXPECT_EQ(report.end->reason, RoomEndReason::RoomEnds);
}

TEST_F(AttendanceTest, WhoShowsPicturesSmallIsSentSmallOnesAndNoLargerAreEncoded) {
  const auto ann = attend("Ann", {media::OutgoingTrack::camera("camera")});
  const auto bob = attend("Bob", {});
  ASSERT_TRUE(ann && bob);
  const auto comesIn = [&](media::PictureSize size) {
    return comesTrue([&] {
      const AttendanceReport report = bob->report();
      return !report.received.empty() && report.received[0].pictures.size == size;
    });
  };
  const auto annSendsLarge = [&] { return !ann->report().sent.tracks[0].paused; };
  ASSERT_TRUE(comesIn({640, 360}));
  const StreamKey camera{bob->room().view().others[0].sid, StreamName::Camera};
  bob->show({{camera, {.place = {300, 200}}}});
  EXPECT_TRUE(comesIn({320, 180}));
  EXPECT_TRUE(comesTrue([&] { return !annSendsLarge(); }));
  EXPECT_FALSE(ann->report().sent.tracks[1].paused);
  bob->show({{camera, {.place = {1280, 720}}}});
  EXPECT_TRUE(comesIn({640, 360}));
  EXPECT_TRUE(annSendsLarge());
  bob->show({{camera, {.visible = false}}});
  EXPECT_TRUE(comesTrue([&] { return ann->report().sent.tracks[1].paused; })) << "nobody wants any";
  bob->show({});
  EXPECT_TRUE(comesTrue([&] { return !ann->report().sent.tracks[1].paused; }));
}

TEST_F(AttendanceTest, AMachineThatIsTooSmallAsksForTheSmallerSizeAndNoLargerOneIsEncoded) {
  media::OutgoingTrack sent = camera();
  sent.inTwoSizes = true;
  const auto ann = attend("Ann", {sent, media::OutgoingTrack::audio("microphone")});
  periodic::QosEvents events;
  media::LoadGovernor governor({.processors = 0.001}, events);
  governor.start();
  {
    const auto bob = attend("Bob", {}, m_link, {.governor = &governor});
    ASSERT_TRUE(ann && bob);
    EXPECT_TRUE(comesTrue([&] {
      const auto tracks = ann->report().sent.tracks;
      return tracks.size() == 3 && tracks[0].paused && !tracks[1].paused;
    }));
  }
  EXPECT_TRUE(governor.windows().empty());
}

}  // namespace
}  // namespace tactus::conference
