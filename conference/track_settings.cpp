// SPDX-License-Identifier: Apache-2.0
#include "conference/track_settings.h"

#include <cstdint>

namespace tactus::conference {
namespace {

constexpr std::uint32_t kStep = 32;  // pixels

std::uint32_t rounded(int pixels) {
  return pixels <= 0 ? 0 : (static_cast<std::uint32_t>(pixels) + kStep - 1) / kStep * kStep;
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
      const auto shown = m_shown.find({other.sid, streamOf(source)});
      const TrackSetting setting = shown == m_shown.end() ? TrackSetting() : settingOf(shown->second);
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
