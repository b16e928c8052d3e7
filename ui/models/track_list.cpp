// SPDX-License-Identifier: Apache-2.0
#include "ui/models/track_list.h"

#include <QCoreApplication>
#include <QStringList>

namespace tactus::ui {
namespace {

constexpr double kBackBefore = 1.0;
constexpr double kAlreadyThere = 0.1;

}  // namespace

QVariantList describe(const std::vector<media::Track>& tracks) {
  QVariantList result;
  for (const auto& track : tracks) {
    QStringList parts;
    if (!track.title.empty()) parts.append(QString::fromStdString(track.title));
    if (!track.language.empty()) parts.append(QString::fromStdString(track.language));
    if (!track.codec.empty() && track.title.empty()) parts.append(QString::fromStdString(track.codec));
    const QString number = QCoreApplication::translate("TrackList", "Track %1").arg(track.index + 1);
    result.append(QVariantMap{{"index", track.index},
                              {"name", parts.isEmpty() ? number : parts.join(QStringLiteral(" \u00b7 "))},
                              {"selected", track.selected}});
  }
  return result;
}

std::vector<media::Track> shownAbove(std::vector<media::Track> tracks) {
  for (auto& track : tracks) track.selected = track.second;
  return tracks;
}

QVariantList describe(const std::vector<media::Chapter>& chapters) {
  QVariantList result;
  for (const auto& chapter : chapters) {
    result.append(QVariantMap{{"title", QString::fromStdString(chapter.title)},
                              {"start", periodic::inSeconds(chapter.start)}});
  }
  return result;
}

int trackAfter(const std::vector<media::Track>& tracks, int step, bool withNone) {
  const int count = static_cast<int>(tracks.size());
  const int lowest = withNone ? -1 : 0;
  int next = -1;
  for (const auto& track : tracks) next = track.selected ? track.index : next;
  next += step;
  if (next >= count) return lowest;
  return next < lowest ? count - 1 : next;
}

int secondAfter(const std::vector<media::Track>& subtitles) {
  auto above = shownAbove(subtitles);
  int next = trackAfter(above, 1, true);
  while (next >= 0 && subtitles[static_cast<std::size_t>(next)].selected) {
    for (auto& track : above) track.selected = track.index == next;
    next = trackAfter(above, 1, true);
  }
  return next;
}

std::optional<std::size_t> chapterFrom(const std::vector<media::Chapter>& chapters, double position,
                                       int step) {
  if (chapters.empty()) return std::nullopt;
  const double from = position + (step > 0 ? kAlreadyThere : -kBackBefore);
  std::size_t target = 0;
  for (std::size_t i = 0; i < chapters.size(); ++i)
    if (periodic::inSeconds(chapters[i].start) <= from) target = i + (step > 0 ? 1 : 0);
  if (target == chapters.size()) return std::nullopt;
  return target;
}

}  // namespace tactus::ui
