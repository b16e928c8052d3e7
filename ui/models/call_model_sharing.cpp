// SPDX-License-Identifier: Apache-2.0
// What a call shows besides its camera: a screen, or a film.
#include <algorithm>

#include "ui/models/call_model.h"
#include "ui/models/text.h"

namespace tactus::ui {

using conference::StreamName;
using conference::TrackInfo;
using media::CaptureSource;
using media::OutgoingTrack;

bool CallModel::sharing() const {
  const auto& mine = m_view.you.tracks;
  return std::any_of(mine.begin(), mine.end(), [](const TrackInfo& track) {
    return track.description.source == conference::TrackSource::Screen;
  });
}

void CallModel::setSharing(bool shares) {
  if (!m_attendance) return;
  if (shares) return m_screen.ask(false);
  m_screen.cancel();
  if (!sharing()) return;
  m_attendance->publish(StreamName::Screen, {});
  showToast(m_sharesFilm ? tr("The others do not see the film any more")
                         : tr("The others do not see your screen any more"));
}

void CallModel::shareAnother() {
  if (m_attendance) m_screen.ask(true);
}

void CallModel::share(const CaptureSource& source) {
  m_sharesFilm = false;
  m_attendance->publish(StreamName::Screen, {OutgoingTrack::screen("screen", source)});
  showToast(tr("The others see your screen"));
}

QStringList CallModel::films() {
  m_films = m_options.films ? m_options.films() : std::vector<Film>();
  QStringList titles;
  for (const Film& film : m_films) titles.append(film.title);
  return titles;
}

void CallModel::shareFilm(int index) {
  if (!m_attendance || index < 0 || index >= static_cast<int>(m_films.size())) return;
  m_screen.cancel();
  const Film& film = m_films[static_cast<std::size_t>(index)];
  m_attendance->publish(
      StreamName::Screen,
      {OutgoingTrack::film("film", film.tap),
       OutgoingTrack::audio("film-sound", {.kind = CaptureSource::Kind::Player, .film = film.tap})});
  m_sharesFilm = true;
  showToast(tr("The others see and hear %1").arg(film.title));
}

}  // namespace tactus::ui
