// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: what every implementation of Room does. A test program includes this once, and instantiates
// RoomSuite with a function that makes a place with a room in it:
//
//   INSTANTIATE_TEST_SUITE_P(Embedded, RoomSuite, ::testing::Values(&makePlace));

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conference/room/room.h"
#include "conference/room/room_place.h"
#include "conference/room/room_watcher.h"

namespace tactus::conference::testing {

using MakePlace = std::unique_ptr<RoomPlace> (*)();

class RoomSuite : public ::testing::TestWithParam<MakePlace> {
 protected:
  /// Somebody in the room, or on the way in, and what it is told.
  struct Person {
    RoomWatcher watcher;
    std::unique_ptr<Room> room;  // ends before its listener
    [[nodiscard]] ParticipantSid sid() const { return room->view().you.sid; }
  };
  /// On the way in.
  std::unique_ptr<Person> comer(const std::string& name, Role role = Role::Guest) {
    auto person = std::make_unique<Person>();
    person->room = m_place->participant(role, person->watcher);
    person->room->join(name);
    return person;
  }
  std::unique_ptr<Person> member(const std::string& name, Role role = Role::Guest) {
    auto person = comer(name, role);
    EXPECT_TRUE(person->watcher.waitJoined()) << name;
    return person;
  }
  /// Publishes and waits for it.
  TrackInfo publish(Person& person, TrackSource source) {
    const auto count = person.watcher.told().cids.size();
    person.room->publish("cid", {source}, false);
    EXPECT_TRUE(person.watcher.wait([&](const Told& told) { return told.cids.size() > count; }));
    return person.room->view().you.tracks.empty() ? TrackInfo{} : person.room->view().you.tracks.back();
  }
  using Told = RoomWatcher::Told;

  std::unique_ptr<RoomPlace> m_place = GetParam()();
};

TEST_P(RoomSuite, WhoJoinsIsInTheRoomWithTheOthers) {
  const auto ann = member("Ann", Role::Host);
  const auto ben = member("Ben");
  EXPECT_EQ(ben->room->phase(), RoomPhase::Joined);
  const RoomView view = ben->room->view();
  EXPECT_EQ(view.you.name, "Ben");
  EXPECT_EQ(view.you.role, Role::Guest);
  ASSERT_EQ(view.others.size(), 1U);
  EXPECT_EQ(view.others[0].name, "Ann");
  EXPECT_EQ(view.others[0].role, Role::Host);
  EXPECT_TRUE(
      ann->watcher.wait([](const Told& told) { return told.came == std::vector<std::string>{"Ben"}; }));
  EXPECT_EQ(ben->watcher.told().phases, (std::vector<RoomPhase>{RoomPhase::Joining, RoomPhase::Joined}));
}

TEST_P(RoomSuite, WhoLeavesIsToldAndMissed) {
  const auto ann = member("Ann");
  const auto ben = member("Ben");
  ben->room->leave();
  const auto end = ben->watcher.waitEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::Left);
  EXPECT_EQ(ben->room->phase(), RoomPhase::Ended);
  EXPECT_TRUE(
      ann->watcher.wait([](const Told& told) { return told.left == std::vector<std::string>{"Ben"}; }));
  EXPECT_EQ(ann->watcher.told().leaveReasons, std::vector<LeaveReason>{LeaveReason::Left});
}

TEST_P(RoomSuite, WhoIsDestroyedHasLeft) {
  const auto ann = member("Ann");
  member("Ben").reset();
  EXPECT_TRUE(ann->watcher.wait([](const Told& told) { return told.left.size() == 1; }));
  EXPECT_EQ(ann->watcher.told().leaveReasons, std::vector<LeaveReason>{LeaveReason::Left});
}

TEST_P(RoomSuite, NobodyJoinsTwice) {
  const auto ann = member("Ann");
  ann->room->join("Again");
  EXPECT_TRUE(ann->watcher.wait([](const Told& told) { return told.faults.size() == 1; }));
  EXPECT_EQ(ann->room->view().you.name, "Ann");
}

TEST_P(RoomSuite, WhatIsAskedForBeforeTheJoinFails) {
  RoomWatcher watcher;
  const auto room = m_place->participant(Role::Guest, watcher);
  room->say("hello");
  room->publish("early", {TrackSource::Camera}, false);
  ASSERT_TRUE(watcher.wait([](const Told& told) { return told.faults.size() == 2; }));
  EXPECT_EQ(watcher.told().faults[1].cid, "early");
  EXPECT_EQ(room->phase(), RoomPhase::Idle);
}

