// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/periodic/time/time.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// The room that pictures are scaled into: follows the target's once that has stayed the same for 150 ms,
/// since it changes with every frame while the user drags the window's edge. Thread-safe: no. Real-time-safe:
/// yes.
class SettledRoom {
 public:
  /// Pictures are scaled into `room` from now on.
  void adopt(PictureRoom room) noexcept { m_room = m_ahead = room; }
  /// Whether the target's room differs from the one in force, and has settled.
  [[nodiscard]] bool differs(PictureRoom room, periodic::TimePoint now) noexcept {
    if (room == m_room) {
      m_ahead = room;
      return false;
    }
    if (room != m_ahead) {
      m_ahead = room;
      m_changed = now;
      return false;
    }
    return now - m_changed >= kSettles;
  }

 private:
  static constexpr periodic::Duration kSettles = std::chrono::milliseconds(150);
  PictureRoom m_room, m_ahead;  // in force; and the target's newest
  periodic::TimePoint m_changed{};
};

}  // namespace tactus::plugins
