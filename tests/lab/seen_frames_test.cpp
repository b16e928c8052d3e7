// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/seen_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;

/// Pictures first..last at `rate` per second, but those left out.
std::vector<Sighting> film(std::uint32_t first, std::uint32_t last, int rate,
                           const std::vector<std::uint32_t>& leftOut = {}) {
  std::vector<Sighting> sightings;
  for (std::uint32_t frame = first; frame <= last; ++frame) {
    if (std::find(leftOut.begin(), leftOut.end(), frame) != leftOut.end()) continue;
    sightings.push_back({periodic::TimePoint(periodic::Duration(1s) * frame / rate), frame});
  }
  return sightings;
}

TEST(SeenFrames, AWholeFilmIsSeenInFull) {
  const auto figures = judge(film(0, 300, 20), 20, 10, 5s);
  EXPECT_EQ(figures.seen, 100U);
  EXPECT_EQ(figures.share, 1);
  EXPECT_EQ(figures.skipped, 0U);
  EXPECT_EQ(figures.intervalP50, 50);
  EXPECT_EQ(figures.intervalLongest, 50);
}

TEST(SeenFrames, ASkippedPictureCostsItsShareAndAnInterval) {
  const auto figures = judge(film(0, 300, 20, {50}), 20, 10, 5s);
  EXPECT_EQ(figures.seen, 99U);
  EXPECT_EQ(figures.share, 0.99);
  EXPECT_EQ(figures.skipped, 1U);
  EXPECT_EQ(figures.intervalLongest, 100);
}

TEST(SeenFrames, AFrozenPictureIsALongInterval) {
  const auto figures = judge(film(0, 60, 20), 20, 10, 5s);
  EXPECT_EQ(figures.seen, 51U);
  EXPECT_EQ(figures.skipped, 0U);
  EXPECT_EQ(figures.intervalLongest, 2500);
}

TEST(SeenFrames, NothingSeenIsNothing) {
  EXPECT_EQ(judge({}, 30, 0, 5s).share, 0);
  EXPECT_EQ(judge(film(0, 9, 30), 30, 10, 5s).seen, 0U);
}

}  // namespace
}  // namespace tactus::lab
