// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRectF>
#include <QSizeF>
#include <vector>

namespace tactus::ui {

/// Places for tiles of 16 to 9 in a window: as large as they can all be, row by row. Pinned ones get the
/// larger part, the others stand in a column beside it. Place i belongs to pinned[i]. Whole pixels.
/// Thread-safe: yes (pure).
[[nodiscard]] std::vector<QRectF> gridPlaces(const std::vector<bool>& pinned, QSizeF window);

}  // namespace tactus::ui
