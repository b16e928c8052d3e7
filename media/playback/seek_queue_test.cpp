// SPDX-License-Identifier: Apache-2.0
#include "media/playback/seek_queue.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using Seek = SeekQueue::Seek;

SeekQueue opened() {
  SeekQueue seeks;
  (void)seeks.prerolled();
  return seeks;
}

TEST(SeekQueue, BeforeThePrerollTheNewestIsAnExactStartPosition) {
  SeekQueue seeks;
  EXPECT_FALSE(seeks.startsElsewhere());
  EXPECT_FALSE(seeks.request({5s, SeekMode::Fast}));
  EXPECT_FALSE(seeks.request({7s, SeekMode::Fast}));
  EXPECT_TRUE(seeks.startsElsewhere());
  EXPECT_EQ(seeks.heading(), 7s);
  EXPECT_EQ(seeks.next(), std::nullopt);
  EXPECT_TRUE(seeks.prerolled());
  EXPECT_EQ(seeks.next(), (Seek{7s, SeekMode::Exact}));
}

TEST(SeekQueue, OneIsUnderWayAndTheNewestFollows) {
  auto seeks = opened();
  EXPECT_TRUE(seeks.request({1s, SeekMode::Fast}));
  EXPECT_EQ(seeks.next(), (Seek{1s, SeekMode::Fast}));
  EXPECT_EQ(seeks.heading(), 1s);
  EXPECT_FALSE(seeks.request({2s, SeekMode::Exact}));
  EXPECT_FALSE(seeks.request({3s, SeekMode::Fast}));
  EXPECT_EQ(seeks.heading(), 3s);
  EXPECT_EQ(seeks.next(), std::nullopt) << "the first is not done";
  EXPECT_FALSE(seeks.prerolled());
  EXPECT_EQ(seeks.next(), (Seek{3s, SeekMode::Fast}));
  EXPECT_FALSE(seeks.prerolled());
  EXPECT_EQ(seeks.heading(), std::nullopt);
  EXPECT_FALSE(seeks.waits());
}

TEST(SeekQueue, ARefusedSeekMakesRoomForAnother) {
  auto seeks = opened();
  EXPECT_TRUE(seeks.request({1s}));
  EXPECT_TRUE(seeks.next().has_value());
  seeks.refused();
  EXPECT_EQ(seeks.heading(), std::nullopt);
  EXPECT_TRUE(seeks.request({2s}));
}

TEST(SeekQueue, AnotherPipelineStartsWhereTheLastOneWas) {
  auto seeks = opened();
  seeks.reopen(4s);
  EXPECT_FALSE(seeks.opened());
  EXPECT_TRUE(seeks.startsElsewhere());
  EXPECT_TRUE(seeks.prerolled());
  EXPECT_EQ(seeks.next(), Seek{4s});
  seeks.reopen(1s);
  EXPECT_EQ(seeks.heading(), 4s) << "it was on the way there";
  seeks.clear();
  seeks.reopen(0s);
  EXPECT_FALSE(seeks.startsElsewhere()) << "it starts there anyway";
}

TEST(SeekQueue, APipelineMayBeginAtTheStartPositionByItself) {
  SeekQueue seeks;
  seeks.beginsThere();
  EXPECT_EQ(seeks.heading(), std::nullopt) << "there was none";
  (void)seeks.request({3s});
  seeks.beginsThere();
  EXPECT_FALSE(seeks.startsElsewhere());
  EXPECT_FALSE(seeks.underWay());
  EXPECT_EQ(seeks.heading(), 3s);
  seeks.reopen(0s);
  EXPECT_TRUE(seeks.startsElsewhere()) << "another pipeline may not";
  EXPECT_EQ(seeks.heading(), 3s);
  seeks.beginsThere();
  EXPECT_TRUE(seeks.prerolled());
  EXPECT_EQ(seeks.heading(), std::nullopt);
}

TEST(SeekQueue, ASeekIsUnderWayUntilItIsDoneOrRefused) {
  auto seeks = opened();
  (void)seeks.request({1s});
  EXPECT_FALSE(seeks.underWay());
  (void)seeks.next();
  EXPECT_TRUE(seeks.underWay());
  EXPECT_FALSE(seeks.prerolled());
  EXPECT_FALSE(seeks.underWay());
  (void)seeks.request({2s});
  (void)seeks.next();
  seeks.refused();
  EXPECT_FALSE(seeks.underWay());
  EXPECT_EQ(seeks.heading(), std::nullopt);
}

TEST(SeekQueue, AnotherItemForgetsAll) {
  auto seeks = opened();
  EXPECT_TRUE(seeks.request({1s}));
  seeks.clear();
  EXPECT_FALSE(seeks.opened());
  EXPECT_FALSE(seeks.waits());
}

}  // namespace
}  // namespace tactus::media
