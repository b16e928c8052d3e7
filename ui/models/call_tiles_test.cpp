// SPDX-License-Identifier: Apache-2.0
#include "ui/models/call_tiles.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

using namespace conference;

ParticipantInfo person(const char* sid, const char* name, std::vector<TrackSource> sources = {}) {
  ParticipantInfo info{.sid = *ParticipantSid::parse(sid), .name = name};
  for (const TrackSource source : sources) {
    const std::string track = "TR_" + info.sid.text().substr(3) + std::string(nameOf(source));
    info.tracks.push_back({*TrackSid::parse(track), {.source = source}, false});
  }
  return info;
}

RoomView roomOfThree() {
  RoomView view;
  view.you = person("PA_you", "You", {TrackSource::Camera, TrackSource::Microphone});
  view.others = {person("PA_ann", "Ann", {TrackSource::Microphone, TrackSource::Screen, TrackSource::Camera}),
                 person("PA_bob", "Bob")};
  return view;
}

TEST(CallTiles, ScreensAreFirstAndOneselfIsLast) {
  RoomView view = roomOfThree();
  view.others[0].tracks[0].muted = true;
  view.others[1].hand = true;
  view.others[1].quality = ConnectionQuality::Lost;
  view.speakers = {{view.you.sid, 0.5}};
  const auto tiles = callTilesOf(view);
  ASSERT_EQ(tiles.size(), 4u);
  EXPECT_EQ(tiles[0].key, (StreamKey{view.others[0].sid, StreamName::Screen}));
  EXPECT_TRUE(tiles[0].pictured);
  EXPECT_FALSE(tiles[0].audible);
  EXPECT_EQ(tiles[1].key, (StreamKey{view.others[0].sid, StreamName::Camera}));
  EXPECT_TRUE(tiles[1].pictured);
  EXPECT_FALSE(tiles[1].audible);
  EXPECT_EQ(tiles[2].name, "Bob");
  EXPECT_FALSE(tiles[2].pictured || tiles[2].audible || tiles[2].speaking);
  EXPECT_TRUE(tiles[2].hand);
  EXPECT_EQ(tiles[2].quality, ConnectionQuality::Lost);
  EXPECT_TRUE(tiles[3].you && tiles[3].pictured && tiles[3].audible && tiles[3].speaking);
}

TEST(CallTiles, TheScreenThenWhoSpeaksThenWhoSpokeIsLarge) {
  RoomView view = roomOfThree();
  EXPECT_EQ(spotlightOf(callTilesOf(view), view, {})->key.name, StreamName::Screen);
  view.others[0].tracks.erase(view.others[0].tracks.begin() + 1);
  auto tiles = callTilesOf(view);
  EXPECT_EQ(spotlightOf(tiles, view, {})->name, "Ann") << "the first of the others";
  const StreamKey bob{view.others[1].sid, StreamName::Camera};
  EXPECT_EQ(spotlightOf(tiles, view, bob)->name, "Bob") << "nobody speaks: as before";
  // One does not see oneself large because one speaks.
  view.speakers = {{view.you.sid, 0.9}, {view.others[1].sid, 0.4}};
  EXPECT_EQ(spotlightOf(tiles, view, {})->name, "Bob");
  view.speakers = {{view.you.sid, 0.9}};
  EXPECT_EQ(spotlightOf(tiles, view, {view.you.sid, StreamName::Camera})->name, "Ann");
  view.others.clear();
  tiles = callTilesOf(view);
  EXPECT_EQ(spotlightOf(tiles, view, bob), nullptr);
}

}  // namespace
}  // namespace tactus::ui
