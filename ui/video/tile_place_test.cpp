// SPDX-License-Identifier: Apache-2.0
#include "ui/video/tile_place.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

/// A window of so many pixels, with the logical size that Qt gives it at this scale.
TilePlace::Window window(QSize pixels, qreal scale) {
  return {pixels, QSizeF((QSizeF(pixels) / scale).toSize()), scale};
}

/// A tile that fills it.
TilePlace filling(QSize pixels, qreal scale) {
  const auto whole = window(pixels, scale);
  return {whole, QRectF(QPointF(), whole.logical)};
}

constexpr qreal kScales[] = {1, 1.25, 1.5, 1.85, 2, 3};

TEST(TilePlace, ATileThatFillsItsWindowHasAllItsPixels) {
  ASSERT_EQ(window({640, 480}, 1.5).logical, QSizeF(427, 320));
  ASSERT_EQ(window({640, 480}, 1.85).logical, QSizeF(346, 259));
  for (const qreal scale : kScales) {
    for (int more = 0; more < 12; ++more) {
      const QSize pixels(640 + more, 480 + more);
      EXPECT_EQ(filling(pixels, scale).room(), QRect(QPoint(), pixels)) << scale << ' ' << more;
    }
  }
}

TEST(TilePlace, APictureOfTheRoomsSizeFillsIt) {
  for (const qreal scale : kScales)
    EXPECT_EQ(filling({640, 480}, scale).fitted({640, 480}), QRect(0, 0, 640, 480)) << scale;
}

TEST(TilePlace, NeighboursShareAnEdgeOnTheNearestPixel) {
  const auto whole = window({640, 480}, 1.5);
  EXPECT_EQ(TilePlace(whole, {0, 0, 213, 320}).room(), QRect(0, 0, 320, 480));  // 319.5
  EXPECT_EQ(TilePlace(whole, {213, 0, 214, 320}).room(), QRect(320, 0, 320, 480));
  EXPECT_EQ(TilePlace(whole, {2, 2, 209, 316}).room(), QRect(3, 3, 314, 474));  // to 316.5 and 477
}

TEST(TilePlace, APictureKeepsItsShapeInTheMiddle) {
  EXPECT_EQ(filling({640, 480}, 1).fitted({1280, 720}), QRect(0, 60, 640, 360));
  EXPECT_EQ(filling({720, 1280}, 1).fitted({720, 1280}), QRect(0, 0, 720, 1280));
  EXPECT_EQ(filling({640, 480}, 1.5).fitted({480, 640}), QRect(140, 0, 360, 480));
  EXPECT_EQ(filling({641, 480}, 1.5).fitted({640, 480}), QRect(0, 0, 640, 480));
  const auto whole = window({640, 480}, 1.5);
  EXPECT_EQ(TilePlace(whole, {213, 0, 214, 320}).fitted({1, 1}), QRect(320, 80, 320, 320));
}

TEST(TilePlace, WithoutAPictureItIsTheRoom) {
  EXPECT_EQ(filling({10, 10}, 1).fitted({}), QRect(0, 0, 10, 10));
  EXPECT_TRUE(TilePlace().fitted({640, 480}).isEmpty());
}

TEST(TilePlace, APictureConvertedForTheRoomIsNotScaledForAPixel) {
  const auto place = filling({1000, 700}, 1.25);
  EXPECT_EQ(place.fitted({1280, 720}), QRect(0, 68, 1000, 563));  // 562.5
  EXPECT_EQ(place.fitted({1280, 720}, {1000, 562}), QRect(0, 69, 1000, 562));
  EXPECT_EQ(place.fitted({1280, 720}, {1280, 720}), QRect(0, 68, 1000, 563));
}

TEST(TilePlace, PixelsGoToTheTileAndBack) {
  for (const qreal scale : kScales) {
    const TilePlace place(window({641, 479}, scale), {7, 11, 200, 100});
    const QRectF onTile = place.onTile(place.room());
    EXPECT_NEAR((onTile.left() + 7) * scale, place.room().left(), 1e-9);
    EXPECT_NEAR((onTile.top() + 11) * scale, place.room().top(), 1e-9);
    EXPECT_NEAR(onTile.width() * scale, place.room().width(), 1e-9);
    EXPECT_NEAR(onTile.height() * scale, place.room().height(), 1e-9);
  }
}

TEST(TilePlace, APartTouchesEveryPixelThatItLiesOn) {
  const TilePlace place(window({640, 480}, 1.5), {1, 1, 200, 100});
  EXPECT_EQ(place.touched({0, 0, 3, 3}), QRect(1, 1, 5, 5));  // from 1.5 to 6
}

}  // namespace
}  // namespace tactus::ui
