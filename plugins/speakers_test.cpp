// SPDX-License-Identifier: Apache-2.0
#include "plugins/speakers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tactus::plugins {
namespace {

GstAudioInfo soundOf(int channels, const char* mask) {
  gst_init(nullptr, nullptr);
  std::string text =
      "audio/x-raw, format=F32LE, layout=interleaved, rate=48000, channels=" + std::to_string(channels);
  if (mask != nullptr) text += std::string(", channel-mask=(bitmask)") + mask;
  GstAudioInfo info;
  GstCaps* caps = gst_caps_from_string(text.c_str());
  EXPECT_TRUE(gst_audio_info_from_caps(&info, caps));
  gst_caps_unref(caps);
  return info;
}

/// Of one frame, whose channels have the samples 1, 2, 3 ...
SpeakerFrame spread(const ChannelPlacement& placement, std::size_t channels) {
  std::vector<float> samples;
  for (std::size_t i = 1; i <= channels; ++i) samples.push_back(static_cast<float>(i));
  std::array<SpeakerFrame, 1> frames;
  frames[0].fill(9);
  placement.spread(samples, frames);
  return frames[0];
}

TEST(ChannelPlacement, ChannelsGoToTheirSpeakersAndTheOthersAreSilent) {
  const ChannelPlacement stereo(soundOf(2, "0x3"));
  EXPECT_EQ(stereo.speakers(), Speakers("00000011"));
  EXPECT_EQ(spread(stereo, 2), (SpeakerFrame{1, 2, 0, 0, 0, 0, 0, 0}));
  const ChannelPlacement rear(soundOf(6, "0x3f"));
  EXPECT_EQ(rear.speakers(), Speakers("00111111"));
  EXPECT_EQ(spread(rear, 6), (SpeakerFrame{1, 2, 3, 4, 5, 6, 0, 0}));
  const ChannelPlacement side(soundOf(6, "0xc0f"));
  EXPECT_EQ(side.speakers(), Speakers("11001111"));
  EXPECT_EQ(spread(side, 6), (SpeakerFrame{1, 2, 3, 4, 0, 0, 5, 6}));
}

TEST(ChannelPlacement, MonoIsOneSpeakerOfAStreamAndTwoOfAWiderOne) {
  const ChannelPlacement mono(soundOf(1, nullptr));
  EXPECT_EQ(mono.speakers(), Speakers("00000001"));
  EXPECT_EQ(spread(mono, 1), (SpeakerFrame{1, 1, 0, 0, 0, 0, 0, 0}));
  const ChannelPlacement center(soundOf(1, "0x4"));
  EXPECT_EQ(center.speakers(), mono.speakers());
  EXPECT_EQ(spread(center, 1), spread(mono, 1));
}

TEST(ChannelPlacement, AChannelThatSevenPointOneLacksIsHeardBesideItsPlace) {
  const ChannelPlacement withRearCenter(soundOf(7, "0xd0f"));  // 6.1: front, centre, LFE, rear centre, sides
  EXPECT_EQ(withRearCenter.speakers(), Speakers("11111111"));
  const auto frame = spread(withRearCenter, 7);
  EXPECT_NEAR(frame[4], 5 * 0.7071, 0.001);
  EXPECT_NEAR(frame[5], 5 * 0.7071, 0.001);
  EXPECT_EQ(frame[6], 6);
  const ChannelPlacement wide(soundOf(8, "0xff"));  // 7.1 with left and right of the centre
  EXPECT_EQ(spread(wide, 8), (SpeakerFrame{1 + 7, 2 + 8, 3, 4, 5, 6, 0, 0}));
}

TEST(ChannelPlacement, ChannelsWithoutAPlaceTakeTheSpeakersInTheirOrder) {
  const ChannelPlacement unplaced(soundOf(4, "0x0"));
  EXPECT_EQ(unplaced.speakers(), Speakers("00001111"));
  EXPECT_EQ(spread(unplaced, 4), (SpeakerFrame{1, 2, 3, 4, 0, 0, 0, 0}));
}

TEST(Gather, GivesTheSamplesOfTheChosenSpeakersAlone) {
  const std::array<SpeakerFrame, 2> frames{{{1, 2, 3, 4, 5, 6, 7, 8}, {11, 12, 13, 14, 15, 16, 17, 18}}};
  std::array<float, 6> out{};
  EXPECT_EQ(gather(frames, Speakers("01000101"), out.data()), out.data() + 6);
  EXPECT_EQ(out, (std::array<float, 6>{1, 3, 7, 11, 13, 17}));
}

}  // namespace
}  // namespace tactus::plugins
