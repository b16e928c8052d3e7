// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/picture_continuity.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
constexpr periodic::TimePoint kStart{};

/// Pictures of 25 a second at these positions, shown at these instants.
PictureContinuity::Figures shownAt(std::initializer_list<std::pair<int, periodic::Duration>> pictures) {
  PictureContinuity continuity;
  for (const auto& [number, at] : pictures) continuity.onShown(kStart + at, number * 40ms, 40ms);
  return continuity.figures();
}

TEST(PictureContinuity, AnEvenStreamMissesNothing) {
  const auto figures = shownAt({{0, 0ms}, {1, 41ms}, {2, 79ms}, {3, 120ms}});
  EXPECT_EQ(figures.shown, 4u);
  EXPECT_EQ(figures.missed, 0u);
  EXPECT_EQ(figures.freezes, 0u);
  EXPECT_EQ(figures.longest, 41ms);
}

TEST(PictureContinuity, AGapInTheStreamIsPicturesMissed) {
  const auto figures = shownAt({{0, 0ms}, {3, 120ms}, {4, 160ms}, {6, 240ms}});
  EXPECT_EQ(figures.missed, 3u);
  EXPECT_EQ(figures.freezes, 0u);
}

TEST(PictureContinuity, AGapAbove200MillisecondsIsAFreeze) {
  EXPECT_EQ(shownAt({{0, 0ms}, {1, 200ms}}).freezes, 0u);
  const auto figures = shownAt({{0, 0ms}, {1, 201ms}, {2, 601ms}});
  EXPECT_EQ(figures.freezes, 2u);
  EXPECT_EQ(figures.frozen, 601ms);
  EXPECT_EQ(figures.longest, 400ms);
}

TEST(PictureContinuity, OfSlowPicturesAFreezeIsLongerThanThreePeriods) {
  PictureContinuity continuity;
  continuity.onShown(kStart, 0ms, 100ms);
  continuity.onShown(kStart + 300ms, 100ms, 100ms);
  EXPECT_EQ(continuity.figures().freezes, 0u);
  continuity.onShown(kStart + 601ms, 200ms, 100ms);
  EXPECT_EQ(continuity.figures().freezes, 1u);
}

TEST(PictureContinuity, WithoutARateNothingIsMissed) {
  PictureContinuity continuity;
  continuity.onShown(kStart, 0ms, 0ms);
  continuity.onShown(kStart + 50ms, 1s, 0ms);
  continuity.onShown(kStart + 90ms, std::nullopt, 0ms);
  EXPECT_EQ(continuity.figures().missed, 0u);
}

}  // namespace
}  // namespace tactus::media
