// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/film_pace.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

TEST(FilmPace, AFilmIsDueAsItPlaysAndFourSecondsBefore) {
  FilmPace pace;
  EXPECT_EQ(pace.due(TimePoint{100s}), 4s);
  EXPECT_EQ(pace.due(TimePoint{100'020ms}), 4'020ms);
  EXPECT_EQ(pace.due(TimePoint{100'500ms}), 4'500ms);
}

TEST(FilmPace, AFilmStandsWhileNobodyAsks) {
  FilmPace pace;
  (void)pace.due(TimePoint{100s});
  EXPECT_EQ(pace.due(TimePoint{160s}), 5s);
  EXPECT_EQ(pace.due(TimePoint{160'020ms}), 5'020ms);
}

}  // namespace
}  // namespace tactus::media
