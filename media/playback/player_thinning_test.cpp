// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "core/periodic/qos/frequency_filter.h"
#include "core/periodic/qos/frequency_history.h"
#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

using periodic::FrequencyFilter;
using plugins::DropReason;
using ::testing::AnyOf;
using ::testing::ElementsAre;

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
    holdAfter(0);  // nothing is given up before it plays
    open(numberedFilm(pictures));
    clock.letGo();
    ASSERT_TRUE(ended());
  }
  /// Which of so many pictures are shown at this share: the first is what a film in PAUSED shows.
  [[nodiscard]] static std::vector<int> thinned(int pictures, double share) {
    periodic::FrequencyHistory filter;
    filter.setFrequency(share);
    auto numbers = upTo(pictures);
    std::erase_if(numbers, [&](int number) { return number > 0 && !filter.runs(number); });
    return numbers;
  }
};

TEST_F(Thinned, TheShareIsSpreadEvenlyAndWhatCanGoGoesBeforeDecoding) {
  play(150, {.frequency = 0.5});
  EXPECT_EQ(screen->numbers(), thinned(150, 0.5));
  const auto figures = player->statistics();
  EXPECT_EQ(figures.presented + shedOf(figures), 150u);
  EXPECT_GE(droppedOf(figures, DropReason::ShedBeforeDecoding),
            10u);  // this film has few to which none refers
  EXPECT_EQ(figures.decoded, 150 - droppedOf(figures, DropReason::ShedBeforeDecoding));
  EXPECT_EQ(droppedOf(figures, DropReason::LateAtSink), 0u);
}

TEST_F(Thinned, PicturesThatStandAloneGoBeforeDecodingAll) {
  create();
  player->setThinning({.frequency = 0.5});
  holdAfter(75);
  open(numberedPictures(100));
  ASSERT_TRUE(clock.isHeld());
  const auto inVain = droppedOf(player->statistics(), DropReason::ShedBeforeConversion);
  clock.letGo();
  ASSERT_TRUE(ended());
  const auto figures = player->statistics();
  EXPECT_EQ(figures.presented + shedOf(figures), 100u);
  EXPECT_EQ(screen->numbers(), thinned(100, 0.5));
  // But for those decoded before it played, none is decoded in vain.
  EXPECT_EQ(droppedOf(figures, DropReason::ShedBeforeConversion), inVain);
  EXPECT_LT(inVain, 25u);
}

TEST_F(Thinned, WhereAllAreKeyframesTheLastStageKeepsOneASecond) {
  create();
  player->setThinning({.frequency = 1, .lastRung = true});
  open(numberedPictures(150));
  ASSERT_TRUE(ended());
  auto numbers = screen->numbers();
  std::erase_if(numbers, [](int number) { return number < 50; });  // decoded before it played
  ASSERT_THAT(numbers.size(), AnyOf(4u, 3u));
  for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_EQ(numbers[i] - numbers[i - 1], 25);
}

TEST_F(Thinned, AChangeOfTheShareLeavesNoGap) {
  create();
  player->setThinning({.frequency = 0.5});
  clock.holdAt(0s);
  open(numberedFilm(150));
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(clock.isHeld());
    player->setThinning({.frequency = 0.5 + (i * 7 % 30) / 100.0});
    clock.holdAt(i * 3 * 40ms);
  }
  clock.letGo();
  ASSERT_TRUE(ended());
  const auto numbers = screen->numbers();
  ASSERT_GT(numbers.size(), 75u);
  EXPECT_EQ(droppedOf(player->statistics(), DropReason::LateAtSink), 0u);
  for (std::size_t i = 2; i < numbers.size(); ++i)
    EXPECT_LE(numbers[i] - numbers[i - 1], 2) << "at " << numbers[i];
}

TEST_F(Thinned, GapsAreWithinThePromise) {
  for (const double f : {0.7, 0.3}) {
    play(100, {.frequency = f});
    const auto promise = FrequencyFilter(f).promise();
    const auto numbers = screen->numbers();
    EXPECT_EQ(numbers, thinned(100, f));
    for (std::size_t i = 2; i < numbers.size(); ++i)
      EXPECT_LE(numbers[i] - numbers[i - 1], static_cast<int>(promise.k)) << f << " at " << numbers[i];
    player.reset();
    recorder.ended = 0;
    screen->forget();
  }
}

TEST_F(Thinned, OnlyKeyframesIsTheLastStage) {
  play(150, {.frequency = 1, .lastRung = true});
  auto numbers = screen->numbers();
  std::erase_if(numbers, [](int number) { return number < 50; });  // decoded before it played
  EXPECT_THAT(numbers, ElementsAre(50, 75, 100, 125));
  EXPECT_GE(droppedOf(player->statistics(), DropReason::ShedToKeyframe), 96u);
}

TEST_F(Thinned, ItIsUndoneAtOnceAndPicturesAreRightAfterAKeyframe) {
  create();
  player->setThinning({.frequency = 1, .lastRung = true});
  holdAfter(25);
  open(numberedFilm(150));
  ASSERT_TRUE(clock.isHeld());
  player->setThinning({});
  clock.letGo();
  ASSERT_TRUE(ended());
  const auto numbers = screen->numbers();
  // From some keyframe on every picture, with its own number: none was decoded without what it refers to.
  const auto whole = std::find(numbers.begin(), numbers.end(), 75);
  ASSERT_NE(whole, numbers.end());
  EXPECT_EQ(std::vector<int>(whole, numbers.end()), fromTo(75, 150));
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

TEST_F(Thinned, ChangesAtEveryPictureDoNoHarm) {
  create();
  clock.holdAt(0s);
  open(numberedFilm(75));
  for (int i = 0; i < 50; ++i) {  // whatever is thinned at the end, it is not over then
    ASSERT_TRUE(clock.isHeld());
    player->setThinning({.frequency = (i % 10 + 1) / 10.0});
    player->setService(
        {.service = i % 2 == 0 ? periodic::ServiceClass::Guaranteed : periodic::ServiceClass::BestEffort});
    clock.holdAt(i * 40ms);
  }
  clock.letGo();
  ASSERT_TRUE(ended());
  const auto figures = player->statistics();
  EXPECT_EQ(figures.presented + shedOf(figures), 75u);
}

}  // namespace
}  // namespace tactus::media::testing
