// SPDX-License-Identifier: Apache-2.0
#include "conference/room/message_facts.h"

#include <cmath>

#include "conference/room/client_message.h"
#include "conference/room/plain_text.h"
#include "conference/room/server_message.h"

namespace tactus::conference {
namespace {

using nlohmann::json;

/// 2^53 - 1, the largest whole number that every reader of JSON has exactly (RFC 8259, 6).
constexpr std::uint64_t kLargestInteger = 9'007'199'254'740'991;

void writeRate(json& object, const std::optional<periodic::Rate>& rate) {
  if (rate) object["rate"] = std::round(rate->perSecond() * 1000) / 1000;
}

void writeSize(json& object, std::uint32_t width, std::uint32_t height) {
  if (width > 0) object["width"] = width;
  if (height > 0) object["height"] = height;
}

}  // namespace

TrackDescription readDescription(JsonFields& fields) {
  TrackDescription description;
  description.source = fields.among<TrackSource>("source", kTrackSources);
  const auto kind = fields.among<TrackKind>("kind", kTrackKinds);
  if (kind != kindOf(description.source)) fields.fault("kind", "the kind of its \"source\"");
  description.width = fields.size("width");
  description.height = fields.size("height");
  description.rate = fields.rate("rate");
  description.sizes = static_cast<std::uint32_t>(fields.integer("sizes", 1, 2, 1));
  const bool pictures =
      description.width > 0 || description.height > 0 || description.rate || description.sizes > 1;
  if (kind == TrackKind::Audio && pictures) fields.fault("kind", "\"video\" where there is a size or a rate");
  return description;
}

TrackInfo readTrack(JsonFields& fields) {
  return {fields.sid<TrackSidKind>("sid"), readDescription(fields), fields.flag("muted")};
}

ParticipantInfo readParticipant(JsonFields& fields) {
  ParticipantInfo participant;
  participant.sid = fields.sid<ParticipantKind>("sid");
  participant.name = fields.name("name");
  participant.role = fields.among<Role>("role", kRoles);
  participant.hand = fields.flag("hand");
  participant.quality = fields.among<ConnectionQuality>("quality", kConnectionQualities);
  participant.tracks = fields.objects("tracks", readTrack);
  participant.ingress = fields.flag("ingress", false);
  return participant;
}

RoomInfo readRoom(JsonFields& fields) {
  return {fields.name("name"), fields.flag("locked"), fields.flag("lobby")};
}

ChatLine readChatLine(JsonFields& fields) {
  const auto instant = [&] {
    return WallTime(std::chrono::milliseconds(fields.integer("at", 0, kLargestInteger)));
  };
  return {fields.sid<ParticipantKind>("from"), fields.name("name"), fields.chatText("text"), instant()};
}

Speaker readSpeaker(JsonFields& fields) {
  return {fields.sid<ParticipantKind>("sid"), fields.share("level")};
}

WaitingInfo readWaiting(JsonFields& fields) {
  return {fields.sid<ParticipantKind>("sid"), fields.name("name")};
}

TrackSetting readSetting(JsonFields& fields) {
  TrackSetting setting;
  setting.enabled = fields.flag("enabled", true);
  setting.width = fields.size("width");
  setting.height = fields.size("height");
  setting.rate = fields.rate("rate");
  if (fields.has("priority")) setting.priority = fields.among<TrackPriority>("priority", kTrackPriorities);
  return setting;
}

TrackWanted readWanted(JsonFields& fields) {
  return {fields.flag("enabled"), fields.size("width"), fields.size("height")};
}

TrackDelivery readDelivery(JsonFields& fields) {
  TrackDelivery delivery;
  delivery.pictures = fields.among<DeliveredPictures>("pictures", kDeliveredPictures);
  delivery.limit = fields.among<DeliveryLimit>("limit", kDeliveryLimits);
  if ((delivery.pictures == DeliveredPictures::Whole) != (delivery.limit == DeliveryLimit::None))
    fields.fault("limit", R"("none" if "pictures" is "whole", and only then)");
  if (fields.has("carried"))
    delivery.carried = static_cast<std::uint32_t>(fields.integer("carried", 1, kHighestCarried));
  if (fields.has("lost")) delivery.lost = fields.share("lost");
  return delivery;
}

std::optional<std::chrono::seconds> readLife(JsonFields& fields, std::chrono::seconds longest) {
  if (!fields.has("expires_in")) return std::nullopt;
  return std::chrono::seconds(fields.integer("expires_in", 1, static_cast<std::uint64_t>(longest.count())));
}

InvitationInfo readInvitation(JsonFields& fields) {
  InvitationInfo invitation;
  invitation.sid = fields.sid<InvitationKind>("sid");
  invitation.role = fields.among<Role>("role", kRoles);
  invitation.link = plainName(fields.text("link", kLongestMessageText));
  invitation.expiresIn = readLife(fields, client::Invite::kLongestLife);
  return invitation;
}

void write(json& object, const TrackDescription& description) {
  object["kind"] = nameOf(kindOf(description.source));
  object["source"] = nameOf(description.source);
  writeSize(object, description.width, description.height);
  writeRate(object, description.rate);
  if (description.sizes > 1) object["sizes"] = description.sizes;
}

void write(json& object, const TrackInfo& track) {
  object["sid"] = track.sid.text();
  write(object, track.description);
  object["muted"] = track.muted;
}

void write(json& object, const ParticipantInfo& participant) {
  object["sid"] = participant.sid.text();
  object["name"] = participant.name;
  object["role"] = nameOf(participant.role);
  object["hand"] = participant.hand;
  object["quality"] = nameOf(participant.quality);
  object["tracks"] = writtenAll(participant.tracks);
  if (participant.ingress) object["ingress"] = true;
}

void write(json& object, const RoomInfo& room) {
  object["name"] = room.name;
  object["locked"] = room.locked;
  object["lobby"] = room.lobby;
}

void write(json& object, const ChatLine& line) {
  object["from"] = line.from.text();
  object["name"] = line.name;
  object["text"] = line.text;
  object["at"] = line.at.time_since_epoch().count();
}

void write(json& object, const Speaker& speaker) {
  object["sid"] = speaker.sid.text();
  object["level"] = speaker.level;
}

void write(json& object, const WaitingInfo& waiting) {
  object["sid"] = waiting.sid.text();
  object["name"] = waiting.name;
}

void write(json& object, const TrackSetting& setting) {
  object["enabled"] = setting.enabled;
  writeSize(object, setting.width, setting.height);
  writeRate(object, setting.rate);
  object["priority"] = nameOf(setting.priority);
}

void write(json& object, const TrackWanted& wanted) {
  object["enabled"] = wanted.enabled;
  writeSize(object, wanted.width, wanted.height);
}

void write(json& object, const TrackDelivery& delivery) {
  object["pictures"] = nameOf(delivery.pictures);
  object["limit"] = nameOf(delivery.limit);
  if (delivery.carried) object["carried"] = *delivery.carried;
  if (delivery.lost > 0) object["lost"] = delivery.lost;
}

void write(json& object, const InvitationInfo& invitation) {
  object["sid"] = invitation.sid.text();
  object["role"] = nameOf(invitation.role);
  object["link"] = invitation.link;
  if (invitation.expiresIn) object["expires_in"] = invitation.expiresIn->count();
}

}  // namespace tactus::conference
