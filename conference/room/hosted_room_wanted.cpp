// SPDX-License-Identifier: Apache-2.0
// How large the pictures that participants of a hosted room publish are wanted.
#include <algorithm>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_state.h"

namespace tactus::conference {
namespace {

/// 0 is larger than any other: as it is.
std::uint32_t largerOf(std::uint32_t one, std::uint32_t other) {
  return one == 0 || other == 0 ? 0 : std::max(one, other);
}

}  // namespace

/// What follows from the settings of all receivers; nullopt: there is none.
std::optional<TrackWanted> HostedRoom::wantedOf(const Participant& publisher, const TrackSid& track) const {
  std::optional<TrackWanted> wanted;
  for (const auto& each : m_participants) {
    if (each.get() == &publisher || each->ingress) continue;
    const auto found = each->settings.find(track);
    const TrackSetting setting = found == each->settings.end() ? TrackSetting{} : found->second;
    if (!wanted) wanted = TrackWanted{false, 0, 0};
    if (!setting.enabled) continue;
    const bool first = !wanted->enabled;
    wanted = TrackWanted{true, first ? setting.width : largerOf(wanted->width, setting.width),
                         first ? setting.height : largerOf(wanted->height, setting.height)};
  }
  return wanted;
}

/// Where there is no receiver, what was told holds until one comes. A new track needs no word: nobody has a
/// setting of it, so it is wanted as it is.
void HostedRoom::tellWanted(Participant& publisher) {
  for (const TrackInfo& track : publisher.info.tracks) {
    if (kindOf(track.description.source) != TrackKind::Video) continue;
    const auto wanted = wantedOf(publisher, track.sid);
    TrackWanted& told = publisher.wanted[track.sid];
    if (!wanted || *wanted == told) continue;
    told = *wanted;
    send(publisher, server::Wanted{track.sid, told});
  }
}

/// After somebody came or left.
void HostedRoom::tellAllWanted() {
  for (const auto& each : m_participants) tellWanted(*each);
}

/// After Joined, with which a client takes all its tracks to be wanted as they are.
void HostedRoom::tellWantedAgain(const Participant& publisher) {
  for (const auto& [track, wanted] : publisher.wanted)
    if (wanted != TrackWanted{}) send(publisher, server::Wanted{track, wanted});
}

}  // namespace tactus::conference
