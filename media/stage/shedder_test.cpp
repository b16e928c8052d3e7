// SPDX-License-Identifier: Apache-2.0
#include "media/stage/shedder.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;
using Fate = Shedder::Fate;

/// A film of 25 pictures a second, given as one letter a picture: K keyframe, P referred to, b not.
class ShedderTest : public testing::Test {
 protected:
  ShedderTest() { shedder.setStream(false, 40ms); }

  Shedder::Judgement judge(char kind, Duration presentation, Duration late = -200ms, bool unseen = false) {
    now += 40ms;
    return shedder.judge({kind == 'K', kind == 'b', presentation}, unseen, now - late, now);
  }
  /// One letter a picture, in order of presentation: D decoded, - thinned, k given up to a keyframe.
  std::string play(std::string_view kinds, Duration late = -200ms) {
    std::string fates;
    for (const char kind : kinds) {
      fates += "D-k"[static_cast<int>(judge(kind, at, late).fate)];
      at += 40ms;
    }
    return fates;
  }

  std::shared_ptr<plugins::PictureFilter> filter = std::make_shared<plugins::PictureFilter>();
  Shedder shedder{filter};
  TimePoint now{100s};
  Duration at{0};
};

TEST_F(ShedderTest, AtFullFrequencyAllAreDecoded) {
  EXPECT_EQ(play("KbPbPbKbP"), "DDDDDDDDD");
  EXPECT_EQ(shedder.thinned(), 0u);
  EXPECT_EQ(shedder.toKeyframe(), 0u);
}

TEST_F(ShedderTest, TheFilterGivesUpPicturesToWhichNoneRefers) {
  filter->setFrequency(0.5);  // of two pictures the second runs
  EXPECT_EQ(play("bbbbbbbb"), "-D-D-D-D");
  EXPECT_EQ(shedder.thinned(), 4u);
}

TEST_F(ShedderTest, WhatOthersReferToIsDecodedAllTheSame) {
  filter->setFrequency(0);
  EXPECT_EQ(play("KbPbPbPb"), "D-D-D-D-");
}

TEST_F(ShedderTest, PicturesThatNobodyWillSeeAreNotThinned) {
  filter->setFrequency(0);
  EXPECT_EQ(judge('b', 0ms, -200ms, true).fate, Fate::Decode);
  EXPECT_EQ(shedder.disposable(), 0);
}

TEST_F(ShedderTest, TheShareOfDisposablePicturesIsLearned) {
  play("KbPb");
  EXPECT_DOUBLE_EQ(shedder.disposable(), 0.5);
  filter->setFrequency(0.5);
  EXPECT_DOUBLE_EQ(shedder.reservedFrequency(), 0.8);  // 0.75, in tenths
  filter->setFrequency(1);
  EXPECT_DOUBLE_EQ(shedder.reservedFrequency(), 1);
}

TEST_F(ShedderTest, TheLastStageKeepsKeyframesAndGoesOnAtOne) {
  shedder.setKeyframesOnly(true);
  EXPECT_EQ(play("KbPbPKbP"), "DkkkkDkk");
  shedder.setKeyframesOnly(false);
  EXPECT_EQ(play("bPKbP"), "kkDDD");
  EXPECT_EQ(shedder.toKeyframe(), 8u);
}

TEST_F(ShedderTest, ADecoderIsDrainedOnceAfterEachKeyframeOfTheLastStage) {
  shedder.setKeyframesOnly(true);
  EXPECT_EQ(judge('K', 0ms), (Shedder::Judgement{Fate::Decode, false}));
  EXPECT_EQ(judge('P', 40ms), (Shedder::Judgement{Fate::ToKeyframe, true}));
  EXPECT_EQ(judge('P', 80ms), (Shedder::Judgement{Fate::ToKeyframe, false}));
}

TEST_F(ShedderTest, LeadingPicturesAfterAGapAreGivenUp) {
  shedder.setKeyframesOnly(true);
  EXPECT_EQ(play("KP"), "Dk");
  shedder.setKeyframesOnly(false);
  EXPECT_EQ(judge('K', 200ms).fate, Fate::Decode);
  EXPECT_EQ(judge('b', 120ms).fate, Fate::ToKeyframe);  // shown before the keyframe, refers to what is gone
  EXPECT_EQ(judge('b', 160ms).fate, Fate::ToKeyframe);
  EXPECT_EQ(judge('P', 320ms).fate, Fate::Decode);
  EXPECT_EQ(judge('b', 280ms).fate, Fate::Decode);
  EXPECT_EQ(judge('K', 440ms).fate, Fate::Decode);
  EXPECT_EQ(judge('b', 400ms).fate, Fate::Decode) << "there is no gap before this keyframe";
}

TEST_F(ShedderTest, OfAStreamOfKeyframesTheLastStageKeepsOneASecond) {
  shedder.setStream(true, 40ms);
  shedder.setKeyframesOnly(true);
  const std::string fates = play(std::string(60, 'K'));
  EXPECT_EQ(fates, "D" + std::string(24, 'k') + "D" + std::string(24, 'k') + "D" + std::string(9, 'k'));
  EXPECT_EQ(judge('K', 10s), (Shedder::Judgement{Fate::Decode, false}));
  EXPECT_EQ(judge('K', 10040ms), (Shedder::Judgement{Fate::ToKeyframe, false})) << "it holds nothing back";
}

TEST_F(ShedderTest, AFilmThatStaysBehindSkipsToAKeyframeInTime) {
  // Behind from the first packet; 15 periods of 40 ms later CatchUp's patience is over.
  EXPECT_EQ(play("KPPPPPPPPPPPPPPPPPPP", 800ms), "DDDDDDDDDDDDDDDkkkkk");
  EXPECT_EQ(play("KP", 700ms), "kk");  // late as well
  EXPECT_EQ(play("PKP", -50ms), "kDD");
}

TEST_F(ShedderTest, WhileNobodyWatchesNothingIsBehind) {
  for (int i = 0; i < 100; ++i) EXPECT_EQ(judge('P', 40ms * i, 5s, true).fate, Fate::Decode);
}

TEST_F(ShedderTest, ASeekMendsWhatWasBroken) {
  shedder.setKeyframesOnly(true);
  EXPECT_EQ(play("KP"), "Dk");
  shedder.setKeyframesOnly(false);
  shedder.flush();
  EXPECT_EQ(play("PP"), "DD");
}

}  // namespace
}  // namespace tactus::media
