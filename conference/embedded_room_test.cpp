// SPDX-License-Identifier: Apache-2.0
#include "conference/embedded_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "conference/door/door.h"
#include "conference/hosted_room_place.h"
#include "conference/room/room_suite.h"

namespace tactus::conference {
namespace testing {
namespace {

std::unique_ptr<RoomPlace> makePlace() {
  return std::make_unique<HostedRoomPlace>();
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Embedded, RoomSuite, ::testing::Values(&makePlace));

}  // namespace testing

namespace {

using namespace std::chrono_literals;
using testing::HostedRoomPlace;
using testing::RoomWatcher;
using Told = RoomWatcher::Told;

/// Comes back soon, and does not give up while a test lasts.
constexpr RoomPatience kPatient{200ms, 60s, 20ms, 100ms, 60s};
/// Takes the host for gone soon.
constexpr RoomPatience kImpatient{500ms, 5s, 20ms, 100ms, 500ms, 10s};

/// A server that has the door, and answers each message with one text, if any.
class OddServer : private DoorListener {
 public:
  explicit OddServer(std::string answer) : m_answer(std::move(answer)) {
    m_door = Door::open({"127.0.0.1", 0, {}}, m_certificate, *this, {}).value();
  }
  [[nodiscard]] std::string link() const {
    return "https://127.0.0.1:" + std::to_string(m_door->port()) + "/r/" + std::string(32, 'T') +
           "#sha256=" + m_certificate.fingerprint();
  }

  /// Requests that it was shown.
  [[nodiscard]] int requests() const { return m_requests.load(); }

 private:
  [[nodiscard]] bool admits(std::string_view) override { return ++m_requests > 0; }
  void opened(ConnectionId, const std::string&, const std::string&) override {}
  void received(ConnectionId connection, std::string_view) override {
    if (!m_answer.empty()) m_door->send(connection, m_answer);
  }
  void closed(ConnectionId) override {}

  const Certificate m_certificate = Certificate::make({}).value();
  const std::string m_answer;
  std::atomic<int> m_requests{0};
  std::unique_ptr<Door> m_door;
};

std::optional<RoomEnd> endOf(const std::string& link) {
  RoomWatcher watcher;
  const auto room = EmbeddedRoom::create(link, watcher);
  EXPECT_TRUE(room.ok()) << link;
  room.value()->join("Ann");
  return watcher.waitEnd();
}
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(EmbeddedRoom, ALinkWithoutFingerprintIsNone) {
  const HostedRoomPlace place;
  RoomWatcher watcher;
  const std::string link = place.link(Role::Guest);
  const auto room = EmbeddedRoom::create(link.substr(0, link.find('#')), watcher);
  ASSERT_FALSE(room.ok());
  EXPECT_EQ(room.error().code, ErrorCode::InvalidArgument);
  EXPECT_FALSE(EmbeddedRoom::create("https://", watcher).ok());
  EXPECT_FALSE(EmbeddedRoom::create("", watcher).ok());
}

TEST(EmbeddedRoom, AnotherFingerprintIsAnImpostorsAndNothingIsSaidToIt) {
  const OddServer impostor("");
  const OddServer meant("");
  const std::string fingerprint = impostor.link().substr(impostor.link().find('#'));
  const auto end = endOf(replaced(impostor.link(), fingerprint, meant.link().substr(meant.link().find('#'))));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::Impostor);
  EXPECT_NE(end->sentence.find("fingerprint"), std::string::npos) << end->sentence;
  EXPECT_EQ(impostor.requests(), 0);
}

TEST(EmbeddedRoom, AWrongTokenLeadsToNoRoom) {
  const HostedRoomPlace place;
  const std::string link = place.link(Role::Guest);
  const std::size_t token = link.find("/r/") + 3;
  std::string wrong = link;
  wrong[token] = wrong[token] == 'A' ? 'B' : 'A';
  const auto end = endOf(wrong);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::NotFound);
  EXPECT_NE(end->sentence.find("invitation"), std::string::npos) << end->sentence;
}

TEST(EmbeddedRoom, ARevokedInvitationLeadsToNoRoom) {
  HostedRoomPlace place;
  const std::string link = place.link(Role::Guest);
  RoomWatcher watcher;
  const auto host = place.participant(Role::Host, watcher);
  host->join("Ann");
  ASSERT_TRUE(watcher.waitJoined());
  host->listInvitations();
  ASSERT_TRUE(watcher.wait([](const Told& told) { return told.invitations.has_value(); }));
  const Told before = watcher.told();
  for (const InvitationInfo& each : *before.invitations)
    if (each.role == Role::Guest) host->revoke(each.sid);
  ASSERT_TRUE(watcher.wait([](const Told& told) { return told.invitations->size() == 1; }));
  const auto end = endOf(link);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::NotFound);
}

