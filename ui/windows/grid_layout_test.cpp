// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/grid_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tactus::ui {
namespace {

TEST(GridPlaces, FillTheWindowAndNeverOverlap) {
  for (int count = 1; count <= 60; ++count) {
    for (const int pins : {0, 1, 2}) {
      std::vector<bool> pinned(static_cast<std::size_t>(count), false);
      for (int i = 0; i < std::min(pins, count); ++i)
        pinned[static_cast<std::size_t>(i * (count - 1))] = true;
      const auto places = gridPlaces(pinned, QSizeF(1280, 720));
      ASSERT_EQ(places.size(), pinned.size());
      for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_TRUE(QRectF(0, 0, 1280, 720).contains(places[i])) << count << ' ' << pins << ' ' << i;
        EXPECT_EQ(QRectF(places[i].toRect()), places[i]);
        for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(places[i].intersects(places[j]));
      }
    }
  }
}

TEST(GridPlaces, FourStandTwoByTwoAndAPinnedOneIsLargest) {
  const auto four = gridPlaces({false, false, false, false}, QSizeF(1280, 720));
  EXPECT_EQ(four[3], QRectF(640, 360, 640, 360));
  const auto pinned = gridPlaces({false, true, false}, QSizeF(1280, 720));
  EXPECT_GT(pinned[1].width(), 900);
  EXPECT_LT(pinned[0].width(), 300);
}

}  // namespace
}  // namespace tactus::ui
