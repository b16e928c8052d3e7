// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to client_message.cpp and server_message.cpp: how the facts of a room are written in a message.

#include "conference/room/json_fields.h"
#include "conference/room/room_facts.h"

namespace tactus::conference {

[[nodiscard]] TrackDescription readDescription(JsonFields& fields);
[[nodiscard]] TrackInfo readTrack(JsonFields& fields);
[[nodiscard]] ParticipantInfo readParticipant(JsonFields& fields);
[[nodiscard]] RoomInfo readRoom(JsonFields& fields);
[[nodiscard]] ChatLine readChatLine(JsonFields& fields);
[[nodiscard]] Speaker readSpeaker(JsonFields& fields);
[[nodiscard]] WaitingInfo readWaiting(JsonFields& fields);
[[nodiscard]] TrackSetting readSetting(JsonFields& fields);
[[nodiscard]] TrackWanted readWanted(JsonFields& fields);
[[nodiscard]] TrackDelivery readDelivery(JsonFields& fields);
[[nodiscard]] InvitationInfo readInvitation(JsonFields& fields);
/// `longest`: of what is read.
[[nodiscard]] std::optional<std::chrono::seconds> readLife(JsonFields& fields, std::chrono::seconds longest);

/// These add the fields of a fact to an object.
void write(nlohmann::json& object, const TrackDescription& description);
void write(nlohmann::json& object, const TrackInfo& track);
void write(nlohmann::json& object, const ParticipantInfo& participant);
void write(nlohmann::json& object, const RoomInfo& room);
void write(nlohmann::json& object, const ChatLine& line);
void write(nlohmann::json& object, const Speaker& speaker);
void write(nlohmann::json& object, const WaitingInfo& waiting);
void write(nlohmann::json& object, const TrackSetting& setting);
void write(nlohmann::json& object, const TrackWanted& wanted);
void write(nlohmann::json& object, const TrackDelivery& delivery);
void write(nlohmann::json& object, const InvitationInfo& invitation);

/// A fact as an object.
template <typename Fact>
[[nodiscard]] nlohmann::json written(const Fact& fact) {
  nlohmann::json object = nlohmann::json::object();
  write(object, fact);
  return object;
}
template <typename Fact>
[[nodiscard]] nlohmann::json writtenAll(const std::vector<Fact>& facts) {
  nlohmann::json array = nlohmann::json::array();
  for (const Fact& each : facts) array.push_back(written(each));
  return array;
}

}  // namespace tactus::conference
