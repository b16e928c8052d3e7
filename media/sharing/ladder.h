// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "media/sharing/window_stage.h"

namespace tactus::media {

/// Processors that the pictures of one size take.
struct PictureCost {
  double fixed = 0;    ///< at any f
  double elastic = 0;  ///< at f = 1; in proportion below
  [[nodiscard]] double at(double f) const noexcept { return fixed + elastic * f; }
  friend bool operator==(const PictureCost&, const PictureCost&) = default;
};

/// What one window's rungs cost: keyframes only < f_min ... f_max of the smaller size, if it has one < of the
/// size that is wanted. Costs are in processors.
struct Ladder {
  double weight = 1;           ///< above 0; the heavier, the less it gives way
  double leastFrequency = 0;   ///< f_min within [0, 1]
  double mostFrequency = 1;    ///< of the highest rung: by a handler of its events; at least f_min
  bool mayFall = true;         ///< to the last rung
  bool keepsPictures = false;  ///< on the last rung it gives up its reservation, and still shows f_min
  double fixed = 0;            ///< at any f
  double elastic = 0;          ///< at f = 1; in proportion below
  std::optional<PictureCost> smaller = {};  ///< the same of its smaller size; absent: it has none
  double keyframes = 0;                     ///< of all it takes when it shows keyframes only
  WindowStage stage = WindowStage::Whole;   ///< at present
  double frequency = 1;                     ///< at present
  bool isSmall = false;                     ///< at present

  /// In its smaller size, if it has one and `small`.
  [[nodiscard]] PictureCost costs(bool small) const noexcept {
    return small && smaller ? *smaller : PictureCost{fixed, elastic};
  }
  [[nodiscard]] double cost(double f, bool small = false) const noexcept { return costs(small).at(f); }
  /// What its promise needs: f_min, of its smaller size if it has one.
  [[nodiscard]] double floor() const noexcept { return cost(leastFrequency, true); }
  /// What it takes once it has fallen: keyframes are some of the pictures of any f.
  [[nodiscard]] double lastRung() const noexcept {
    return keepsPictures ? floor() : std::min(keyframes, floor());
  }
};

/// Where a window stands on its ladder.
struct Rung {
  WindowStage stage = WindowStage::Whole;
  double frequency = 1;
  bool isSmall = false;  ///< it shows its smaller size
  friend bool operator==(const Rung&, const Rung&) = default;
};

/// The sum of all floors: what admission adds a new window to. Thread-safe: yes (pure).
[[nodiscard]] double floorsOf(std::span<const Ladder> ladders) noexcept;

/// Hysteresis of allocate().
struct LadderBands {
  double still = 0.0625;    ///< of f
  double returns = 0.0625;  ///< share of the capacity
  bool largerMay = true;    ///< a larger size may return now
};

/// Fills the ladders, rung by rung, by weight. `ladders` are in the order in which their windows were opened;
/// result i belongs to ladders[i].
///
/// First of all windows give up their larger size. A window does where the floors of the lighter ones, it and
/// its equals whole, and the heavier ones whole exceed `capacity`; of equals the youngest first, until it
/// fits. The larger size returns once that leaves `bands.returns` of the capacity free, if it may.
///
/// If the sum of all floors exceeds `capacity`, windows fall to the last rung, the lightest first and of
/// equals the youngest, until the rest fits (RTSS, section 4: no operation falls below its f_min). Who has
/// fallen returns once its floor leaves `bands.returns` of the capacity free. What `room` has above the
/// floors raises f by weight (compress()); a change of f by less than `bands.still` is not made where the
/// present f fits. `room` is `capacity` less what must be made up for: a backlog thins out, it lets nobody
/// fall.
///
/// Thread-safe: yes (pure). Real-time-safe: no (allocates). O(n log n).
[[nodiscard]] std::vector<Rung> allocate(std::span<const Ladder> ladders, double capacity, double room,
                                         const LadderBands& bands);

}  // namespace tactus::media
