// SPDX-License-Identifier: Apache-2.0
// What films are promised of the machine's memory.
#include <gmock/gmock.h>

#include <atomic>

#include "media/playback/player_fixture.h"
#include "media/stage/film_memory.h"
#include "media/stage/picture_queue.h"

namespace tactus::media::testing {
namespace {

using ::testing::HasSubstr;

/// What a numberedFilm() takes where so many threads decode it.
double memoryOfNumbered(int threads) {
  EncodedFormat format;
  format.width = 320;
  format.height = 240;
  format.coding.codec = FrameCoding::Codec::H264;
  return static_cast<double>(memoryOf(format, threads, kQueuedUntilKnown));
}

/// A machine that has so much left for films.
class MemoryTest : public PlayerTest {
 protected:
  MemoryTest() {
    scheduler = std::make_unique<periodic::Scheduler>(
        clock, *gate, trace, false, [this]() -> std::optional<periodic::MemoryShare::Reading> {
          return periodic::MemoryShare::Reading{m_free.load(), 0};
        });
  }
  [[nodiscard]] double held() const { return scheduler->memory()->standing().held; }
  [[nodiscard]] int decoderWorkers() const {
    for (const auto& task : player->statistics().stages)
      if (task.contract.stage == periodic::Stage::VideoDecode) return task.workers;
    return -1;
  }
  void leave(double bytes) { m_free = bytes / 0.9; }

 private:
  std::atomic<double> m_free{1e9};
};

TEST_F(MemoryTest, AFilmHoldsWhatItNeedsUntilItIsStopped) {
  open(numberedFilm(75), true);
  const double one = held();
  EXPECT_GT(one, 320 * 240 * 1.5 * 10) << "ten pictures at least";
  EXPECT_LT(one, 320 * 240 * 1.5 * 60);
  EXPECT_EQ(static_cast<double>(player->statistics().memory), one);
  open(numberedFilm(75), true);
  EXPECT_EQ(held(), one) << "it takes the other's place";
  player->stop();
  EXPECT_EQ(held(), 0);
}

TEST_F(MemoryTest, AFilmThatDoesNotFitIsRefusedWithTheNumbers) {
  leave(2e6);
  const auto error = failure(numberedFilm(75).string());
  EXPECT_EQ(error.code, ErrorCode::Refused);
  EXPECT_THAT(error.message, HasSubstr("'numbered75.mkv' needs "));
  EXPECT_THAT(error.message, HasSubstr(" MB of memory; 2 MB are left."));
  EXPECT_EQ(screen->numbers(), std::vector<int>{});
  EXPECT_EQ(player->statistics().decoded, 0u);
  EXPECT_EQ(held(), 0);
}

TEST_F(MemoryTest, AFilmGetsAsManyDecoderThreadsAsThereIsMemoryFor) {
  settings.maxDecoderThreads = 4;
  const struct {
    double left, held;
    int workers;  // libavcodec makes none for one thread
  } machines[] = {{memoryOfNumbered(4), memoryOfNumbered(4), 4},
                  {memoryOfNumbered(4) - 1, memoryOfNumbered(2), 2},
                  {memoryOfNumbered(2) - 1, memoryOfNumbered(1), 0}};
  for (const auto& machine : machines) {
    leave(machine.left + 0.5);
    recorder.forgetStates();
    open(numberedFilm(75), true);
    EXPECT_EQ(held(), machine.held);
    EXPECT_TRUE(eventually([&] { return decoderWorkers() == machine.workers; })) << decoderWorkers();
    player->stop();
  }
  open(numberedFilm(75));
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->last(), 74) << "one thread decodes all of it";
  player->stop();
  recorder.ended = 0;
  leave(memoryOfNumbered(1) - 1);
  EXPECT_EQ(failure(numberedFilm(75).string()).code, ErrorCode::Refused);
}

TEST_F(MemoryTest, AFilmThatWasRefusedPlaysOnceThereIsRoom) {
  leave(2e6);
  EXPECT_EQ(failure(numberedFilm(75).string()).code, ErrorCode::Refused);
  leave(1e9);
  recorder.errors.clear();
  ASSERT_TRUE(player->open(numberedFilm(75).string()).ok());
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), upTo(75));
}

TEST_F(MemoryTest, WhatFollowsHoldsWhatItNeedsInstead) {
  settings.audio = false;
  holdAfter(5);
  open(numberedFilm(25));
  player->setNext(numberedFilm(75).string());
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers().size(), 100u);
  EXPECT_GT(held(), 0);
  player->stop();
  EXPECT_EQ(held(), 0);
}

}  // namespace
}  // namespace tactus::media::testing