TEST_P(RoomSuite, ATrackIsSeenByOthersFromPublishToUnpublish) {
  const auto ann = member("Ann");
  const auto ben = member("Ben");
  const TrackDescription camera{TrackSource::Camera, 640, 360, periodic::Rate::perSecond(30)};
  ann->room->publish("camera-1", camera, true);
  ASSERT_TRUE(ben->watcher.wait([](const Told& told) { return told.published.size() == 1; }));
  const TrackInfo track = ben->watcher.told().published[0];
  EXPECT_EQ(track.description.source, TrackSource::Camera);
  EXPECT_TRUE(track.muted);
  EXPECT_TRUE(
      ann->watcher.wait([](const Told& told) { return told.cids == std::vector<std::string>{"camera-1"}; }));
  ann->room->mute(track.sid, false);
  ASSERT_TRUE(ben->watcher.wait([](const Told& told) { return told.trackChanges.size() == 1; }));
  EXPECT_FALSE(ben->watcher.told().trackChanges[0].muted);
  ann->room->unpublish(track.sid);
  ASSERT_TRUE(ben->watcher.wait([](const Told& told) { return told.unpublished.size() == 1; }));
  EXPECT_EQ(ben->watcher.told().unpublished[0].sid, track.sid);
  EXPECT_TRUE(ben->room->view().others[0].tracks.empty());
}

TEST_P(RoomSuite, WhoComesLaterSeesTheTracks) {
  const auto ann = member("Ann");
  const TrackInfo track = publish(*ann, TrackSource::Screen);
  const auto ben = member("Ben");
  ASSERT_EQ(ben->room->view().others.at(0).tracks.size(), 1U);
  EXPECT_EQ(ben->room->view().others[0].tracks[0].sid, track.sid);
}

TEST_P(RoomSuite, NobodyTouchesAnothersTrack) {
  const auto ann = member("Ann");
  const auto eve = member("Eve");
  const TrackInfo track = publish(*ann, TrackSource::Microphone);
  eve->room->mute(track.sid, true);
  eve->room->unpublish(track.sid);
  EXPECT_TRUE(eve->watcher.wait([](const Told& told) { return told.faults.size() == 2; }));
  EXPECT_EQ(ann->room->view().you.tracks, std::vector<TrackInfo>{track});
}

TEST_P(RoomSuite, ASettingOfAnothersTrackIsTaken) {
  const auto ann = member("Ann");
  const auto ben = member("Ben");
  const TrackInfo track = publish(*ann, TrackSource::Camera);
  ben->room->set(track.sid, {true, 320, 180, {}, TrackPriority::High});
  ben->room->say("after it");
  EXPECT_TRUE(ben->watcher.wait([](const Told& told) { return told.chat.size() == 1; }));
  EXPECT_TRUE(ben->watcher.told().faults.empty());
}

TEST_P(RoomSuite, ThePublisherIsToldHowLargeItsPicturesAreWanted) {
  const auto ann = member("Ann");
  const auto ben = member("Ben");
  const TrackInfo sound = publish(*ann, TrackSource::Microphone);
  const TrackInfo camera = publish(*ann, TrackSource::Camera);
  ben->room->set(sound.sid, {false, 0, 0, {}, TrackPriority::Normal});
  ben->room->set(camera.sid, {true, 320, 180, {}, TrackPriority::Normal});
  ben->room->set(camera.sid, {true, 320, 180, {}, TrackPriority::High});
  ben->room->set(camera.sid, {false, 320, 180, {}, TrackPriority::High});
  ASSERT_TRUE(ann->watcher.wait([](const Told& told) { return told.wanted.size() == 2; }));
  const auto cleo = member("Cleo");
  ASSERT_TRUE(ann->watcher.wait([](const Told& told) { return told.wanted.size() == 3; }));
  EXPECT_EQ(ann->watcher.told().wanted,
            (std::vector<std::pair<TrackSid, TrackWanted>>{
                {camera.sid, {true, 320, 180}}, {camera.sid, {false, 0, 0}}, {camera.sid, {true, 0, 0}}}));
  EXPECT_TRUE(ben->watcher.told().wanted.empty());
}

