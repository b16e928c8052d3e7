// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/loudness.h"

#include <algorithm>
#include <cmath>

namespace tactus::media {
namespace {

constexpr double kFloor = -50;  // dB of full scale
constexpr double kFullScale = 32'768;

}  // namespace

double loudnessOf(std::span<const std::int16_t> samples) noexcept {
  double sum = 0;
  for (const std::int16_t each : samples) sum += static_cast<double>(each) * each;
  const double meanSquare =
      sum / (kFullScale * kFullScale) / static_cast<double>(std::max<std::size_t>(samples.size(), 1));
  return std::clamp(1 - 10 * std::log10(meanSquare + 1e-12) / kFloor, 0.0, 1.0);
}

}  // namespace tactus::media
