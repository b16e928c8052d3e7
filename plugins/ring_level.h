// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// Holds the delay of sound in a ring between two clocks: a writer puts samples in when they are due by its
/// clock, a device takes q of them at a time by its own. With n the time since the oldest sample was due:
///
///     target = q + margin
///     d = d + w (n - d)          w = q / mean
///     speed = 1 + clamp((d - target) / settle, -most, most)
///
/// A ring that runs dry is filled to the target before it is read again; of what n says meanwhile the least
/// counts, as samples that came early would make it read too soon. What exceeds the target by more than the
/// tolerance is dropped down to the target, the oldest samples first. Two clocks that differ by x leave d at
/// target + x * settle. Thread-safe: no. Real-time-safe: yes, all of it.
class RingLevel {
 public:
  struct Constants {
    /// By how much samples, and the device's turns, may be late in sum.
    periodic::Duration margin = std::chrono::milliseconds(14);
    /// Time constant of d: the jitter of samples is averaged over it.
    periodic::Duration mean = std::chrono::milliseconds(500);
    periodic::Duration settle = std::chrono::seconds(2);           ///< time constant of a correction
    double most = 0.02;                                            ///< a third of a semitone
    periodic::Duration tolerance = std::chrono::milliseconds(60);  ///< above the target
  };
  /// What happens at a turn of the device: `drop` of the oldest samples are given up, then `play` of them are
  /// taken at `speed`; silence follows up to what was wanted.
  struct Turn {
    periodic::Duration drop{0}, play{0};
    double speed = 1;
  };

  RingLevel() noexcept : RingLevel(Constants{}) {}
  explicit RingLevel(const Constants& constants) noexcept : m_constants(constants) {}

  /// The device wants samples: `oldest` is the time since the oldest one in the ring was due, `waiting` how
  /// long those in the ring last, `wanted` those that the device takes (more than zero).
  Turn turn(periodic::Duration oldest, periodic::Duration waiting, periodic::Duration wanted) TACTUS_REALTIME;
  /// The device is gone: what the next one finds is not its delay.
  void reset() noexcept { m_state = State::Empty; }
  /// Else silence is heard.
  [[nodiscard]] bool plays() const TACTUS_REALTIME { return m_state == State::Plays; }
  /// d; zero in silence.
  [[nodiscard]] periodic::Duration delay() const TACTUS_REALTIME {
    return plays() ? m_delay : periodic::Duration{0};
  }

 private:
  void measure(periodic::Duration oldest, periodic::Duration wanted) noexcept;

  const Constants m_constants;
  enum class State { Empty, Fills, Plays } m_state = State::Empty;
  periodic::Duration m_delay{0};
};

}  // namespace tactus::plugins
