// SPDX-License-Identifier: Apache-2.0
#include "media/playback/subtitles_beside.h"

#include <gmock/gmock.h>

namespace tactus::media {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SubtitlesBeside, AreThoseThatBearTheFilmsNameTheExactOneFirst) {
  EXPECT_THAT(subtitlesAmong(
                  {"film.en.srt", "other.srt", "film.srt", "film.mkv", "film.de.ASS", "film.nfo", "film.jpg"},
                  "film.mkv"),
              ElementsAre("film.srt", "film.de.ASS", "film.en.srt"));
}

TEST(SubtitlesBeside, AnotherPartOfASeriesIsAnotherFilm) {
  EXPECT_THAT(
      subtitlesAmong({"film2.srt", "film part 2.srt", "film.the long way home.srt", "fil.srt"}, "film.mkv"),
      IsEmpty());
}

TEST(SubtitlesBeside, AFileOfSubtitlesIsNotBesideItself) {
  EXPECT_THAT(subtitlesAmong({"film.sub", "film.srt"}, "film.sub"), ElementsAre("film.srt"));
}

TEST(SubtitlesBeside, AFolderThatCannotBeReadHasNone) {
  EXPECT_THAT(subtitlesBeside("/nowhere/at/all/film.mkv"), IsEmpty());
}

}  // namespace
}  // namespace tactus::media
