// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/periodic/time/time.h"

namespace tactus::net {

/// The least of the values of the last `Slots` slots of time, the newest included. Instants may come in any
/// order; a value that is older than all slots is ignored. Thread-safe: no. Real-time-safe: yes.
template <std::size_t Slots>
class WindowedLeast {
 public:
  explicit WindowedLeast(double slot) noexcept : m_width(slot) {}

  /// Instants and the width of a slot in seconds.
  void put(double instant, double value) TACTUS_REALTIME {
    const auto number = static_cast<std::int64_t>(std::floor(instant / m_width));
    auto& slot = m_slots[static_cast<std::uint64_t>(number) % Slots];
    if (!slot.used || slot.number < number) {
      slot = {number, value, true};
    } else if (slot.number == number && value < slot.least) {
      slot.least = value;
    }
    m_newest = std::max(m_newest, number);
  }
  [[nodiscard]] std::optional<double> least() const TACTUS_REALTIME {
    std::optional<double> least;
    for (const Slot& slot : m_slots) {
      if (!slot.used || slot.number <= m_newest - static_cast<std::int64_t>(Slots)) continue;
      if (!least || slot.least < *least) least = slot.least;
    }
    return least;
  }
  void clear() TACTUS_REALTIME {
    m_slots = {};
    m_newest = kNone;
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min() / 2;
  struct Slot {
    std::int64_t number = 0;
    double least = 0;
    bool used = false;
  };
  double m_width;
  std::array<Slot, Slots> m_slots{};
  std::int64_t m_newest = kNone;  // slot
};

}  // namespace tactus::net
