// SPDX-License-Identifier: Apache-2.0
#include "ui/models/film_load.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tactus::ui {
namespace {

using namespace std::chrono_literals;

/// A film of 30 pictures a second after it has shown so many.
FilmLoad shown(std::uint64_t pictures) {
  FilmLoad load;
  load.name = "Lecture";
  load.playing = true;
  load.statistics.nominalRate = 30;
  load.statistics.presented = pictures;
  return load;
}

double last(const QVariantMap& series) {
  return series["values"].toList().back().toDouble();
}

TEST(FilmHealth, ThresholdsAreObsStudios) {
  EXPECT_EQ(rateHealth(0.96), Health::Good);
  EXPECT_EQ(rateHealth(0.94), Health::Strained);
  EXPECT_EQ(rateHealth(0.79), Health::Bad);
  EXPECT_EQ(lossHealth(0.01), Health::Good);
  EXPECT_EQ(lossHealth(0.02), Health::Strained);
  EXPECT_EQ(lossHealth(0.06), Health::Bad);
}

TEST(FilmHistory, TheFirstLookHasNothingToCompareWith) {
  FilmHistory history("#fff");
  const auto row = history.look(shown(1000), 1);
  EXPECT_EQ(row["rate"], QStringLiteral("\u2013"));
  EXPECT_EQ(row["cpu"], "");
  EXPECT_EQ(row["rateHealth"], "good");
  EXPECT_TRUE(std::isnan(last(history.rates())));
}

TEST(FilmHistory, HalfThePicturesAreBadUnlessThePlanWantsNoMore) {
  FilmHistory history("#fff");
  (void)history.look(shown(1000), 1);
  auto row = history.look(shown(1015), 1);
  EXPECT_EQ(row["rate"], "15.0 of 30");
  EXPECT_EQ(row["rateHealth"], "bad");
  EXPECT_EQ(last(history.rates()), 15);
  auto thinned = shown(1030);
  thinned.window.emplace();
  thinned.window->thinning.frequency = 0.5;
  thinned.window->sentence = "It gives way.";
  row = history.look(thinned, 1);
  EXPECT_EQ(row["rateHealth"], "good");
  EXPECT_EQ(row["says"], "It gives way.");
}

TEST(FilmHistory, LostAndLatePicturesAndProcessorTimeAreThoseOfTheLook) {
  FilmHistory history("#fff");
  auto load = shown(100);
  periodic::TaskReport display;
  display.contract.stage = periodic::Stage::VideoDisplay;
  display.statistics.laxity.count = 100;
  display.statistics.laxity.mean = 8ms;
  display.statistics.cpuTime = 500ms;
  load.statistics.stages = {display};
  (void)history.look(load, 1);
  load.statistics.presented = 124;
  load.statistics.dropped[static_cast<std::size_t>(plugins::DropReason::LateAtSink)] = 6;
  auto& task = load.statistics.stages[0].statistics;
  task.misses = 1;
  task.laxity.count = 200;
  task.laxity.mean = 6ms;
  task.cpuTime = 750ms;
  const auto row = history.look(load, 1);
  EXPECT_EQ(row["decode"], "20.0 % lost");
  EXPECT_EQ(row["decodeHealth"], "bad");
  EXPECT_EQ(row["display"], "4.0 % late");
  EXPECT_EQ(row["displayHealth"], "strained");
  EXPECT_EQ(row["cpu"], "25 %");
  EXPECT_DOUBLE_EQ(last(history.laxities()), 4) << "200 times 6 ms less 100 times 8 ms, over 100";
}

TEST(FilmHistory, AfterAPauseInLookingNothingIsCompared) {
  FilmHistory history("#fff");
  (void)history.look(shown(100), 1);
  history.forgetLook();
  EXPECT_EQ(history.look(shown(4000), 1)["rate"], QStringLiteral("\u2013"));
  EXPECT_EQ(history.look(shown(4030), 1)["rate"], "30.0 of 30");
}

TEST(FilmHistory, ThePromisedMemoryIsShownAtTheFirstLook) {
  FilmHistory history("#fff");
  auto load = shown(0);
  EXPECT_EQ(history.look(load, 1)["memory"], QStringLiteral("\u2013"));
  load.statistics.memory = 356'614'144;
  EXPECT_EQ(history.look(load, 1)["memory"], "357 MB");
  load.statistics.memory = 1'240'000'000;
  EXPECT_EQ(history.look(load, 1)["memory"], "1.2 GB");
}

TEST(FilmHistory, AStreamOfACallShowsItsPlayoutDelayAndTheLongest) {
  FilmHistory history("#fff");
  auto load = shown(0);
  EXPECT_EQ(history.look(load, 1)["buffer"], "");
  load.window.emplace();
  EXPECT_EQ(history.look(load, 1)["buffer"], "") << "of a file";
  load.window->playout = 45ms;
  load.window->longestPlayout = 125ms;
  EXPECT_EQ(history.look(load, 1)["buffer"], "45 of 125 ms");
}

TEST(FilmHistory, OneMinuteIsKept) {
  FilmHistory history("#fff");
  for (std::uint64_t i = 0; i < 100; ++i) (void)history.look(shown(30 * i), 1);
  EXPECT_EQ(history.rates()["values"].toList().size(), 60);
}

TEST(FilmHistory, AFilmThatWaitsForItsSourceSaysSo) {
  FilmHistory history("#fff");
  auto load = shown(0);
  load.playing = false;
  load.buffering = 40;
  const auto row = history.look(load, 1);
  EXPECT_EQ(row["source"], "waiting, 40 %");
  EXPECT_EQ(row["sourceHealth"], "bad");
}

}  // namespace
}  // namespace tactus::ui
