// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

#include "core/periodic/time/time.h"
#include "plugins/video_converter.h"

namespace tactus::plugins {

/// Chooses how well a picture is scaled from the time that is left and from what each quality cost so far
/// (HeiTS, LBAP_poll: a monotonic computation is refined while there is time). Thread-safe: no.
/// Real-time-safe: yes.
class ScaleChoice {
 public:
  /// The best quality that fits into a third of the time that is left, and into an eighth of the period: a
  /// nicer picture is not worth another window's place.
  [[nodiscard]] ScaleQuality choose(periodic::Duration left, periodic::Duration period) const noexcept {
    const periodic::Duration most = std::min(left / kPartOfTimeLeft, period / kPartOfPeriod);
    for (std::size_t quality = m_cost.size() - 1; quality > 0; --quality) {
      // A quality never tried is taken for four times as costly as the fast one.
      const periodic::Duration cost = m_cost[quality] > kUnknown ? m_cost[quality] : 4 * m_cost[0];
      if (cost > kUnknown && cost <= most) return static_cast<ScaleQuality>(quality);
    }
    return ScaleQuality::Fast;
  }
  /// One picture cost this much. The greatest cost counts, and falls by a sixteenth with each cheaper
  /// picture.
  void record(ScaleQuality quality, periodic::Duration cost) noexcept {
    auto& known = m_cost[static_cast<std::size_t>(quality)];
    known = std::max<periodic::Duration>(cost, known - known / 16);
  }
  /// Pictures of another size: nothing is known of their costs.
  void restart() noexcept { m_cost.fill(kUnknown); }

 private:
  static constexpr int kPartOfTimeLeft = 3;
  static constexpr int kPartOfPeriod = 8;
  static constexpr periodic::Duration kUnknown{0};
  std::array<periodic::Duration, static_cast<std::size_t>(ScaleQuality::Count_)> m_cost{};
};

}  // namespace tactus::plugins
