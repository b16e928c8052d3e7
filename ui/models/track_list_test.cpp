// SPDX-License-Identifier: Apache-2.0
#include "ui/models/track_list.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

using namespace std::chrono_literals;

std::vector<media::Track> tracks(int count, int selected) {
  std::vector<media::Track> list;
  for (int i = 0; i < count; ++i) list.push_back({i, "", "", "", i == selected});
  return list;
}

TEST(TrackList, TracksGoRoundAndNoneIsOneOfThemWhereItMayBe) {
  EXPECT_EQ(trackAfter(tracks(3, 0), 1, false), 1);
  EXPECT_EQ(trackAfter(tracks(3, 2), 1, false), 0);
  EXPECT_EQ(trackAfter(tracks(3, 0), -1, false), 2);
  EXPECT_EQ(trackAfter(tracks(2, 1), 1, true), -1);
  EXPECT_EQ(trackAfter(tracks(2, -1), 1, true), 0);
  EXPECT_EQ(trackAfter(tracks(2, 0), -1, true), -1);
  EXPECT_EQ(trackAfter(tracks(2, -1), -1, true), 1);
}

TEST(TrackList, ATrackIsNamedByWhatIsKnownOfIt) {
  const auto list = describe(std::vector<media::Track>{
      {0, "Commentary", "de", "AAC", true}, {1, "", "en", "Opus", false}, {2, "", "", "", false}});
  EXPECT_EQ(list[0].toMap()["name"], QStringLiteral("Commentary \u00b7 de"));
  EXPECT_EQ(list[1].toMap()["name"], QStringLiteral("en \u00b7 Opus"));
  EXPECT_EQ(list[2].toMap()["name"], "Track 3");
  EXPECT_EQ(list[0].toMap()["selected"], true);
}

TEST(TrackList, SecondSubtitlesAreAnyButTheSelectedOnesOrNone) {
  auto list = tracks(3, 1);
  EXPECT_EQ(secondAfter(list), 0);
  list[0].second = true;
  EXPECT_EQ(secondAfter(list), 2);
  list[0].second = false;
  list[2].second = true;
  EXPECT_EQ(secondAfter(list), -1);
  EXPECT_EQ(secondAfter(tracks(1, 0)), -1);
  EXPECT_EQ(secondAfter({}), -1);
}

TEST(TrackList, ChaptersBeforeAndAfterAPosition) {
  const std::vector<media::Chapter> chapters{{"One", 0s}, {"Two", 10s}, {"Three", 20s}};
  EXPECT_EQ(chapterFrom(chapters, 3, 1), 1u);
  EXPECT_EQ(chapterFrom(chapters, 9.95, 1), 2u) << "as good as there";
  EXPECT_EQ(chapterFrom(chapters, 25, 1), std::nullopt);
  EXPECT_EQ(chapterFrom(chapters, 15, -1), 1u) << "to its own start";
  EXPECT_EQ(chapterFrom(chapters, 10.5, -1), 0u) << "within its first second";
  EXPECT_EQ(chapterFrom(chapters, 0.2, -1), 0u);
  EXPECT_EQ(chapterFrom({}, 5, 1), std::nullopt);
  EXPECT_EQ(describe(chapters)[2].toMap()["start"], 20.0);
}

}  // namespace
}  // namespace tactus::ui
