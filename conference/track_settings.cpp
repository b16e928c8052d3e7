// SPDX-License-Identifier: Apache-2.0
#include "conference/track_settings.h"

#include <cstdint>

#include "conference/published_streams.h"

namespace tactus::conference {
namespace {

constexpr std::uint32_t kStep = 32;  // pixels

std::uint32_t rounded(int pixels) {
  return pixels <= 0 ? 0 : (static_cast<std::uint32_t>(pixels) + kStep - 1) / kStep * kStep;
}

/// Of what is shown as it is, and only the smaller size of it wanted, the smaller one; else the place, if
/// that is smaller still.
media::PictureSize within(media::PictureSize place, media::PictureSize smaller) {
  const bool fits = place.width > 0 && place.height > 0 && place.width <= smaller.width;
  return fits || smaller == media::PictureSize() ? place : smaller;
}

TrackSetting settingOf(const ShownPictures& shown) {
  return {.enabled = shown.visible,
          .width = rounded(shown.place.width),
          .height = rounded(shown.place.height),
          .priority = shown.priority};
}

}  // namespace

std::vector<std::pair<TrackSid, TrackSetting>> TrackSettings::takeNews(const RoomView& view) {
  std::vector<std::pair<TrackSid, TrackSetting>> news;
  std::map<TrackSid, TrackSetting> told;
  for (const ParticipantInfo& other : view.others) {
    for (const TrackInfo& track : other.tracks) {
      const TrackSource source = track.description.source;
      if (kindOf(source) != TrackKind::Video) continue;
      const StreamKey key{other.sid, streamOf(source)};
      const auto found = m_shown.find(key);
      ShownPictures shown = found == m_shown.end() ? ShownPictures() : found->second;
      if (m_smaller.contains(key))
        shown.place = within(shown.place, media::halfOf(sizeOf(track.description)));
      const TrackSetting setting = settingOf(shown);
      const auto before = m_told.find(track.sid);
      if (setting != (before == m_told.end() ? TrackSetting() : before->second))
        news.emplace_back(track.sid, setting);
      told[track.sid] = setting;
    }
  }
  m_told = std::move(told);
  return news;
}

}  // namespace tactus::conference