TEST_P(RoomSuite, ASenderSaysOfItsOwnPicturesAloneWhatLimitsThem) {
  const auto ann = member("Ann");
  const auto ben = member("Ben");
  const TrackInfo camera = publish(*ann, TrackSource::Camera);
  const TrackDelivery fewer{DeliveredPictures::Fewer, DeliveryLimit::SenderLine, 300, 0.2};
  for (const auto* person : {&ann, &ben}) {
    (*person)->room->tellSending(camera.sid, fewer);
    (*person)->room->say("after it");
  }
  for (const auto* person : {&ann, &ben})
    ASSERT_TRUE((*person)->watcher.wait([](const Told& told) { return told.chat.size() == 2; }));
  EXPECT_TRUE(ann->watcher.told().faults.empty());
  EXPECT_EQ(ben->watcher.told().faults.size(), 1U);
}

TEST_P(RoomSuite, ChatReachesAll) {
  const auto ann = member("Ann");
  const auto ben = member("Ben");
  ann->room->say("Guten Tag, \u6885 \U0001F3BB\nline two");
  for (const auto* person : {&ann, &ben}) {
    ASSERT_TRUE((*person)->watcher.wait([](const Told& told) { return told.chat.size() == 1; }));
    const ChatLine line = (*person)->watcher.told().chat[0];
    EXPECT_EQ(line.text, "Guten Tag, \u6885 \U0001F3BB\nline two");
    EXPECT_EQ(line.name, "Ann");
    EXPECT_EQ(line.from, ann->sid());
  }
}

TEST_P(RoomSuite, ChatThatIsTooLongFailsAndTheStayGoesOn) {
  const auto ann = member("Ann");
  ann->room->say(std::string(200'000, 'x'));
  ann->room->say("");
  ASSERT_TRUE(ann->watcher.wait([](const Told& told) { return told.faults.size() == 2; }));
  ann->room->say("short");
  EXPECT_TRUE(ann->watcher.wait([](const Told& told) { return told.chat.size() == 1; }));
}

TEST_P(RoomSuite, AHandIsRaised) {
  const auto ann = member("Ann");
  const auto ben = member("Ben");
  ann->room->raiseHand(true);
  ASSERT_TRUE(ben->watcher.wait([](const Told& told) { return !told.changed.empty(); }));
  EXPECT_TRUE(ben->watcher.told().changed.back().hand);
  EXPECT_TRUE(ben->room->view().others[0].hand);
}

TEST_P(RoomSuite, ABadConnectionIsTold) {
  const auto ann = member("Ann");
  const auto ben = member("Ben");
  ann->room->reportQuality(ConnectionQuality::Poor);
  EXPECT_TRUE(ben->watcher.wait([](const Told& told) {
    return !told.changed.empty() && told.changed.back().quality == ConnectionQuality::Poor;
  }));
}

TEST_P(RoomSuite, WhoSpeaksIsTold) {
  const auto ann = member("Ann");
  const auto ben = member("Ben");
  publish(*ann, TrackSource::Microphone);
  bool spoken = false;
  for (int i = 0; i < 300 && !spoken; ++i) {
    ann->room->reportLevel(0.9);
    spoken = ben->watcher.wait([](const Told& told) { return !told.speakers.empty(); },
                               std::chrono::milliseconds(100));
  }
  ASSERT_TRUE(spoken);
  EXPECT_EQ(ben->watcher.told().speakers[0].sid, ann->sid());
}

TEST_P(RoomSuite, AHostLetsPeopleInOrNot) {
  const auto ann = member("Ann", Role::Host);
  ann->room->setLobby(true);
  ASSERT_TRUE(ann->watcher.wait([](const Told& told) { return told.room.lobby; }));
  const auto ben = comer("Ben");
  ASSERT_TRUE(ann->watcher.wait([](const Told& told) { return told.waiting.size() == 1; }));
  EXPECT_TRUE(ben->watcher.wait(
      [](const Told& told) { return !told.phases.empty() && told.phases.back() == RoomPhase::Waiting; }));
  EXPECT_TRUE(ben->room->view().others.empty());
  ann->room->admit(ann->watcher.told().waiting[0].sid);
  EXPECT_TRUE(ben->watcher.waitJoined());
  const auto eve = comer("Eve");
  ASSERT_TRUE(ann->watcher.wait(
      [](const Told& told) { return told.waiting.size() == 1 && told.waiting[0].name == "Eve"; }));
  ann->room->deny(ann->watcher.told().waiting[0].sid);
  const auto end = eve->watcher.waitEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::Refused);
  EXPECT_EQ(end->refusal, RefusalReason::Removed);
}

TEST_P(RoomSuite, ALockedRoomLetsNobodyIn) {
  const auto ann = member("Ann", Role::Host);
  ann->room->lock(true);
  ASSERT_TRUE(ann->watcher.wait([](const Told& told) { return told.room.locked; }));
  const auto end = comer("Ben")->watcher.waitEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->refusal, RefusalReason::Locked);
  EXPECT_FALSE(end->sentence.empty());
}

