// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace tactus::plugins::av {

/// Which devices may decode pictures.
enum class HardwareWish { None, Any, Vaapi, Cuda };

/// As an option's value says it: mpv's names.
constexpr auto kHardwareWishes = std::to_array<std::pair<std::string_view, HardwareWish>>({
    {"auto", HardwareWish::Any},
    {"no", HardwareWish::None},
    {"vaapi", HardwareWish::Vaapi},
    {"cuda", HardwareWish::Cuda},
});

[[nodiscard]] constexpr std::string_view nameOf(HardwareWish wish) noexcept {
  return std::find_if(kHardwareWishes.begin(), kHardwareWishes.end(),
                      [=](const auto& known) { return known.second == wish; })
      ->first;
}
/// Absent where nothing is called so.
[[nodiscard]] constexpr std::optional<HardwareWish> hardwareWishOf(std::string_view name) noexcept {
  for (const auto& [known, wish] : kHardwareWishes)
    if (known == name) return wish;
  return std::nullopt;
}

}  // namespace tactus::plugins::av
