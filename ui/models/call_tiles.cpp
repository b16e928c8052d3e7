// SPDX-License-Identifier: Apache-2.0
#include "ui/models/call_tiles.h"

#include <algorithm>

namespace tactus::ui {
namespace {

using conference::ParticipantInfo;
using conference::RoomView;
using conference::StreamName;
using conference::TrackInfo;
using conference::TrackSource;

const TrackInfo* trackOf(const ParticipantInfo& of, TrackSource source) {
  const auto found = std::find_if(of.tracks.begin(), of.tracks.end(),
                                  [&](const TrackInfo& track) { return track.description.source == source; });
  return found != of.tracks.end() ? &*found : nullptr;
}

bool sends(const ParticipantInfo& of, TrackSource source) {
  const TrackInfo* track = trackOf(of, source);
  return track != nullptr && !track->muted;
}

CallTileFacts cameraOf(const RoomView& view, const ParticipantInfo& of) {
  return {.key = {of.sid, StreamName::Camera},
          .name = of.name,
          .you = of.sid == view.you.sid,
          .pictured = sends(of, TrackSource::Camera),
          .audible = sends(of, TrackSource::Microphone),
          .hand = of.hand,
          .speaking = isSpeaking(view, of.sid),
          .quality = of.quality};
}

}  // namespace

bool isSpeaking(const RoomView& view, const conference::ParticipantSid& who) {
  return std::any_of(view.speakers.begin(), view.speakers.end(),
                     [&](const conference::Speaker& each) { return each.sid == who; });
}

std::vector<CallTileFacts> callTilesOf(const RoomView& view) {
  std::vector<CallTileFacts> tiles;
  for (const ParticipantInfo& other : view.others)
    if (trackOf(other, TrackSource::Screen) != nullptr)
      tiles.push_back({.key = {other.sid, StreamName::Screen},
                       .name = other.name,
                       .pictured = sends(other, TrackSource::Screen),
                       .audible = sends(other, TrackSource::ScreenAudio),
                       .quality = other.quality});
  for (const ParticipantInfo& other : view.others) tiles.push_back(cameraOf(view, other));
  tiles.push_back(cameraOf(view, view.you));
  return tiles;
}

const CallTileFacts* spotlightOf(const std::vector<CallTileFacts>& tiles, const RoomView& view,
                                 const conference::StreamKey& before) {
  const auto find = [&](const conference::StreamKey& key) -> const CallTileFacts* {
    const auto found =
        std::find_if(tiles.begin(), tiles.end(), [&](const CallTileFacts& tile) { return tile.key == key; });
    return found != tiles.end() ? &*found : nullptr;
  };
  const CallTileFacts* screen = nullptr;
  for (const CallTileFacts& tile : tiles)
    if (tile.key.name == StreamName::Screen) screen = &tile;
  if (screen != nullptr) return screen;
  for (const conference::Speaker& speaker : view.speakers)
    if (const auto* tile = find({speaker.sid, StreamName::Camera}); tile != nullptr && !tile->you)
      return tile;
  if (const auto* tile = find(before); tile != nullptr && !tile->you) return tile;
  const auto other = std::find_if(tiles.begin(), tiles.end(), [](const CallTileFacts& t) { return !t.you; });
  return other != tiles.end() ? &*other : nullptr;
}

}  // namespace tactus::ui
