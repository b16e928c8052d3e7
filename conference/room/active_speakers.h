// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "conference/room/room_facts.h"
#include "core/periodic/time/time.h"

namespace tactus::conference {

/// Who speaks in a room. With x the level that a participant reported last, 0 once it is older than `fresh`,
///
///     s(t + dt) = x + (s(t) - x) * exp(-dt / smoothing)
///
/// a participant becomes active at s >= `begins` and is active until s < `ends`. The list is the active ones,
/// the loudest first, levels in tenths; it changes at most once in `spacing`. Thread-safe: no.
/// Real-time-safe: no (allocates).
class ActiveSpeakers {
 public:
  struct Constants {
    periodic::Duration smoothing = std::chrono::milliseconds(300);
    periodic::Duration fresh = std::chrono::seconds(1);
    periodic::Duration spacing = std::chrono::milliseconds(500);
    double begins = 0.10, ends = 0.05;
  };

  /// A participant's level, 0 ... 1.
  void report(const ParticipantSid& sid, double level, periodic::TimePoint now);
  /// It is gone, or has nothing to be heard; the next list is without it.
  void remove(const ParticipantSid& sid);
  /// The new list; nullopt: it is as it was, or changed too short a time ago.
  [[nodiscard]] std::optional<std::vector<Speaker>> update(periodic::TimePoint now);
  /// The list that update() gave last.
  [[nodiscard]] const std::vector<Speaker>& list() const noexcept { return m_list; }

 private:
  struct Voice {
    double reported = 0, smoothed = 0;
    periodic::TimePoint reportedAt = {}, smoothedAt = {};
    bool active = false;
  };
  static void advance(Voice& voice, periodic::TimePoint now);

  std::map<ParticipantSid, Voice> m_voices;
  std::vector<Speaker> m_list;
  std::optional<periodic::TimePoint> m_changed;
};

}  // namespace tactus::conference