TEST_P(RoomSuite, AHostMutesATrack) {
  const auto ann = member("Ann", Role::Host);
  const auto ben = member("Ben");
  const TrackInfo track = publish(*ben, TrackSource::Microphone);
  ann->room->muteParticipant(ben->sid(), track.sid, true);
  ASSERT_TRUE(ben->watcher.wait([](const Told& told) { return told.mutedByHost == 1; }));
  EXPECT_TRUE(ben->room->view().you.tracks[0].muted);
}

TEST_P(RoomSuite, AHostRemovesAParticipant) {
  const auto ann = member("Ann", Role::Host);
  const auto eve = member("Eve");
  ann->room->remove(eve->sid());
  const auto end = eve->watcher.waitEnd();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason, RoomEndReason::Removed);
  EXPECT_TRUE(ann->watcher.wait(
      [](const Told& told) { return told.leaveReasons == std::vector<LeaveReason>{LeaveReason::Removed}; }));
}

TEST_P(RoomSuite, AGuestDoesNotModerate) {
  const auto ann = member("Ann", Role::Host);
  const auto eve = member("Eve");
  eve->room->lock(true);
  eve->room->remove(ann->sid());
  eve->room->invite(Role::Host, {});
  EXPECT_TRUE(eve->watcher.wait([](const Told& told) { return told.faults.size() == 3; }));
  EXPECT_FALSE(ann->room->view().room.locked);
  EXPECT_EQ(ann->room->phase(), RoomPhase::Joined);
}

TEST_P(RoomSuite, AHostInvitesAndRevokes) {
  const auto ann = member("Ann", Role::Host);
  ann->room->invite(Role::Guest, std::chrono::hours(1));
  ASSERT_TRUE(ann->watcher.wait([](const Told& told) { return told.invited.size() == 1; }));
  const InvitationInfo invitation = ann->watcher.told().invited[0];
  EXPECT_FALSE(invitation.link.empty());
  ann->room->revoke(invitation.sid);
  ASSERT_TRUE(ann->watcher.wait([](const Told& told) { return told.invitations.has_value(); }));
  const Told told = ann->watcher.told();
  for (const InvitationInfo& each : *told.invitations) EXPECT_NE(each.sid, invitation.sid);
}

TEST_P(RoomSuite, AllViewsAreTheSameInTheEnd) {
  const auto ann = member("Ann", Role::Host);
  const auto ben = member("Ben");
  const auto cleo = member("Cleo");
  for (const auto* person : {&ann, &ben, &cleo}) publish(**person, TrackSource::Camera);
  ben->room->raiseHand(true);
  ann->room->say("one");
  ben->room->say("two");
  cleo->room->say("three");
  for (const auto* person : {&ann, &ben, &cleo})
    ASSERT_TRUE((*person)->watcher.wait([](const Told& told) {
      return told.chat.size() == 3 && !told.published.empty() && !told.changed.empty();
    }));
  const auto everybody = [](const RoomView& view) {
    std::vector<ParticipantInfo> all = view.others;
    all.push_back(view.you);
    std::sort(all.begin(), all.end(), [](const auto& one, const auto& other) { return one.sid < other.sid; });
    return all;
  };
  EXPECT_EQ(everybody(ann->room->view()), everybody(ben->room->view()));
  EXPECT_EQ(everybody(ann->room->view()), everybody(cleo->room->view()));
  EXPECT_EQ(ann->room->view().chat, ben->room->view().chat);
}

}  // namespace tactus::conference::testing
