// SPDX-License-Identifier: Apache-2.0
#include "conference/room/client_message.h"

#include <array>

#include "conference/room/json_fields.h"
#include "conference/room/message_facts.h"
#include "conference/room/message_variant.h"

namespace tactus::conference {
namespace client {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kClientKinds{"tactus", "browser", "other"};
constexpr std::array<std::string_view, 3> kReportedQualities{"excellent", "good", "poor"};
constexpr std::uint64_t kLargestInteger = 9'007'199'254'740'991;

void read(JsonFields& fields, Join& join) {
  join.name = fields.name("name");
  if (fields.has("client")) join.client = fields.among<ClientKind>("client", kClientKinds);
  if (fields.has("resume")) join.resume = fields.session("resume");
}
void write(json& object, const Join& join) {
  object["name"] = join.name;
  object["client"] = kClientKinds[static_cast<std::size_t>(join.client)];
  if (join.resume) object["resume"] = join.resume->secret();
}

void read(JsonFields&, Leave&) {}
void write(json&, const Leave&) {}

void read(JsonFields& fields, Publish& publish) {
  publish.cid = fields.cid("cid");
  publish.description = readDescription(fields);
  publish.muted = fields.flag("muted", false);
}
void write(json& object, const Publish& publish) {
  object["cid"] = publish.cid;
  conference::write(object, publish.description);
  object["muted"] = publish.muted;
}

void read(JsonFields& fields, Unpublish& unpublish) {
  unpublish.sid = fields.sid<TrackSidKind>("sid");
}
void write(json& object, const Unpublish& unpublish) {
  object["sid"] = unpublish.sid.text();
}

void read(JsonFields& fields, Mute& mute) {
  mute.sid = fields.sid<TrackSidKind>("sid");
  mute.muted = fields.flag("muted");
}
void write(json& object, const Mute& mute) {
  object["sid"] = mute.sid.text();
  object["muted"] = mute.muted;
}

void read(JsonFields& fields, SetTrack& track) {
  track.sid = fields.sid<TrackSidKind>("sid");
  track.setting = readSetting(fields);
}
void write(json& object, const SetTrack& track) {
  object["sid"] = track.sid.text();
  conference::write(object, track.setting);
}

void read(JsonFields& fields, Chat& chat) {
  chat.text = fields.chatText("text");
}
void write(json& object, const Chat& chat) {
  object["text"] = chat.text;
}

void read(JsonFields& fields, Hand& hand) {
  hand.raised = fields.flag("raised");
}
void write(json& object, const Hand& hand) {
  object["raised"] = hand.raised;
}

void read(JsonFields& fields, Ping& ping) {
  ping.t = fields.integer("t", 0, kLargestInteger);
}
void write(json& object, const Ping& ping) {
  object["t"] = ping.t;
}

void read(JsonFields& fields, Level& level) {
  level.level = fields.share("level");
}
void write(json& object, const Level& level) {
  object["level"] = level.level;
}

void read(JsonFields& fields, Quality& quality) {
  quality.quality = fields.among<ConnectionQuality>("quality", kReportedQualities);
}
void write(json& object, const Quality& quality) {
  object["quality"] = nameOf(quality.quality);
}

void read(JsonFields& fields, Sending& sending) {
  sending.sid = fields.sid<TrackSidKind>("sid");
  sending.sending = readDelivery(fields);
  const DeliveryLimit limit = sending.sending.limit;
  if (limit == DeliveryLimit::ReceiverLine || limit == DeliveryLimit::SenderProgram)
    fields.fault("limit", R"("none", "sender_line" or "sender_computer")");
}
void write(json& object, const Sending& sending) {
  object["sid"] = sending.sid.text();
  conference::write(object, sending.sending);
}

void read(JsonFields& fields, Admit& admit) {
  admit.sid = fields.sid<ParticipantKind>("sid");
}
void write(json& object, const Admit& admit) {
  object["sid"] = admit.sid.text();
}

void read(JsonFields& fields, Deny& deny) {
  deny.sid = fields.sid<ParticipantKind>("sid");
}
void write(json& object, const Deny& deny) {
  object["sid"] = deny.sid.text();
}

void read(JsonFields& fields, Remove& remove) {
  remove.sid = fields.sid<ParticipantKind>("sid");
}
void write(json& object, const Remove& remove) {
  object["sid"] = remove.sid.text();
}

void read(JsonFields& fields, MuteParticipant& mute) {
  mute.sid = fields.sid<ParticipantKind>("sid");
  mute.track = fields.sid<TrackSidKind>("track");
  mute.muted = fields.flag("muted", true);
}
void write(json& object, const MuteParticipant& mute) {
  object["sid"] = mute.sid.text();
  object["track"] = mute.track.text();
  object["muted"] = mute.muted;
}

void read(JsonFields& fields, Lock& lock) {
  lock.locked = fields.flag("locked");
}
void write(json& object, const Lock& lock) {
  object["locked"] = lock.locked;
}

void read(JsonFields& fields, Lobby& lobby) {
  lobby.on = fields.flag("on");
}
void write(json& object, const Lobby& lobby) {
  object["on"] = lobby.on;
}

void read(JsonFields& fields, Invite& invite) {
  invite.role = fields.among<Role>("role", kRoles);
  invite.expiresIn = readLife(fields, Invite::kLongestLife);
}
void write(json& object, const Invite& invite) {
  object["role"] = nameOf(invite.role);
  if (invite.expiresIn) object["expires_in"] = invite.expiresIn->count();
}

void read(JsonFields& fields, Revoke& revoke) {
  revoke.sid = fields.sid<InvitationKind>("sid");
}
void write(json& object, const Revoke& revoke) {
  object["sid"] = revoke.sid.text();
}

void read(JsonFields&, Invitations&) {}
void write(json&, const Invitations&) {}

}  // namespace
}  // namespace client

std::string_view typeOf(const ClientMessage& message) noexcept {
  return typeOfVariant(message);
}

Result<ClientMessage> parseClientMessage(std::string_view json) {
  auto object = parseObject(json, kLongestClientMessage, kDeepestMessage);
  if (!object) return object.error();
  return readVariant<ClientMessage>(object.value(),
                                    [](JsonFields& fields, auto& each) { client::read(fields, each); });
}

std::string toJson(const ClientMessage& message) {
  return writeVariant(message, [](nlohmann::json& object, const auto& each) { client::write(object, each); });
}

}  // namespace tactus::conference
