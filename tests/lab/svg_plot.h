// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tactus::lab {

/// What is compared: one colour in every panel.
struct Series {
  std::string name;
  std::vector<double> values;  ///< one for each category; not a number = nothing there
};

/// One pair of axes over named categories.
struct Panel {
  enum class Kind {
    Lines,
    Bars,
    Dots,  ///< one small dot a value, in order along a numbered axis; no categories
  };
  struct Limit {
    double value = 0;
    std::string name;
  };
  std::string title;
  std::string xLabel;
  std::string yLabel;  ///< with its unit
  Kind kind = Kind::Lines;
  std::vector<std::string> categories;
  std::vector<Series> series;
  std::optional<Limit> limit;  ///< a dashed line across: what is promised
  std::optional<double> top;   ///< of the y axis; otherwise as the values need
  double low = 0;              ///< lower end of the y axis
};

/// A figure of panels, two to a row, with one legend.
struct Figure {
  std::string title;
  std::string note;  ///< small, under the title: what machine, what was granted
  std::vector<Panel> panels;
};

/// The figure as an SVG 1.1 document. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] std::string toSvg(const Figure& figure);

/// The distance of an axis' marks (1, 2 or 5 times a power of ten) so that about `marks` of them reach `top`.
[[nodiscard]] double niceStep(double top, int marks);

}  // namespace tactus::lab
