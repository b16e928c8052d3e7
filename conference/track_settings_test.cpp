// SPDX-License-Identifier: Apache-2.0
#include "conference/track_settings.h"

#include <gtest/gtest.h>

namespace tactus::conference {
namespace {

const ParticipantSid kAnn = *ParticipantSid::parse("PA_ann");
const TrackSid kCamera = *TrackSid::parse("TR_camera"), kScreen = *TrackSid::parse("TR_screen"),
               kMicrophone = *TrackSid::parse("TR_microphone");

/// Ann with camera, microphone and screen.
RoomView room() {
  ParticipantInfo ann{.sid = kAnn, .name = "Ann"};
  ann.tracks = {{kCamera, {.source = TrackSource::Camera}, false},
                {kMicrophone, {.source = TrackSource::Microphone}, false},
                {kScreen, {.source = TrackSource::Screen}, false}};
  RoomView view;
  view.others = {ann};
  return view;
}

class TrackSettingsTest : public ::testing::Test {
 protected:
  void show(StreamName name, ShownPictures pictures) {
    shown[{kAnn, name}] = pictures;
    settings.show(shown);
  }

  TrackSettings::Shown shown;
  TrackSettings settings;
  RoomView view = room();
};

TEST_F(TrackSettingsTest, WhatIsWantedAsItIsNeedNotBeTold) {
  EXPECT_TRUE(settings.takeNews(view).empty());
}

TEST_F(TrackSettingsTest, APlaceIsToldOnceInStepsOf32Pixels) {
  show(StreamName::Camera, {.place = {321, 180}, .priority = TrackPriority::High});
  const auto news = settings.takeNews(view);
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].first, kCamera);
  EXPECT_EQ(news[0].second, (TrackSetting{true, 352, 192, {}, TrackPriority::High}));
  EXPECT_TRUE(settings.takeNews(view).empty());
  show(StreamName::Camera, {.place = {350, 190}, .priority = TrackPriority::High});
  EXPECT_TRUE(settings.takeNews(view).empty());
}

TEST_F(TrackSettingsTest, WhatIsHiddenIsNotWanted) {
  show(StreamName::Screen, {.visible = false});
  const auto news = settings.takeNews(view);
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].first, kScreen);
  EXPECT_FALSE(news[0].second.enabled);
  EXPECT_FALSE(settings.wants({kAnn, StreamName::Screen}));
  EXPECT_TRUE(settings.wants({kAnn, StreamName::Camera}));
}

TEST_F(TrackSettingsTest, ATrackThatComesLaterIsToldThen) {
  show(StreamName::Camera, {.place = {320, 180}});
  EXPECT_TRUE(settings.takeNews(RoomView()).empty());
  EXPECT_EQ(settings.takeNews(view).size(), 1U);
}

TEST_F(TrackSettingsTest, TheSmallerOfTwoSizesIsAskedForHoweverLargeItIsShown) {
  view.others[0].tracks[0].description = {
      .source = TrackSource::Camera, .width = 1280, .height = 720, .sizes = 2};
  const StreamKey camera{kAnn, StreamName::Camera};
  settings.setSmaller(camera, true);
  auto news = settings.takeNews(view);
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].second, (TrackSetting{true, 640, 384, {}, TrackPriority::Normal}));
  show(StreamName::Camera, {.place = {1280, 720}, .priority = TrackPriority::High});
  news = settings.takeNews(view);
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].second, (TrackSetting{true, 640, 384, {}, TrackPriority::High}));
  show(StreamName::Camera, {.place = {320, 180}});
  EXPECT_EQ(settings.takeNews(view)[0].second.width, 320U) << "it is shown smaller still";
  show(StreamName::Camera, {.place = {1280, 720}});
  settings.setSmaller(camera, false);
  EXPECT_EQ(settings.takeNews(view)[0].second.width, 1280U);
}

TEST_F(TrackSettingsTest, WhatMayBeForgottenIsToldAgain) {
  show(StreamName::Camera, {.place = {320, 180}});
  EXPECT_EQ(settings.takeNews(view).size(), 1U);
  settings.forget();
  EXPECT_EQ(settings.takeNews(view).size(), 1U);
}

TEST_F(TrackSettingsTest, WhatIsLeftOutIsWantedAsItIsAgain) {
  show(StreamName::Camera, {.place = {320, 180}});
  (void)settings.takeNews(view);
  settings.show({});
  const auto news = settings.takeNews(view);
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].second, TrackSetting());
}

}  // namespace
}  // namespace tactus::conference
