// SPDX-License-Identifier: Apache-2.0
#include "conference/attendance.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>

#include "conference/room_host.h"
#include "media/room/participant/call_peer_fixture.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using media::testing::comesTrue;

/// A room on the loopback device, with its media.
class AttendanceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto certificate = Certificate::make({"127.0.0.1"});
    ASSERT_TRUE(certificate.ok()) << certificate.error().message;
    auto media = RoomMedia::start({.addresses = {"127.0.0.1"}});
    ASSERT_TRUE(media.ok()) << media.error().message;
    RoomHost::Options options;
    options.door.address = "127.0.0.1";
    options.linkHost = "127.0.0.1";
    auto host = RoomHost::start(std::move(options), certificate.value(), {}, {}, std::move(media).value());
    ASSERT_TRUE(host.ok()) << host.error().message;
    m_host = std::move(host).value();
    const auto invitation = m_host->invite(Role::Guest);
    ASSERT_TRUE(invitation.ok()) << invitation.error().message;
    m_link = invitation.value().link;
  }

  static media::OutgoingTrack camera() {
    media::OutgoingTrack track = media::OutgoingTrack::video("camera");
    track.width = 320;
    track.height = 240;
    return track;
  }
  std::unique_ptr<Attendance> attend(const std::string& name, std::vector<media::OutgoingTrack> tracks,
                                     media::LoadGovernor* governor = nullptr) {
    Attendance::Options options;
    options.governor = governor;
    options.name = name;
    options.tracks = std::move(tracks);
    options.addresses = {"127.0.0.1"};
    options.over = [this] { m_over = true; };
    options.note = [this](const std::string& sentence) {
      const std::lock_guard lock(m_mutex);
      m_notes += sentence + "\n";
    };
    auto made = Attendance::start(m_link, std::move(options), m_scheduler);
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
  std::unique_ptr<RoomHost> m_host;
  std::string m_link;
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

TEST_F(AttendanceTest, WhatIsReceivedGivesWayByTheGovernorButItsSound) {
  periodic::QosEvents events;
  // Whatever the machine can do, it is not enough.
  media::LoadGovernor governor({.processors = 0.001}, events);
  governor.start();
  const auto ann = attend("Ann", {camera(), media::OutgoingTrack::audio("microphone")});
  auto bob = attend("Bob", {}, &governor);
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

TEST_F(AttendanceTest, TheEndOfTheRoomIsTold) {
  const auto ann = attend("Ann", {});
  ASSERT_TRUE(ann);
  ASSERT_TRUE(comesTrue([&] { return ann->report().phase == RoomPhase::Joined; }));
  m_host.reset();
  ASSERT_TRUE(comesTrue([&] { return m_over.load(); }));
  const AttendanceReport report = ann->report();
  ASSERT_TRUE(report.end);
  EXPECT_EQ(report.end->reason, RoomEndReason::RoomEnds);
}

}  // namespace
}  // namespace tactus::conference
