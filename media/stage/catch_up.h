// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/periodic/time/time.h"

namespace tactus::media {

/// Decides when a film that has fallen behind gives up what it has missed: while it will have caught
/// up soon, everything is decoded; else all packets up to a keyframe whose time has not passed are
/// skipped. Decoding pictures that nobody will see would keep it behind for good, and take the processors
/// from others. Thread-safe: no. Real-time-safe: yes.
class CatchUp {
 public:
  /// Whether this packet is skipped, whose picture was due `late` ago (negative: it is not due yet).
  [[nodiscard]] bool skips(periodic::TimePoint now, periodic::Duration late, bool keyframe) noexcept {
    switch (m_state) {
      case State::InTime:
        if (late > kBehind) become(State::Behind, now, late);
        break;
      case State::Behind:
        if (late <= kBehind) {
          m_state = State::InTime;
        } else if (now - m_since >= kPatience) {
          // At this pace: how long until it has caught up?
          const auto gained = static_cast<double>((m_by - late).count());
          const double needed = gained > 0 ? static_cast<double>(late.count()) / gained : 1e9;
          const bool soon = needed * (now - m_since) <= kSoon;
          become(soon ? State::Behind : State::Skipping, now, late);
        }
        break;
      case State::Skipping:
        if (now - m_since > kLongest || (keyframe && late < kBehind / 2)) m_state = State::InTime;
        break;
    }
    return skipping();
  }
  [[nodiscard]] bool skipping() const noexcept { return m_state == State::Skipping; }

 private:
  enum class State { InTime, Behind, Skipping };
  static constexpr periodic::Duration kBehind = std::chrono::milliseconds(500);
  static constexpr periodic::Duration kPatience = std::chrono::milliseconds(600);
  static constexpr periodic::Duration kSoon = std::chrono::seconds(3);
  /// A stream without keyframes that come in time is decoded all the same.
  static constexpr periodic::Duration kLongest = std::chrono::seconds(3);

  void become(State state, periodic::TimePoint now, periodic::Duration late) noexcept {
    m_state = state;
    m_since = now;
    m_by = late;
  }

  State m_state = State::InTime;
  periodic::TimePoint m_since{};
  periodic::Duration m_by{0};  // late, then
};

}  // namespace tactus::media
