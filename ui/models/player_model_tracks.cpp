// SPDX-License-Identifier: Apache-2.0
// The part of PlayerModel that chooses tracks, and how subtitles are shown.
#include <algorithm>
#include <cmath>

#include "ui/models/player_model.h"

namespace tactus::ui {

using media::TrackKind;

void PlayerModel::selectTrack(const QString& kind, int index) {
  if (!m_player) return;
  if (kind == "second") return m_player->selectSecondSubtitles(index);
  const TrackKind which = kind == "audio"   ? TrackKind::Audio
                          : kind == "video" ? TrackKind::Video
                                            : TrackKind::Subtitle;
  m_player->selectTrack(which, index);
}

void PlayerModel::cycleTrack(TrackKind kind, int step) {
  const auto& list = kind == TrackKind::Audio   ? m_info.audio
                     : kind == TrackKind::Video ? m_info.video
                                                : m_info.subtitles;
  if (list.empty()) return showToast(tr("There is no such track."));
  const int next = trackAfter(list, step, kind == TrackKind::Subtitle);
  m_player->selectTrack(kind, next);
  showToast(next < 0 ? tr("No subtitles") : tr("Track %1 of %2").arg(next + 1).arg(list.size()));
}

void PlayerModel::delaySubtitles(periodic::Duration by) {
  m_player->setSubtitleDelay(m_player->subtitleSettings().delay + by);
  const double delay = periodic::inSeconds(m_player->subtitleSettings().delay);
  showToast(tr("Subtitle delay %1 s").arg(delay, 0, 'f', 1));
}

void PlayerModel::toggleSubtitles() {
  const auto& list = m_info.subtitles;
  if (list.empty()) return showToast(tr("There are no subtitles."));
  const bool chosen = std::any_of(list.begin(), list.end(), [](const auto& track) { return track.selected; });
  const bool visible = !chosen || !m_player->subtitleSettings().visible;
  m_player->setSubtitlesVisible(visible);
  if (!chosen) m_player->selectTrack(TrackKind::Subtitle, 0);
  showToast(visible ? tr("Subtitles on") : tr("Subtitles off"));
}

void PlayerModel::toggleHardware() {
  using plugins::av::HardwareWish;
  const bool off = m_player->hardware() == HardwareWish::None;
  m_player->setHardware(off ? HardwareWish::Any : HardwareWish::None);
  showToast(off ? tr("Hardware decoding where it can be had") : tr("Software decoding"));
}

void PlayerModel::scaleSubtitles(double factor) {
  m_player->setSubtitleScale(m_player->subtitleSettings().scale * factor);
  showToast(tr("Subtitle size %1 %").arg(std::lround(m_player->subtitleSettings().scale * 100)));
}

void PlayerModel::raiseSubtitles(double by) {
  m_player->setSubtitlesRaised(m_player->subtitleSettings().raised + by);
  showToast(tr("Subtitles raised by %1 %").arg(std::lround(m_player->subtitleSettings().raised * 100)));
}

void PlayerModel::cycleSecondSubtitles() {
  const auto& list = m_info.subtitles;
  if (list.size() < 2) return showToast(tr("There are no second subtitles."));
  const int next = secondAfter(list);
  m_player->selectSecondSubtitles(next);
  showToast(next < 0 ? tr("No second subtitles")
                     : tr("Second: track %1 of %2").arg(next + 1).arg(list.size()));
}

}  // namespace tactus::ui
