// SPDX-License-Identifier: Apache-2.0
#include "conference/room/server_message.h"

#include <array>

#include "conference/room/client_message.h"
#include "conference/room/json_fields.h"
#include "conference/room/message_facts.h"
#include "conference/room/message_variant.h"
#include "conference/room/plain_text.h"

namespace tactus::conference {
namespace server {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 8> kMessageFaults{
    "malformed", "unknown_type", "invalid", "out_of_place", "forbidden", "not_found", "too_many", "flood"};
constexpr std::array<std::string_view, 5> kCloseReasons{"left", "removed", "resumed", "flood", "room_ends"};
constexpr std::uint64_t kLargestInteger = 9'007'199'254'740'991;

std::string sentence(JsonFields& fields) {
  return plainName(fields.text("message", kLongestMessageText));
}

void read(JsonFields& fields, Joined& joined) {
  joined.version = static_cast<std::uint32_t>(fields.integer("version", 1, UINT32_MAX));
  joined.session = fields.session("session");
  joined.room = fields.object("room", readRoom);
  joined.you = fields.object("you", readParticipant);
  joined.participants = fields.objects("participants", readParticipant);
  joined.chat = fields.objects("chat", readChatLine);
}
void write(json& object, const Joined& joined) {
  object["version"] = joined.version;
  object["session"] = joined.session.secret();
  object["room"] = written(joined.room);
  object["you"] = written(joined.you);
  object["participants"] = writtenAll(joined.participants);
  object["chat"] = writtenAll(joined.chat);
}

void read(JsonFields&, Waiting&) {}
void write(json&, const Waiting&) {}

void read(JsonFields& fields, Refused& refused) {
  refused.reason = fields.among<RefusalReason>("reason", kRefusalReasons);
  refused.message = sentence(fields);
}
void write(json& object, const Refused& refused) {
  object["reason"] = nameOf(refused.reason);
  object["message"] = refused.message;
}

void read(JsonFields& fields, Published& published) {
  published.cid = fields.cid("cid");
  published.track = fields.object("track", readTrack);
}
void write(json& object, const Published& published) {
  object["cid"] = published.cid;
  object["track"] = written(published.track);
}

void read(JsonFields& fields, ParticipantJoined& joined) {
  joined.participant = fields.object("participant", readParticipant);
}
void write(json& object, const ParticipantJoined& joined) {
  object["participant"] = written(joined.participant);
}

void read(JsonFields& fields, ParticipantLeft& left) {
  left.sid = fields.sid<ParticipantKind>("sid");
  left.reason = fields.among<LeaveReason>("reason", kLeaveReasons);
}
void write(json& object, const ParticipantLeft& left) {
  object["sid"] = left.sid.text();
  object["reason"] = nameOf(left.reason);
}

void read(JsonFields& fields, TrackPublished& published) {
  published.sid = fields.sid<ParticipantKind>("sid");
  published.track = fields.object("track", readTrack);
}
void write(json& object, const TrackPublished& published) {
  object["sid"] = published.sid.text();
  object["track"] = written(published.track);
}

void read(JsonFields& fields, TrackUnpublished& unpublished) {
  unpublished.sid = fields.sid<ParticipantKind>("sid");
  unpublished.track = fields.sid<TrackSidKind>("track");
}
void write(json& object, const TrackUnpublished& unpublished) {
  object["sid"] = unpublished.sid.text();
  object["track"] = unpublished.track.text();
}

void read(JsonFields& fields, TrackMuted& muted) {
  muted.sid = fields.sid<ParticipantKind>("sid");
  muted.track = fields.sid<TrackSidKind>("track");
  muted.muted = fields.flag("muted");
}
void write(json& object, const TrackMuted& muted) {
  object["sid"] = muted.sid.text();
  object["track"] = muted.track.text();
  object["muted"] = muted.muted;
}

void read(JsonFields& fields, Speakers& speakers) {
  speakers.speakers = fields.objects("speakers", readSpeaker);
}
void write(json& object, const Speakers& speakers) {
  object["speakers"] = writtenAll(speakers.speakers);
}

void read(JsonFields& fields, Quality& quality) {
  quality.sid = fields.sid<ParticipantKind>("sid");
  quality.quality = fields.among<ConnectionQuality>("quality", kConnectionQualities);
}
void write(json& object, const Quality& quality) {
  object["sid"] = quality.sid.text();
  object["quality"] = nameOf(quality.quality);
}

void read(JsonFields& fields, Chat& chat) {
  chat.line = readChatLine(fields);
}
void write(json& object, const Chat& chat) {
  conference::write(object, chat.line);
}

void read(JsonFields& fields, Hand& hand) {
  hand.sid = fields.sid<ParticipantKind>("sid");
  hand.raised = fields.flag("raised");
}
void write(json& object, const Hand& hand) {
  object["sid"] = hand.sid.text();
  object["raised"] = hand.raised;
}

void read(JsonFields& fields, RoomUpdated& updated) {
  updated.room = fields.object("room", readRoom);
}
void write(json& object, const RoomUpdated& updated) {
  object["room"] = written(updated.room);
}

void read(JsonFields& fields, WaitingList& list) {
  list.waiting = fields.objects("waiting", readWaiting);
}
void write(json& object, const WaitingList& list) {
  object["waiting"] = writtenAll(list.waiting);
}

void read(JsonFields& fields, Invitation& invitation) {
  invitation.invitation = fields.object("invitation", readInvitation);
}
void write(json& object, const Invitation& invitation) {
  object["invitation"] = written(invitation.invitation);
}

void read(JsonFields& fields, Invitations& invitations) {
  invitations.invitations = fields.objects("invitations", readInvitation);
}
void write(json& object, const Invitations& invitations) {
  object["invitations"] = writtenAll(invitations.invitations);
}

void read(JsonFields& fields, MutedByHost& muted) {
  muted.track = fields.sid<TrackSidKind>("track");
}
void write(json& object, const MutedByHost& muted) {
  object["track"] = muted.track.text();
}

void read(JsonFields& fields, Wanted& wanted) {
  wanted.track = fields.sid<TrackSidKind>("track");
  wanted.wanted = readWanted(fields);
}
void write(json& object, const Wanted& wanted) {
  object["track"] = wanted.track.text();
  conference::write(object, wanted.wanted);
}

void read(JsonFields& fields, Delivery& delivery) {
  delivery.track = fields.sid<TrackSidKind>("track");
  delivery.delivery = readDelivery(fields);
}
void write(json& object, const Delivery& delivery) {
  object["track"] = delivery.track.text();
  conference::write(object, delivery.delivery);
}

void read(JsonFields& fields, Pong& pong) {
  pong.t = fields.integer("t", 0, kLargestInteger);
}
void write(json& object, const Pong& pong) {
  object["t"] = pong.t;
}

void read(JsonFields& fields, Closed& closed) {
  closed.reason = fields.among<CloseReason>("reason", kCloseReasons);
  closed.message = sentence(fields);
}
void write(json& object, const Closed& closed) {
  object["reason"] = kCloseReasons[static_cast<std::size_t>(closed.reason)];
  object["message"] = closed.message;
}

void read(JsonFields& fields, Error& error) {
  error.code = fields.among<MessageFault>("code", kMessageFaults);
  error.message = sentence(fields);
  if (fields.has("for")) error.about = plainName(fields.text("for", kLongestName));
  if (fields.has("cid")) error.cid = fields.cid("cid");
}
void write(json& object, const Error& error) {
  object["code"] = kMessageFaults[static_cast<std::size_t>(error.code)];
  object["message"] = error.message;
  if (error.about) object["for"] = *error.about;
  if (error.cid) object["cid"] = *error.cid;
}

}  // namespace
}  // namespace server

std::string_view typeOf(const ServerMessage& message) noexcept {
  return typeOfVariant(message);
}

Result<ServerMessage> parseServerMessage(std::string_view json) {
  auto object = parseObject(json, kLongestServerMessage, kDeepestMessage);
  if (!object) return object.error();
  return readVariant<ServerMessage>(object.value(),
                                    [](JsonFields& fields, auto& each) { server::read(fields, each); });
}

std::string toJson(const ServerMessage& message) {
  return writeVariant(message, [](nlohmann::json& object, const auto& each) { server::write(object, each); });
}

}  // namespace tactus::conference
