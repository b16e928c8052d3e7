// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/periodic/time/time.h"

namespace tactus::net {

/// A window of the last `count` spans of time, a Slot for each: figures that forget what is older, in
/// constant memory. The present span counts, so that the window is between count - 1 and count spans long.
/// Thread-safe: no. Real-time-safe: yes.
template <typename Slot, std::size_t count>
class SlidingSlots {
 public:
  /// Above 0.
  explicit SlidingSlots(periodic::Duration span) noexcept : m_span(span) {}

  /// The slot of this instant, as Slot{} when it is new. An instant that is older than the window has the
  /// slot that took its place.
  [[nodiscard]] Slot& at(periodic::TimePoint instant) TACTUS_REALTIME {
    const std::int64_t turn = turnOf(instant);
    Cell& cell = m_cells[indexOf(turn)];
    if (cell.turn < turn) cell = {turn, Slot{}};
    return cell.slot;
  }

  /// Calls `visit(slot)` for each slot that the window has at `now`.
  template <typename Visit>
  void forEach(periodic::TimePoint now, Visit visit) const TACTUS_REALTIME {
    const std::int64_t turn = turnOf(now);
    for (const Cell& cell : m_cells)
      if (cell.turn != kNever && cell.turn > turn - static_cast<std::int64_t>(count)) visit(cell.slot);
  }

  void clear() TACTUS_REALTIME { m_cells = {}; }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
  struct Cell {
    std::int64_t turn = kNever;  // which span, counted from the clock's origin
    Slot slot = {};
  };

  [[nodiscard]] std::int64_t turnOf(periodic::TimePoint instant) const TACTUS_REALTIME {
    return instant.time_since_epoch() / m_span;
  }
  [[nodiscard]] static std::size_t indexOf(std::int64_t turn) TACTUS_REALTIME {
    return static_cast<std::uint64_t>(turn) % count;
  }

  periodic::Duration m_span;
  std::array<Cell, count> m_cells{};
};

}  // namespace tactus::net
