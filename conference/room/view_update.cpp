// SPDX-License-Identifier: Apache-2.0
#include "conference/room/view_update.h"

#include <algorithm>

namespace tactus::conference {

bool ViewUpdate::apply(const ServerMessage& message) {
  return std::visit([this](const auto& each) { return on(each); }, message);
}

bool ViewUpdate::on(const server::Joined& joined) {
  m_chat = {};
  for (const ChatLine& line : joined.chat) m_chat.add(line);
  m_view = {joined.room, joined.you, joined.participants, m_chat.lines(), {}, {}};
  return true;
}

bool ViewUpdate::addTrack(ParticipantInfo* participant, const TrackInfo& track) {
  const bool fits = participant != nullptr && participant->tracks.size() < kMostTracks &&
                    trackOf(*participant, track.sid) == nullptr;
  if (fits) participant->tracks.push_back(track);
  return fits;
}

bool ViewUpdate::on(const server::Published& published) {
  return addTrack(&m_view.you, published.track);
}

bool ViewUpdate::on(const server::ParticipantJoined& joined) {
  const bool fits =
      m_view.find(joined.participant.sid) == nullptr && m_view.others.size() + 1 < kMostParticipants;
  if (fits) m_view.others.push_back(joined.participant);
  return fits;
}

bool ViewUpdate::on(const server::ParticipantLeft& left) {
  return std::erase_if(m_view.others, [&](const auto& each) { return each.sid == left.sid; }) > 0;
}

bool ViewUpdate::on(const server::TrackPublished& published) {
  return addTrack(m_view.find(published.sid), published.track);
}

bool ViewUpdate::on(const server::TrackUnpublished& unpublished) {
  ParticipantInfo* const participant = m_view.find(unpublished.sid);
  return participant != nullptr && std::erase_if(participant->tracks, [&](const auto& each) {
                                     return each.sid == unpublished.track;
                                   }) > 0;
}

bool ViewUpdate::on(const server::TrackMuted& muted) {
  ParticipantInfo* const participant = m_view.find(muted.sid);
  TrackInfo* const track = participant == nullptr ? nullptr : trackOf(*participant, muted.track);
  if (track != nullptr) track->muted = muted.muted;
  return track != nullptr;
}

bool ViewUpdate::on(const server::Speakers& speakers) {
  m_view.speakers = speakers.speakers;
  return true;
}

bool ViewUpdate::on(const server::Quality& quality) {
  ParticipantInfo* const participant = m_view.find(quality.sid);
  if (participant != nullptr) participant->quality = quality.quality;
  return participant != nullptr;
}

bool ViewUpdate::on(const server::Chat& chat) {
  m_chat.add(chat.line);
  m_view.chat = m_chat.lines();
  return true;
}

bool ViewUpdate::on(const server::Hand& hand) {
  ParticipantInfo* const participant = m_view.find(hand.sid);
  if (participant != nullptr) participant->hand = hand.raised;
  return participant != nullptr;
}

bool ViewUpdate::on(const server::RoomUpdated& updated) {
  m_view.room = updated.room;
  return true;
}

bool ViewUpdate::on(const server::WaitingList& list) {
  m_view.waiting = list.waiting;
  return true;
}

/// The view does not keep it: it is told anew after each Joined.
bool ViewUpdate::on(const server::Wanted& wanted) {
  const TrackInfo* const track = trackOf(m_view.you, wanted.track);
  return track != nullptr && kindOf(track->description.source) == TrackKind::Video;
}

/// The same: of a track of another.
bool ViewUpdate::on(const server::Delivery& delivery) {
  return std::any_of(m_view.others.begin(), m_view.others.end(), [&](ParticipantInfo& each) {
    const TrackInfo* const track = trackOf(each, delivery.track);
    return track != nullptr && kindOf(track->description.source) == TrackKind::Video;
  });
}

}  // namespace tactus::conference
