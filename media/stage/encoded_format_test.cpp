// SPDX-License-Identifier: Apache-2.0
#include "media/stage/encoded_format.h"

#include <gtest/gtest.h>

#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

using periodic::Stage;

EncodedFormat formatOf(const char* text, Stage stage) {
  gst_init(nullptr, nullptr);
  const plugins::CapsPtr caps(gst_caps_from_string(text));
  return EncodedFormat::of(caps.get(), stage);
}

TEST(EncodedFormat, CapsOfAFilmSayRateSizeAndOrder) {
  const auto format =
      formatOf("video/x-h264, stream-format=byte-stream, width=1280, height=720, framerate=30000/1001",
               Stage::VideoDecode);
  EXPECT_EQ(format.rate, periodic::Rate::perSecond(30000, 1001));
  EXPECT_FALSE(format.inDecodingOrder);
  EXPECT_EQ(format.name, "video/x-h264 1280x720");
  EXPECT_EQ(format.pixels(), 921'600);
  EXPECT_EQ(format.pictureBytes(), 1'382'400u);
  EXPECT_EQ(format.coding.codec, FrameCoding::Codec::H264);
}

TEST(EncodedFormat, AVariableRateIsUnknown) {
  EXPECT_EQ(formatOf("video/x-vp9, width=64, height=64, framerate=0/1", Stage::VideoDecode).rate,
            std::nullopt);
  EXPECT_TRUE(formatOf("video/x-vp9, width=64, height=64", Stage::VideoDecode).inDecodingOrder);
}

TEST(EncodedFormat, APictureOfTheConstrainedBaselineIsShownBeforeTheNext) {
  EXPECT_TRUE(formatOf("video/x-h264, profile=constrained-baseline", Stage::VideoDecode).inDecodingOrder);
  EXPECT_FALSE(formatOf("video/x-h264, profile=high", Stage::VideoDecode).inDecodingOrder);
}

TEST(EncodedFormat, ASizeThatNoPictureHasIsClamped) {
  const auto format = formatOf("video/x-h264, width=2147483647, height=2147483647", Stage::VideoDecode);
  EXPECT_EQ(format.pixels(), 32767LL * 32767);
  EXPECT_EQ(formatOf("video/x-h264, width=-5, height=0", Stage::VideoDecode).pixels(), 1);
}

TEST(EncodedFormat, SoundHasNeitherRateNorSize) {
  const auto format = formatOf("audio/mpeg, mpegversion=4, rate=48000", Stage::AudioDecode);
  EXPECT_EQ(format.rate, std::nullopt);
  EXPECT_TRUE(format.inDecodingOrder);
  EXPECT_EQ(format.name, "audio/mpeg");
}

TEST(EncodedFormat, OurOwnPacketsAreCalledAsGStreamersAre) {
  const auto format = formatOf(
      "video/x-tactus-packets, media-type=video/x-h264, codec=h264, stream-format=avc, width=64, height=48",
      Stage::VideoDecode);
  EXPECT_EQ(format.name, "video/x-h264 64x48");
  EXPECT_EQ(format.codec, "h264");
  EXPECT_EQ(format.coding.codec, FrameCoding::Codec::H264);
}

}  // namespace
}  // namespace tactus::media
