// SPDX-License-Identifier: Apache-2.0
#include "conference/room/active_speakers.h"

#include <algorithm>
#include <cmath>

namespace tactus::conference {
namespace {

constexpr ActiveSpeakers::Constants kLaw;

}  // namespace

using periodic::TimePoint;

/// Up to where the report is fresh towards its level, then towards 0.
void ActiveSpeakers::advance(Voice& voice, TimePoint now) {
  const auto towards = [&](double level, TimePoint until) {
    if (until <= voice.smoothedAt) return;
    const double left =
        std::exp(-periodic::inSeconds(until - voice.smoothedAt) / periodic::inSeconds(kLaw.smoothing));
    voice.smoothed = level + (voice.smoothed - level) * left;
    voice.smoothedAt = until;
  };
  towards(voice.reported, std::min(now, voice.reportedAt + kLaw.fresh));
  towards(0, now);
}

void ActiveSpeakers::report(const ParticipantSid& sid, double level, TimePoint now) {
  const auto [voice, isNew] = m_voices.try_emplace(sid);
  if (isNew) voice->second.smoothedAt = now;
  advance(voice->second, now);
  voice->second.reported = level;
  voice->second.reportedAt = now;
}

void ActiveSpeakers::remove(const ParticipantSid& sid) {
  m_voices.erase(sid);
}

std::optional<std::vector<Speaker>> ActiveSpeakers::update(TimePoint now) {
  std::vector<Speaker> list;
  for (auto& [sid, voice] : m_voices) {
    advance(voice, now);
    voice.active = voice.smoothed >= (voice.active ? kLaw.ends : kLaw.begins);
    if (voice.active) list.push_back({sid, std::max(0.1, std::round(voice.smoothed * 10) / 10)});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Speaker& one, const Speaker& other) { return one.level > other.level; });
  if (list == m_list || (m_changed && now < *m_changed + kLaw.spacing)) return std::nullopt;
  m_changed = now;
  m_list = list;
  return list;
}

}  // namespace tactus::conference
