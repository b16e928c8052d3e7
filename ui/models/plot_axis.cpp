// SPDX-License-Identifier: Apache-2.0
#include "ui/models/plot_axis.h"

#include <algorithm>
#include <cmath>

namespace tactus::ui {
namespace {

constexpr int kSteps = 3;  // or a few more, as round numbers have it
constexpr double kRounding = 1e-9;

/// The next 1, 2 or 5 times a power of ten.
double roundStep(double atLeast) {
  if (!(atLeast > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(atLeast)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= atLeast * (1 - kRounding)) return step * power;
  return 10 * power;
}

}  // namespace

double PlotAxis::place(double value) const noexcept {
  return std::clamp((value - low) / (high() - low), 0.0, 1.0);
}

PlotAxis plotAxis(double low, double high) {
  if (!std::isfinite(low)) low = 0;
  if (!std::isfinite(high)) high = 0;
  const double step = roundStep((high - low) / kSteps);
  const double first = std::floor(low / step + kRounding);
  const double last = std::ceil(high / step - kRounding);
  return {first * step + 0.0, step, std::max(1, static_cast<int>(last - first))};
}

}  // namespace tactus::ui
