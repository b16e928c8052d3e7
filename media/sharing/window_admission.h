// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "media/sharing/ladder.h"

namespace tactus::media {

/// One window's ladder and what is needed to speak of it.
struct WindowClaim {
  std::uint64_t id = 0;
  std::string name;
  Ladder ladder;
  double display = 0;  ///< part of the ladder's `elastic` that follows the window's size
};

/// Something its user can do so that a refused window fits.
struct WindowOffer {
  enum class Kind {
    Fewer,       ///< an f_min of `leastFrequency`
    Smaller,     ///< half as wide and high
    Background,  ///< that priority
    Close,       ///< the window `other`
  } kind = Kind::Fewer;
  double leastFrequency = 0;
  std::uint64_t other = 0;
  std::string text;  ///< of a button: "Half of its pictures"
};

/// Why a window was not admitted beside the others.
struct WindowRefusal {
  double needs = 0;  ///< processors
  double left = 0;   ///< beside the promises made to the others
  std::string sentence;
  std::vector<WindowOffer> offers;  ///< each would fit by itself
};

/// Admission of one more window (RTSS, section 4): its floor must fit beside the floors of the others into
/// `promised` processors. What they take above their floors does not count, as it would be thinned out. Alone
/// a window always fits: there is nobody whom it could harm. `background` is the f_min of that priority.
/// Nullopt: it fits. Thread-safe: yes (pure).
[[nodiscard]] std::optional<WindowRefusal> refuseWindow(std::span<const WindowClaim> others,
                                                        const WindowClaim& added, double promised,
                                                        double background);

}  // namespace tactus::media
