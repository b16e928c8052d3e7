// SPDX-License-Identifier: Apache-2.0
// What participants of a hosted room do.
#include <algorithm>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_state.h"

namespace tactus::conference {

void HostedRoom::on(Participant& who, const client::Leave&, Now) {
  leave(who.info.sid, LeaveReason::Left, {server::CloseReason::Left, "You left the room."});
}

void HostedRoom::on(Participant& who, const client::Publish& publish, Now) {
  if (who.info.tracks.size() >= kMostTracks)
    return complain(who, MessageFault::TooMany,
                    "You publish " + std::to_string(kMostTracks) + " tracks, which is the most.", publish);
  const auto sid = TrackSid::parse("TR_" + randomText(m_random, 9));
  const TrackInfo track{*sid, publish.description, publish.muted};
  send(who, server::Published{publish.cid, track});
  addTrack(who, track);
}

void HostedRoom::addTrack(Participant& who, const TrackInfo& track) {
  who.info.tracks.push_back(track);
  const server::TrackPublished published{who.info.sid, track};
  sendToAll(published, &who);
  m_news.push_back(published);
}

void HostedRoom::on(Participant& who, const client::Unpublish& unpublish, Now) {
  const TrackSid sid = unpublish.sid;
  if (std::erase_if(who.info.tracks, [&](const auto& each) { return each.sid == sid; }) == 0)
    return complain(who, MessageFault::NotFound, "You publish no such track.", unpublish);
  who.wanted.erase(sid);
  for (const auto& each : m_participants) each->settings.erase(sid);
  forgetDeliveries(sid);
  const server::TrackUnpublished unpublished{who.info.sid, sid};
  sendToAll(unpublished);
  m_news.push_back(unpublished);
}

void HostedRoom::on(Participant& who, const client::Mute& mute, Now) {
  TrackInfo* const track = trackOf(who.info, mute.sid);
  if (track == nullptr) return complain(who, MessageFault::NotFound, "You publish no such track.", mute);
  setMuted(who, *track, mute.muted);
}

void HostedRoom::setMuted(Participant& owner, TrackInfo& track, bool muted) {
  if (track.muted == muted) return;
  track.muted = muted;
  const server::TrackMuted news{owner.info.sid, track.sid, muted};
  sendToAll(news);
  m_news.push_back(news);
}

void HostedRoom::on(Participant& who, const client::SetTrack& track, Now) {
  const auto owner = std::find_if(m_participants.begin(), m_participants.end(), [&](const auto& each) {
    return each.get() != &who && trackOf(each->info, track.sid) != nullptr;
  });
  if (owner == m_participants.end())
    return complain(who, MessageFault::NotFound, "Nobody else publishes such a track.", track);
  who.settings[track.sid] = track.setting;
  m_news.push_back(SettingChanged{who.info.sid, track.sid, track.setting});
  tellWanted(**owner);
}

void HostedRoom::on(Participant& who, const client::Chat& chat, Now now) {
  Connection& connection = *find(*who.connection);
  if (!connection.chat.take(now.at, static_cast<std::int64_t>(chat.text.size())))
    return complain(who, MessageFault::TooMany, "You write more than the chat takes; wait a few seconds.",
                    chat);
  const ChatLine line{who.info.sid, who.info.name, chat.text, now.wall};
  m_chat.add(line);
  sendToAll(server::Chat{line});
}

void HostedRoom::on(Participant& who, const client::Hand& hand, Now) {
  if (who.info.hand == hand.raised) return;
  who.info.hand = hand.raised;
  sendToAll(server::Hand{who.info.sid, hand.raised});
}

/// Whoever has muted all sound is not heard, whatever level it reports.
void HostedRoom::on(Participant& who, const client::Level& level, Now now) {
  const auto& tracks = who.info.tracks;
  const bool heard = std::any_of(tracks.begin(), tracks.end(), [](const TrackInfo& each) {
    return !each.muted && kindOf(each.description.source) == TrackKind::Audio;
  });
  m_speakers.report(who.info.sid, heard ? level.level : 0, now.at);
}

void HostedRoom::on(Participant& who, const client::Quality& quality, Now) {
  who.reported = quality.quality;
  setQuality(who, quality.quality);
}

void HostedRoom::setQuality(Participant& who, ConnectionQuality quality) {
  if (who.info.quality == quality) return;
  who.info.quality = quality;
  const server::Quality news{who.info.sid, quality};
  sendToAll(news);
  m_news.push_back(news);
}

}  // namespace tactus::conference
