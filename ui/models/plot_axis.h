// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::ui {

/// How far back the plots reach: one value for each second.
inline constexpr int kPlotSeconds = 60;

/// Marks of a plot's axis: round numbers, evenly spaced, the first at or below what is to be seen and the
/// last at or above.
struct PlotAxis {
  double low = 0, step = 1;
  int steps = 1;
  [[nodiscard]] double mark(int i) const noexcept { return low + i * step; }
  [[nodiscard]] double high() const noexcept { return mark(steps); }
  /// Place of a value: 0 at the lower edge, where all that lies below is, and 1 at the upper one.
  [[nodiscard]] double place(double value) const noexcept;
};

/// For values from `low` to `high`; what is not finite counts as 0. Thread-safe: yes (pure).
[[nodiscard]] PlotAxis plotAxis(double low, double high);

}  // namespace tactus::ui
