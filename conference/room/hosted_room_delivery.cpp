// SPDX-License-Identifier: Apache-2.0
// How pictures reach the participants of a hosted room, and what their senders say of that.
#include <algorithm>
#include <utility>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_state.h"

namespace tactus::conference {

/// Of several tracks of this source the newest: a stream has the pictures of one.
const TrackInfo* HostedRoom::newestTrack(const Participant& publisher, TrackSource source) {
  const auto& tracks = publisher.info.tracks;
  const auto found = std::find_if(tracks.rbegin(), tracks.rend(),
                                  [&](const TrackInfo& each) { return each.description.source == source; });
  return found == tracks.rend() ? nullptr : &*found;
}

void HostedRoom::deliver(std::span<const PictureDelivery> deliveries) {
  for (const PictureDelivery& each : deliveries) {
    if (kindOf(each.source) != TrackKind::Video || each.receiver == each.publisher) continue;
    Participant* const receiver = find(each.receiver);
    const Participant* const publisher = find(each.publisher);
    if (receiver == nullptr || !receiver->connection || publisher == nullptr) continue;
    const TrackInfo* const track = newestTrack(*publisher, each.source);
    if (track == nullptr) continue;
    const auto told = receiver->delivered.find(track->sid);
    if (!isNews(told == receiver->delivered.end() ? TrackDelivery{} : told->second, each.delivery)) continue;
    receiver->delivered[track->sid] = each.delivery;
    send(*receiver, server::Delivery{track->sid, each.delivery});
  }
}

void HostedRoom::on(Participant& who, const client::Sending& sending, Now) {
  const TrackInfo* const track = trackOf(who.info, sending.sid);
  if (track == nullptr || kindOf(track->description.source) != TrackKind::Video)
    return complain(who, MessageFault::NotFound, "You publish no such track of pictures.", sending);
  who.sending[sending.sid] = sending.sending;
  m_news.push_back(SendingChanged{sending.sid, sending.sending});
}

/// After Joined, with which both sides begin anew: each track is whole until one of them says otherwise.
void HostedRoom::forgetDeliveries(Participant& who) {
  who.delivered.clear();
  for (const auto& [track, sending] : std::exchange(who.sending, {}))
    if (sending != TrackDelivery{}) m_news.push_back(SendingChanged{track, {}});
}

/// It is not published any more.
void HostedRoom::forgetDeliveries(const TrackSid& track) {
  for (const auto& each : m_participants) {
    each->delivered.erase(track);
    each->sending.erase(track);
  }
}

}  // namespace tactus::conference
