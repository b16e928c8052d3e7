// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/grid_layout.h"

#include <algorithm>
#include <cmath>

namespace tactus::ui {
namespace {

constexpr double kAspect = 16.0 / 9;
constexpr double kPinnedPart = 0.78;  // of the width

/// `count` equal places in `bounds`, in as many columns as make the pictures largest.
std::vector<QRectF> evenly(std::size_t count, QRectF bounds) {
  std::vector<QRectF> places;
  if (count == 0) return places;
  std::size_t columns = 1;
  double best = 0;
  for (std::size_t each = 1; each <= count; ++each) {
    const std::size_t rows = (count + each - 1) / each;
    const double width = std::min(bounds.width() / static_cast<double>(each),
                                  bounds.height() / static_cast<double>(rows) * kAspect);
    if (width > best * 1.001) {
      best = width;
      columns = each;
    }
  }
  const std::size_t rows = (count + columns - 1) / columns;
  const auto edge = [](double from, double length, std::size_t index, std::size_t parts) {
    return std::round(from + length * static_cast<double>(index) / static_cast<double>(parts));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i / columns;
    // A last row that is not full stands in the middle.
    const std::size_t inRow = row + 1 < rows ? columns : count - row * columns;
    const double shift =
        bounds.width() / static_cast<double>(columns) * static_cast<double>(columns - inRow) / 2;
    const double left = std::round(edge(bounds.x(), bounds.width(), i % columns, columns) + shift);
    const double right = std::round(edge(bounds.x(), bounds.width(), i % columns + 1, columns) + shift);
    const double top = edge(bounds.y(), bounds.height(), row, rows);
    const double bottom = edge(bounds.y(), bounds.height(), row + 1, rows);
    places.emplace_back(left, top, right - left, bottom - top);
  }
  return places;
}

}  // namespace

std::vector<QRectF> gridPlaces(const std::vector<bool>& pinned, QSizeF window) {
  const QRectF all(QPointF(0, 0), window);
  const auto pins = static_cast<std::size_t>(std::count(pinned.begin(), pinned.end(), true));
  if (pins == 0 || pins == pinned.size()) return evenly(pinned.size(), all);
  const double split = std::round(window.width() * kPinnedPart);
  const auto large = evenly(pins, QRectF(0, 0, split, window.height()));
  // One below the other, and not higher than their pictures are.
  const std::size_t rest = pinned.size() - pins;
  const double width = window.width() - split;
  const double height = std::min(width / kAspect, window.height() / static_cast<double>(rest));
  const double top = (window.height() - height * static_cast<double>(rest)) / 2;
  std::vector<QRectF> places;
  std::size_t nextLarge = 0, nextSmall = 0;
  for (const bool pin : pinned) {
    if (pin) {
      places.push_back(large[nextLarge++]);
      continue;
    }
    const double from = std::round(top + height * static_cast<double>(nextSmall));
    const double to = std::round(top + height * static_cast<double>(++nextSmall));
    places.emplace_back(split, from, width, to - from);
  }
  return places;
}

}  // namespace tactus::ui
