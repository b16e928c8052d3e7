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

TEST(PictureContinuity, WhatWasGivenUpOnPurposeIsNotMissed) {
  PictureContinuity continuity;
  continuity.onShown(kStart, 0ms, 40ms, 0);
  continuity.onShown(kStart + 80ms, 80ms, 40ms, 1);
  EXPECT_EQ(continuity.figures().missed, 0u);
  continuity.onShown(kStart + 200ms, 200ms, 40ms, 2);  // of two that are left out, one was missed
  EXPECT_EQ(continuity.figures().missed, 1u);
}

TEST(PictureContinuity, AGapOfTheLastStageIsNotMissed) {
  PictureContinuity continuity;
  continuity.onShown(kStart, 0ms, 40ms, 0);
  continuity.onShown(kStart + 10s, 10s, 40ms, 249);
  EXPECT_EQ(continuity.figures().missed, 0u);
  EXPECT_EQ(continuity.figures().freezes, 1u);  // that is what is seen
}

TEST(PictureContinuity, OnesGivenUpOnTheirWayBelongToALaterGap) {
  PictureContinuity continuity;
  continuity.onShown(kStart, 0ms, 40ms, 0);
  continuity.onShown(kStart + 40ms, 40ms, 40ms, 2);
  EXPECT_EQ(continuity.figures().missed, 0u);
  continuity.onShown(kStart + 160ms, 160ms, 40ms, 2);
  EXPECT_EQ(continuity.figures().missed, 0u);
  continuity.onShown(kStart + 240ms, 240ms, 40ms, 2);
  EXPECT_EQ(continuity.figures().missed, 1u);
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