TEST(EmbeddedRoom, WhereNobodyListensNobodyIsReached) {
  std::string link;
  {
    const HostedRoomPlace place;
    link = place.link(Role::Guest);
  }
  const auto end = endOf(link);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::Unreachable);
  EXPECT_NE(end->sentence.find("127.0.0.1:"), std::string::npos) << end->sentence;
}

/// Two in a room that can be disturbed.
class EmbeddedRoomStay : public ::testing::Test {
 protected:
  void SetUp() override {
    m_ann = EmbeddedRoom::create(m_place.link(Role::Host), m_annHears, kPatient).value();
    m_ben = EmbeddedRoom::create(m_place.link(Role::Guest), m_benHears, kPatient).value();
    m_ann->join("Ann");
    ASSERT_TRUE(m_annHears.waitJoined());
    m_ben->join("Ben");
    ASSERT_TRUE(m_benHears.waitJoined());
  }

  void join(std::unique_ptr<EmbeddedRoom>& cleo, const RoomPatience& patience) {
    cleo = EmbeddedRoom::create(m_place.link(Role::Guest), m_cleoHears, patience).value();
    cleo->join("Cleo");
    ASSERT_TRUE(m_cleoHears.waitJoined());
  }

  HostedRoomPlace m_place;
  RoomWatcher m_annHears, m_benHears, m_cleoHears;
  std::unique_ptr<EmbeddedRoom> m_ann, m_ben, m_cleo;
};

TEST_F(EmbeddedRoomStay, ABrokenConnectionIsMadeAnewAndTheStayGoesOn) {
  m_ben->publish("c", {TrackSource::Camera}, false);
  m_ben->raiseHand(true);
  ASSERT_TRUE(m_benHears.wait([](const Told& told) { return !told.changed.empty(); }));
  const RoomView before = m_ben->view();
  const auto session = m_ben->session();
  m_place.network().cut();
  for (RoomWatcher* const each : {&m_annHears, &m_benHears}) {
    ASSERT_TRUE(each->wait([](const Told& told) { return told.joined.size() == 2; }));
    EXPECT_EQ(each->told().phases, (std::vector<RoomPhase>{RoomPhase::Joining, RoomPhase::Joined,
                                                           RoomPhase::Reconnecting, RoomPhase::Joined}));
  }
  EXPECT_EQ(m_benHears.told().joined[1].you, before.you);
  EXPECT_EQ(m_ben->session(), session);
  m_ann->say("still here");
  EXPECT_TRUE(m_benHears.wait([](const Told& told) { return told.chat.size() == 1; }));
  EXPECT_TRUE(m_annHears.told().left.empty());
}

TEST_F(EmbeddedRoomStay, APublisherThatComesBackIsToldAnewHowItsPicturesAreWanted) {
  m_ben->publish("c", {TrackSource::Camera}, false);
  ASSERT_TRUE(m_annHears.wait([](const Told& told) { return told.published.size() == 1; }));
  const TrackSid camera = m_annHears.told().published[0].sid;
  m_ann->set(camera, {true, 320, 180, {}, TrackPriority::Normal});
  ASSERT_TRUE(m_benHears.wait([](const Told& told) { return told.wanted.size() == 1; }));
  m_place.network().cut();
  ASSERT_TRUE(m_benHears.wait([](const Told& told) { return told.wanted.size() == 2; }));
  const Told told = m_benHears.told();
  EXPECT_EQ(told.joined.size(), 2U);
  EXPECT_EQ(told.wanted[1], std::pair(camera, TrackWanted{true, 320, 180}));
  EXPECT_EQ(told.wanted[0], told.wanted[1]);
}

TEST_F(EmbeddedRoomStay, AReceiverIsToldHowPicturesReachItAndAnewOnceItIsBack) {
  m_ben->publish("c", {TrackSource::Camera}, false);
  ASSERT_TRUE(m_annHears.wait([](const Told& told) { return told.published.size() == 1; }));
  const TrackSid camera = m_annHears.told().published[0].sid;
  ASSERT_TRUE(m_benHears.wait([](const Told& told) { return told.cids.size() == 1; }));
  const TrackDelivery fewer{DeliveredPictures::Fewer, DeliveryLimit::SenderLine, 300, 0.2};
  const std::vector<PictureDelivery> all{
      {m_ann->view().you.sid, m_ben->view().you.sid, TrackSource::Camera, fewer}};
  m_place.host().post([all](HostedRoom& room) { room.deliver(all); });
  ASSERT_TRUE(m_annHears.wait([](const Told& told) { return told.delivered.size() == 1; }));
  m_place.network().cut();
  ASSERT_TRUE(m_annHears.wait([](const Told& told) { return told.joined.size() == 2; }));
  m_place.host().post([all](HostedRoom& room) { room.deliver(all); });
  ASSERT_TRUE(m_annHears.wait([](const Told& told) { return told.delivered.size() == 2; }));
  for (const auto& each : m_annHears.told().delivered) EXPECT_EQ(each, std::pair(camera, fewer));
  EXPECT_TRUE(m_benHears.told().delivered.empty());
}

