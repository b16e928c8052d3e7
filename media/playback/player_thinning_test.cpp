// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "core/periodic/qos/frequency_filter.h"
#include "core/periodic/qos/frequency_history.h"
#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

using periodic::FrequencyFilter;
using plugins::DropReason;

std::uint64_t droppedOf(const PlayerStatistics& figures, DropReason reason) {
  return figures.dropped[static_cast<std::size_t>(reason)];
}

std::uint64_t shedOf(const PlayerStatistics& figures) {
  return droppedOf(figures, DropReason::ShedBeforeDecoding) +
         droppedOf(figures, DropReason::ShedBeforeConversion) +
         droppedOf(figures, DropReason::ShedToKeyframe);
}

class Thinned : public PlayerTest {
 protected:
  /// The film from its first picture to its end at this thinning.
  void play(int pictures, Thinning thinning) {
    create();
    player->setThinning(thinning);
    open(numberedFilm(pictures));
    ASSERT_TRUE(ended());
  }
};

TEST_F(Thinned, TheShareIsSpreadEvenlyAndWhatCanGoGoesBeforeDecoding) {
  play(150, {.frequency = 0.5});
  const auto numbers = screen->numbers();
  periodic::FrequencyHistory filter;
  filter.setFrequency(0.5);
  // The first is what a film in PAUSED shows, whatever its number.
  for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_TRUE(filter.runs(numbers[i])) << numbers[i];
  const auto figures = player->statistics();
  EXPECT_EQ(figures.presented + shedOf(figures), 150u);
  EXPECT_NEAR(static_cast<double>(figures.presented), 75, 2);
  EXPECT_GE(droppedOf(figures, DropReason::ShedBeforeDecoding),
            10u);  // this film has few to which none refers
  EXPECT_EQ(figures.decoded, 150 - droppedOf(figures, DropReason::ShedBeforeDecoding));
  EXPECT_EQ(droppedOf(figures, DropReason::LateAtSink), 0u);
}

TEST_F(Thinned, PicturesThatStandAloneGoBeforeDecodingAll) {
  create();
  player->setThinning({.frequency = 0.5});
  open(numberedPictures(100));
  ASSERT_TRUE(ended());
  const auto figures = player->statistics();
  EXPECT_EQ(figures.presented + shedOf(figures), 100u);
  EXPECT_NEAR(static_cast<double>(figures.presented), 50, 8);
  // But for those decoded before it played, none is decoded in vain.
  EXPECT_GE(droppedOf(figures, DropReason::ShedBeforeDecoding), 40u);
}

TEST_F(Thinned, WhereAllAreKeyframesTheLastStageKeepsOneASecond) {
  create();
  player->setThinning({.frequency = 1, .keyframesOnly = true});
  open(numberedPictures(150));
  ASSERT_TRUE(ended());
  auto numbers = screen->numbers();
  std::erase_if(numbers, [](int number) { return number < 25; });  // decoded before it played
  ASSERT_GE(numbers.size(), 4u);
  ASSERT_LE(numbers.size(), 5u);
  for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_EQ(numbers[i] - numbers[i - 1], 25);
}

TEST_F(Thinned, AChangeOfTheShareLeavesNoGap) {
  create();
  player->setThinning({.frequency = 0.5});
  open(numberedFilm(150));
  for (int i = 0; i < 50 && recorder.ended == 0; ++i) {
    player->setThinning({.frequency = 0.5 + (i * 7 % 30) / 100.0});
    std::this_thread::sleep_for(100ms);
  }
  ASSERT_TRUE(ended());
  const auto numbers = screen->numbers();
  ASSERT_GT(numbers.size(), 50u);
  const auto figures = player->statistics();
  if (droppedOf(figures, DropReason::LateAtSink) > 0) GTEST_SKIP() << "the machine was too slow";
  for (std::size_t i = 2; i < numbers.size(); ++i)
    EXPECT_LE(numbers[i] - numbers[i - 1], 2) << "at " << numbers[i];
}

TEST_F(Thinned, SoundIsWhole) {
  play(75, {.frequency = 0.2});
  const auto packetsOfSound = [&] {
    for (const auto& task : player->statistics().stages)
      if (task.contract.stage == periodic::Stage::AudioDecode) return task.statistics.packets;
    return std::uint64_t{0};
  };
  const auto thin = packetsOfSound();
  player->setThinning({});
  recorder.ended = 0;
  open(numberedFilm(75));
  ASSERT_TRUE(ended());
  EXPECT_GT(thin, 20u);
  EXPECT_EQ(packetsOfSound(), thin);
}

TEST_F(Thinned, GapsAreWithinThePromise) {
  for (const double f : {0.7, 0.3}) {
    play(100, {.frequency = f});
    const auto promise = FrequencyFilter(f).promise();
    const auto numbers = screen->numbers();
    ASSERT_GT(numbers.size(), 10u);
    for (std::size_t i = 2; i < numbers.size(); ++i)
      EXPECT_LE(numbers[i] - numbers[i - 1], static_cast<int>(promise.k)) << f << " at " << numbers[i];
    player.reset();
    recorder.ended = 0;
    screen->forget();
  }
}

TEST_F(Thinned, OnlyKeyframesIsTheLastStage) {
  play(150, {.frequency = 1, .keyframesOnly = true});
  auto numbers = screen->numbers();
  std::erase_if(numbers, [](int number) { return number < 25; });  // decoded before it played
  EXPECT_THAT(numbers, ::testing::ElementsAre(25, 50, 75, 100, 125));
  EXPECT_GE(droppedOf(player->statistics(), DropReason::ShedToKeyframe), 120u);
}

TEST_F(Thinned, ItIsUndoneAtOnceAndPicturesAreRightAfterAKeyframe) {
  create();
  player->setThinning({.frequency = 1, .keyframesOnly = true});
  open(numberedFilm(150));
  ASSERT_TRUE(screen->waitForNumber(25));
  player->setThinning({});
  ASSERT_TRUE(ended());
  const auto numbers = screen->numbers();
  // From some keyframe on every picture, with its own number: none was decoded without what it refers to.
  const auto whole = std::find(numbers.begin(), numbers.end(), 75);
  ASSERT_NE(whole, numbers.end());
  std::vector<int> rest(75);
  std::iota(rest.begin(), rest.end(), 75);
  EXPECT_EQ(std::vector<int>(whole, numbers.end()), rest);
}

TEST_F(Thinned, APausedFilmShowsWhatItStandsOn) {
  create();
  player->setThinning({.frequency = 0.1});
  open(numberedFilm(75), true);
  ASSERT_TRUE(screen->waitForNumber(0));
  player->seek(std::chrono::milliseconds(520), SeekMode::Exact);
  EXPECT_TRUE(screen->waitForNumber(13));
  player->stepForward();
  EXPECT_TRUE(screen->waitForNumber(14));
}

TEST_F(Thinned, ChangesAHundredTimesASecondDoNoHarm) {
  create();
  open(numberedFilm(75));
  for (int i = 0; i < 200 && recorder.ended == 0; ++i) {
    player->setThinning({.frequency = (i % 10 + 1) / 10.0});
    player->setService(
        {.service = i % 2 == 0 ? periodic::ServiceClass::Guaranteed : periodic::ServiceClass::BestEffort});
    std::this_thread::sleep_for(10ms);
  }
  ASSERT_TRUE(ended());
  const auto figures = player->statistics();
  EXPECT_EQ(figures.presented + shedOf(figures) + droppedOf(figures, DropReason::LateAtSink), 75u);
}

}  // namespace
}  // namespace tactus::media::testing
