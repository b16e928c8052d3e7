// SPDX-License-Identifier: Apache-2.0
#include "conference/room/random_messages.h"

#include <rapidcheck.h>

#include <array>
#include <functional>
#include <string>

#include "conference/room/plain_text.h"

namespace tactus::conference::testing {
namespace {

using namespace std::chrono_literals;

std::string anyId(const std::string& prefix) {
  const auto size = *rc::gen::element<std::size_t>(1, 2, 12, 61);
  return prefix + *rc::gen::container<std::string>(size, rc::gen::element('a', 'Z', '0', '9', '-', '_'));
}
ParticipantSid anyParticipantSid() {
  return *ParticipantSid::parse(anyId("PA_"));
}
TrackSid anyTrackSid() {
  return *TrackSid::parse(anyId("TR_"));
}
InvitationSid anyInvitationSid() {
  return *InvitationSid::parse(anyId("IN_"));
}
SessionKey anySession() {
  const auto size = *rc::gen::element<std::size_t>(22, 43, 64);
  return *SessionKey::parse(
      *rc::gen::container<std::string>(size, rc::gen::element('a', 'Z', '0', '-', '_')));
}
std::string anyText(std::size_t longest) {
  std::string text;
  const int count = *rc::gen::inRange(0, 12);
  for (int i = 0; i < count; ++i)
    text += *rc::gen::element<std::string>("a", " ", "\"", "\\", "/", "\u00E9", "\u6885", "\U0001F3BB", "\n",
                                           "\t", "\x7F", "\u202E", "{", "<b>");
  return text.size() <= longest ? text : "long";
}
std::string anyName() {
  return plainName(anyText(kLongestName));
}
std::string anyChatText() {
  const std::string text = plainText(anyText(kLongestChatText));
  return text.empty() ? "x" : text;
}
std::string anyCid() {
  const auto size = *rc::gen::element<std::size_t>(1, 2, 36, client::Publish::kLongestCid);
  return *rc::gen::container<std::string>(size, rc::gen::element('a', ' ', '"', '\\', '~', '{'));
}
bool anyFlag() {
  return *rc::gen::arbitrary<bool>();
}
std::uint32_t anySize() {
  return *rc::gen::element<std::uint32_t>(0, 1, 720, kLargestSize);
}
std::optional<periodic::Rate> anyRate() {
  using periodic::Rate;
  return *rc::gen::element<std::optional<Rate>>(std::nullopt, Rate::perSecond(1, 1000),
                                                Rate::perSecond(2997, 100), Rate::perSecond(30),
                                                Rate::perSecond(kHighestPictureRate));
}
double anyLevel() {
  return *rc::gen::element(0.0, 1e-9, 0.1, 1.0 / 3, 1.0);
}
std::uint64_t anyStamp() {
  return *rc::gen::element<std::uint64_t>(0, 1, 9'007'199'254'740'991);
}
template <typename Value, std::size_t count>
Value anyOf(const std::array<std::string_view, count>&) {
  return static_cast<Value>(*rc::gen::inRange<int>(0, static_cast<int>(count)));
}
template <typename Make>
auto several(Make make) {
  std::vector<decltype(make())> all;
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) all.push_back(make());
  return all;
}
std::optional<std::chrono::seconds> anyLife() {
  return *rc::gen::element<std::optional<std::chrono::seconds>>(std::nullopt, 1s, 3600s,
                                                                client::Invite::kLongestLife);
}

TrackDescription anyDescription() {
  TrackDescription description;
  description.source = anyOf<TrackSource>(kTrackSources);
  if (kindOf(description.source) == TrackKind::Audio) return description;
  description.width = anySize();
  description.height = anySize();
  description.rate = anyRate();
  description.sizes = *rc::gen::inRange<std::uint32_t>(1, 3);
  return description;
}
TrackInfo anyTrack() {
  return {anyTrackSid(), anyDescription(), anyFlag()};
}
ParticipantInfo anyParticipant() {
  return {anyParticipantSid(),
          anyName(),
          anyOf<Role>(kRoles),
          anyFlag(),
          anyOf<ConnectionQuality>(kConnectionQualities),
          several(anyTrack),
          anyFlag()};
}
RoomInfo anyRoom() {
  return {anyName(), anyFlag(), anyFlag()};
}
ChatLine anyLine() {
  return {anyParticipantSid(), anyName(), anyChatText(),
          WallTime(std::chrono::milliseconds(static_cast<std::int64_t>(anyStamp())))};
}
Speaker anySpeaker() {
  return {anyParticipantSid(), anyLevel()};
}
WaitingInfo anyWaiting() {
  return {anyParticipantSid(), anyName()};
}
TrackSetting anySetting() {
  return {anyFlag(), anySize(), anySize(), anyRate(), anyOf<TrackPriority>(kTrackPriorities)};
}
TrackWanted anyWanted() {
  return {anyFlag(), anySize(), anySize()};
}
/// Of the sender's own word only, if `own`.
TrackDelivery anyDelivery(bool own) {
  TrackDelivery delivery;
  delivery.pictures = anyOf<DeliveredPictures>(kDeliveredPictures);
  if (delivery.pictures != DeliveredPictures::Whole)
    delivery.limit = own ? *rc::gen::element(DeliveryLimit::SenderLine, DeliveryLimit::SenderComputer)
                         : *rc::gen::element(DeliveryLimit::ReceiverLine, DeliveryLimit::SenderLine,
                                             DeliveryLimit::SenderComputer, DeliveryLimit::SenderProgram);
  delivery.carried = *rc::gen::element<std::optional<std::uint32_t>>(std::nullopt, 1U, 800U, kHighestCarried);
  delivery.lost = anyLevel();
  return delivery;
}
InvitationInfo anyInvitation() {
  return {anyInvitationSid(), anyOf<Role>(kRoles), "https://[::1]:8443/r/" + anyId(""), anyLife()};
}

client::Join anyJoin() {
  client::Join join{anyName(), static_cast<ClientKind>(*rc::gen::inRange(0, 3)), {}};
  if (anyFlag()) join.resume = anySession();
  return join;
}
server::Joined anyJoined() {
  return {*rc::gen::element<std::uint32_t>(1, 2, UINT32_MAX),
          anySession(),
          anyRoom(),
          anyParticipant(),
          several(anyParticipant),
          several(anyLine)};
}
server::Error anyError() {
  server::Error error{static_cast<MessageFault>(*rc::gen::inRange(0, 8)), anyName(), {}, {}};
  if (anyFlag()) error.about = "publish";
  if (anyFlag()) error.cid = anyCid();
  return error;
}

}  // namespace

ClientMessage anyClientMessage() {
  using namespace client;
  static const std::array<std::function<ClientMessage()>, std::variant_size_v<ClientMessage>> kMakers{
      [] { return anyJoin(); },
      [] { return Leave{}; },
      [] {
        return Publish{anyCid(), anyDescription(), anyFlag()};
      },
      [] { return Unpublish{anyTrackSid()}; },
      [] {
        return Mute{anyTrackSid(), anyFlag()};
      },
      [] {
        return SetTrack{anyTrackSid(), anySetting()};
      },
      [] { return Chat{anyChatText()}; },
      [] { return Hand{anyFlag()}; },
      [] { return Ping{anyStamp()}; },
      [] { return Level{anyLevel()}; },
      [] { return Quality{static_cast<ConnectionQuality>(*rc::gen::inRange(0, 3))}; },
      [] {
        return Sending{anyTrackSid(), anyDelivery(true)};
      },
      [] { return Admit{anyParticipantSid()}; },
      [] { return Deny{anyParticipantSid()}; },
      [] { return Remove{anyParticipantSid()}; },
      [] {
        return MuteParticipant{anyParticipantSid(), anyTrackSid(), anyFlag()};
      },
      [] { return Lock{anyFlag()}; },
      [] { return Lobby{anyFlag()}; },
      [] {
        return Invite{anyOf<Role>(kRoles), anyLife()};
      },
      [] { return Revoke{anyInvitationSid()}; },
      [] { return Invitations{}; },
  };
  return kMakers[*rc::gen::inRange<std::size_t>(0, kMakers.size())]();
}

ServerMessage anyServerMessage() {
  using namespace server;
  static const std::array<std::function<ServerMessage()>, std::variant_size_v<ServerMessage>> kMakers{
      [] { return anyJoined(); },
      [] { return Waiting{}; },
      [] {
        return Refused{anyOf<RefusalReason>(kRefusalReasons), anyName()};
      },
      [] {
        return Published{anyCid(), anyTrack()};
      },
      [] { return ParticipantJoined{anyParticipant()}; },
      [] {
        return ParticipantLeft{anyParticipantSid(), anyOf<LeaveReason>(kLeaveReasons)};
      },
      [] {
        return TrackPublished{anyParticipantSid(), anyTrack()};
      },
      [] {
        return TrackUnpublished{anyParticipantSid(), anyTrackSid()};
      },
      [] {
        return TrackMuted{anyParticipantSid(), anyTrackSid(), anyFlag()};
      },
      [] { return Speakers{several(anySpeaker)}; },
      [] {
        return Quality{anyParticipantSid(), anyOf<ConnectionQuality>(kConnectionQualities)};
      },
      [] { return Chat{anyLine()}; },
      [] {
        return Hand{anyParticipantSid(), anyFlag()};
      },
      [] { return RoomUpdated{anyRoom()}; },
      [] { return WaitingList{several(anyWaiting)}; },
      [] { return Invitation{anyInvitation()}; },
      [] { return Invitations{several(anyInvitation)}; },
      [] { return MutedByHost{anyTrackSid()}; },
      [] {
        return Wanted{anyTrackSid(), anyWanted()};
      },
      [] {
        return Delivery{anyTrackSid(), anyDelivery(false)};
      },
      [] { return Pong{anyStamp()}; },
      [] {
        return Closed{static_cast<CloseReason>(*rc::gen::inRange(0, 5)), anyName()};
      },
      [] { return anyError(); },
  };
  return kMakers[*rc::gen::inRange<std::size_t>(0, kMakers.size())]();
}

}  // namespace tactus::conference::testing
