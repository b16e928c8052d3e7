// SPDX-License-Identifier: Apache-2.0
#include "media/playback/played_item.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

TEST(PlayedItem, AnotherItemBeginsWithNothingOfTheLast) {
  PlayedItem item;
  item.begin("file:///films/one.mkv", 100);
  (void)item.change([](MediaInfo& info) {
    info.duration = 5s;
    info.hasAudio = true;
  });
  item.setMissing("decoder");
  item.countDecodeError();
  item.setLateAtDecoder(3);
  EXPECT_TRUE(item.mayFallBack());
  EXPECT_FALSE(item.mayFallBack());

  item.begin("file:///films/two.mkv", 250);
  const MediaInfo info = item.info();
  EXPECT_EQ(info.title, "two.mkv");
  EXPECT_EQ(info.duration, std::nullopt);
  EXPECT_FALSE(info.hasAudio);
  EXPECT_EQ(item.missing(), "");
  EXPECT_EQ(item.counts().decodeErrors, 0u);
  EXPECT_EQ(item.counts().lateAtDecoder, 0u);
  EXPECT_EQ(item.counts().shownBefore, 250u);
  EXPECT_TRUE(item.mayFallBack());
  EXPECT_EQ(item.number(), 2u);
}

TEST(PlayedItem, AnotherPipelineOfTheSameItemKeepsWhatIsKnown) {
  PlayedItem item;
  item.begin("file:///films/one.mkv", 0);
  (void)item.change([](MediaInfo& info) { info.duration = 5s; });
  item.countDecodeError();
  item.setMissing("decoder");
  EXPECT_TRUE(item.mayFallBack());
  item.startPipeline(TimePoint{10s});
  EXPECT_EQ(item.info().duration, 5s);
  EXPECT_EQ(item.counts().decodeErrors, 1u);
  EXPECT_EQ(item.missing(), "");
  EXPECT_FALSE(item.mayFallBack());
  EXPECT_EQ(item.silence(TimePoint{12s}), 2s);
  item.noteProgress(TimePoint{11s});
  EXPECT_EQ(item.silence(TimePoint{12s}), 1s);
}

TEST(PlayedItem, AFileIsCalledByItsNameAndAStreamByItsAddress) {
  PlayedItem item;
  item.begin("file:///films/one%20two.mkv", 0);
  EXPECT_EQ(nameOf(item.info()), "one two.mkv");
  EXPECT_FALSE(isRemote(item.info().uri));
  item.begin("http://example.org/a.mkv", 0);
  EXPECT_EQ(nameOf(item.info()), "http://example.org/a.mkv");
  EXPECT_TRUE(isRemote(item.info().uri));
  item.begin("stream://1", 0);
  EXPECT_FALSE(isRemote(item.info().uri)) << "its sender may begin late";
}

TEST(PlayedItem, OfLatePicturesTheGreatestCountHolds) {
  PlayedItem item;
  item.setLateAtDecoder(7);
  item.setLateAtDecoder(4);
  EXPECT_EQ(item.counts().lateAtDecoder, 7u);
}

}  // namespace
}  // namespace tactus::media
