// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: writes down what a participant is told, and waits for it.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conference/room/room.h"

namespace tactus::conference::testing {

/// Thread-safe: yes.
class RoomWatcher : public RoomListener {
 public:
  struct Told {
    std::vector<RoomPhase> phases = {};
    std::vector<RoomView> joined = {};
    std::optional<RoomEnd> end = {};
    std::vector<RoomFault> faults = {};
    std::vector<std::string> came = {}, left = {};  ///< names
    std::vector<LeaveReason> leaveReasons = {};
    std::vector<ParticipantInfo> changed = {};
    std::vector<TrackInfo> published = {}, unpublished = {}, trackChanges = {};
    std::vector<std::pair<TrackSid, TrackWanted>> wanted = {};
    std::vector<std::pair<TrackSid, TrackDelivery>> delivered = {};
    std::vector<std::string> cids = {};  ///< of one's own
    int mutedByHost = 0;
    std::vector<ChatLine> chat = {};
    std::vector<Speaker> speakers = {};
    std::vector<WaitingInfo> waiting = {};
    RoomInfo room = {};
    std::vector<InvitationInfo> invited = {};
    std::optional<std::vector<InvitationInfo>> invitations = {};
  };

  /// Waits until `condition(Told)` holds; false: it did not within `patience`.
  template <typename Condition>
  [[nodiscard]] bool wait(Condition condition,
                          std::chrono::milliseconds patience = std::chrono::seconds(30)) {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, patience, [&] { return condition(std::as_const(m_told)); });
  }
  [[nodiscard]] Told told() const {
    const std::lock_guard lock(m_mutex);
    return m_told;
  }
  [[nodiscard]] bool waitJoined() {
    return wait([](const Told& told) { return !told.joined.empty() || told.end; }) && !told().end;
  }
  /// How it ended; nullopt: not within 30 s.
  [[nodiscard]] std::optional<RoomEnd> waitEnd() {
    (void)wait([](const Told& told) { return told.end.has_value(); });
    return told().end;
  }

  void phaseChanged(RoomPhase phase) override {
    note([&](Told& told) { told.phases.push_back(phase); });
  }
  void joined(const RoomView& view) override {
    note([&](Told& told) {
      told.joined.push_back(view);
      told.room = view.room;
    });
  }
  void ended(const RoomEnd& end) override {
    note([&](Told& told) { told.end = end; });
  }
  void failed(const RoomFault& fault) override {
    note([&](Told& told) { told.faults.push_back(fault); });
  }
  void roomChanged(const RoomInfo& room) override {
    note([&](Told& told) { told.room = room; });
  }
  void participantJoined(const ParticipantInfo& participant) override {
    note([&](Told& told) { told.came.push_back(participant.name); });
  }
  void participantChanged(const ParticipantInfo& participant) override {
    note([&](Told& told) { told.changed.push_back(participant); });
  }
  void participantLeft(const ParticipantInfo& participant, LeaveReason reason) override {
    note([&](Told& told) {
      told.left.push_back(participant.name);
      told.leaveReasons.push_back(reason);
    });
  }
  void trackPublished(const ParticipantInfo&, const TrackInfo& track,
                      const std::optional<std::string>& cid) override {
    note([&](Told& told) {
      told.published.push_back(track);
      if (cid) told.cids.push_back(*cid);
    });
  }
  void trackChanged(const ParticipantInfo&, const TrackInfo& track, bool byHost) override {
    note([&](Told& told) {
      told.trackChanges.push_back(track);
      told.mutedByHost += byHost ? 1 : 0;
    });
  }
  void trackUnpublished(const ParticipantInfo&, const TrackInfo& track) override {
    note([&](Told& told) { told.unpublished.push_back(track); });
  }
  void trackWanted(const TrackSid& track, const TrackWanted& wanted) override {
    note([&](Told& told) { told.wanted.emplace_back(track, wanted); });
  }
  void trackDelivered(const TrackSid& track, const TrackDelivery& delivery) override {
    note([&](Told& told) { told.delivered.emplace_back(track, delivery); });
  }
  void chat(const ChatLine& line) override {
    note([&](Told& told) { told.chat.push_back(line); });
  }
  void speakersChanged(const std::vector<Speaker>& speakers) override {
    note([&](Told& told) { told.speakers = speakers; });
  }
  void waitingChanged(const std::vector<WaitingInfo>& waiting) override {
    note([&](Told& told) { told.waiting = waiting; });
  }
  void invited(const InvitationInfo& invitation) override {
    note([&](Told& told) { told.invited.push_back(invitation); });
  }
  void invitationsListed(const std::vector<InvitationInfo>& invitations) override {
    note([&](Told& told) { told.invitations = invitations; });
  }

 private:
  template <typename Write>
  void note(Write write) {
    const std::lock_guard lock(m_mutex);
    write(m_told);
    m_changed.notify_all();
  }

  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  Told m_told;
};

}  // namespace tactus::conference::testing
