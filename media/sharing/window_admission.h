// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tactus::media {

/// What one window takes of the processors, and what it was promised of it.
struct WindowClaim {
  std::uint64_t id = 0;
  std::string name;
  double fixed = 0;    ///< processors, whatever its f
  double elastic = 0;  ///< processors at f = 1, less in proportion below
  double display = 0;  ///< part of `elastic` that follows the window's size
  double least = 1;    ///< f_min
  double weight = 1;

  /// What the promise alone needs.
  [[nodiscard]] double floor() const noexcept { return fixed + elastic * least; }
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

/// RTSS' question to a new stream (section 4, "admission control"): whether what it must have fits beside
/// what the others were promised. What they take above that does not count, as it would be thinned out. Alone
/// it always fits: there is nobody whom it could harm. `background` is the f_min of that priority. Nullopt:
/// it fits. Thread-safe: yes (pure).
[[nodiscard]] std::optional<WindowRefusal> refuseWindow(std::span<const WindowClaim> others,
                                                        const WindowClaim& added, double processors,
                                                        double background);

}  // namespace tactus::media