TEST_F(EmbeddedRoomStay, AHostThatIsGoneEndsTheStayWhenPatienceEnds) {
  join(m_cleo, kImpatient);
  m_place.network().close();
  const auto end = m_cleoHears.waitEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::RoomEnds);
  EXPECT_TRUE(end->sentence.starts_with("The host of the room is gone.")) << end->sentence;
  EXPECT_EQ(m_cleoHears.told().phases.back(), RoomPhase::Reconnecting);
}

TEST_F(EmbeddedRoomStay, ANetworkThatPassesNothingOnIsNoticed) {
  join(m_cleo, kImpatient);
  m_place.network().freeze();
  const auto end = m_cleoHears.waitEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::RoomEnds);
  EXPECT_EQ(m_cleoHears.told().phases.back(), RoomPhase::Reconnecting);
}

TEST_F(EmbeddedRoomStay, WhoLeavesWithoutAConnectionHasLeftAtOnce) {
  m_place.network().close();
  ASSERT_TRUE(
      m_benHears.wait([](const Told& told) { return told.phases.back() == RoomPhase::Reconnecting; }));
  m_ben->leave();
  const auto end = m_benHears.waitEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::Left);
}

TEST_F(EmbeddedRoomStay, ARoomThatEndsSaysWhy) {
  m_place.end();
  const auto end = m_benHears.waitEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::RoomEnds);
  EXPECT_EQ(end->sentence, "The host has closed the room.");
}

TEST_F(EmbeddedRoomStay, WhatIsAskedForWithoutAConnectionFails) {
  m_place.network().close();
  ASSERT_TRUE(
      m_benHears.wait([](const Told& told) { return told.phases.back() == RoomPhase::Reconnecting; }));
  m_ben->publish("late", {TrackSource::Camera}, false);
  ASSERT_TRUE(m_benHears.wait([](const Told& told) { return !told.faults.empty(); }));
  EXPECT_EQ(m_benHears.told().faults[0].cid, "late");
}

TEST_F(EmbeddedRoomStay, ManyRequestsAtOnceAreNoFlood) {
  for (int i = 0; i < 120; ++i) m_ben->raiseHand(i % 2 == 0);
  m_ben->say("done");
  ASSERT_TRUE(m_annHears.wait([](const Told& told) { return told.chat.size() == 1; }));
  EXPECT_EQ(m_annHears.told().changed.size(), 120U);
  EXPECT_EQ(m_ben->phase(), RoomPhase::Joined);
}

TEST_F(EmbeddedRoomStay, AFloodOfOneDisturbsNobodyElse) {
  for (int i = 0; i < 2000; ++i) m_ben->say("flood");
  m_ann->say("calm");
  EXPECT_TRUE(m_annHears.wait([](const Told& told) {
    return std::any_of(told.chat.begin(), told.chat.end(),
                       [](const ChatLine& line) { return line.text == "calm"; });
  }));
  EXPECT_EQ(m_ann->phase(), RoomPhase::Joined);
}

TEST(EmbeddedRoom, AHostThatLiesIsLeft) {
  for (const char* const answer : {R"({"type":"joined"})", "{", R"({"type":"speakers","speakers":7})"}) {
    const OddServer server(answer);
    const auto end = endOf(server.link());
    ASSERT_TRUE(end);
    EXPECT_EQ(end->reason, RoomEndReason::Unsupported) << answer;
  }
}

TEST(EmbeddedRoom, AHostThatSaysNothingIsGone) {
  const OddServer server("");
  RoomWatcher watcher;
  const auto room = EmbeddedRoom::create(server.link(), watcher, {50ms, 200ms, 20ms, 100ms, 500ms}).value();
  room->join("Ann");
  const auto end = watcher.waitEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::Unreachable);
  EXPECT_EQ(end->sentence, "The host says nothing any more.");
}

TEST(EmbeddedRoom, MessagesOfALaterVersionArePassedOver) {
  const OddServer server(R"({"type":"dance"})");
  RoomWatcher watcher;
  const auto room = EmbeddedRoom::create(server.link(), watcher).value();
  room->join("Ann");
  room->leave();
  const auto end = watcher.waitEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::Left);
}

TEST(EmbeddedRoom, IsDestroyedInAnyPhase) {
  HostedRoomPlace place;
  for (int i = 0; i < 20; ++i) {
    RoomWatcher watcher;
    const auto room = EmbeddedRoom::create(place.link(Role::Guest), watcher).value();
    if (i > 0) room->join("Ann");
    const bool reached = i % 3 == 0   ? true
                         : i % 3 == 1 ? watcher.wait([](const Told& told) { return !told.phases.empty(); })
                                      : watcher.waitJoined();
    EXPECT_TRUE(reached) << i;
  }
}

}  // namespace
}  // namespace tactus::conference
