// SPDX-License-Identifier: Apache-2.0
#include "media/stage/frame_kind.h"

#include <gtest/gtest.h>

#include <vector>

namespace tactus::media {
namespace {

using Unit = std::vector<std::uint8_t>;
constexpr auto kH264 = FrameCoding::Codec::H264;
constexpr auto kH265 = FrameCoding::Codec::H265;

Unit startCodes(std::initializer_list<Unit> nals) {
  Unit unit;
  for (const auto& nal : nals) {
    unit.insert(unit.end(), {0, 0, 0, 1});
    unit.insert(unit.end(), nal.begin(), nal.end());
  }
  return unit;
}

Unit lengths(std::initializer_list<Unit> nals) {
  Unit unit;
  for (const auto& nal : nals) {
    unit.insert(unit.end(), {0, 0, 0, static_cast<std::uint8_t>(nal.size())});
    unit.insert(unit.end(), nal.begin(), nal.end());
  }
  return unit;
}

TEST(FrameKind, H264SlicesThatNobodyRefersTo) {
  const Unit sei{0x06, 5, 1, 2};
  const Unit loose{0x01, 0x9a, 0x20};     // nal_ref_idc 0, slice
  const Unit referred{0x41, 0x9a, 0x20};  // nal_ref_idc 2
  const Unit key{0x65, 0x88, 0x84};       // IDR
  for (const int bytes : {0, 4}) {
    const FrameCoding coding{kH264, bytes};
    const auto unit = [&](std::initializer_list<Unit> nals) {
      return bytes == 0 ? startCodes(nals) : lengths(nals);
    };
    EXPECT_TRUE(isDisposable(coding, unit({loose})));
    EXPECT_TRUE(isDisposable(coding, unit({sei, loose, loose})));
    EXPECT_FALSE(isDisposable(coding, unit({referred})));
    EXPECT_FALSE(isDisposable(coding, unit({loose, referred})));
    EXPECT_FALSE(isDisposable(coding, unit({key})));
    EXPECT_FALSE(isDisposable(coding, unit({sei})));
  }
}

TEST(FrameKind, H265SubLayerNonReferencePictures) {
  const FrameCoding coding{kH265, 0};
  EXPECT_TRUE(isDisposable(coding, startCodes({{0x00, 0x01, 0xd0}})));       // TRAIL_N
  EXPECT_FALSE(isDisposable(coding, startCodes({{0x02, 0x01, 0xd0}})));      // TRAIL_R
  EXPECT_TRUE(isDisposable(coding, startCodes({{0x08 << 1, 0x01, 0xd0}})));  // RASL_N
  EXPECT_FALSE(isDisposable(coding, startCodes({{0x26, 0x01, 0xaf}})));      // IDR
}

TEST(FrameKind, Mpeg2BPictures) {
  const FrameCoding coding{FrameCoding::Codec::Mpeg2, 0};
  const auto picture = [](int type) {
    return Unit{0, 0, 1, 0x00, 0x00, static_cast<std::uint8_t>(type << 3), 0xff, 0xf8};
  };
  EXPECT_FALSE(isDisposable(coding, picture(1)));
  EXPECT_FALSE(isDisposable(coding, picture(2)));
  EXPECT_TRUE(isDisposable(coding, picture(3)));
}

TEST(FrameKind, NoneRefersToAnotherWhereEachIsWhole) {
  const auto coding = FrameCoding::of("image/jpeg", "", {});
  EXPECT_EQ(coding.codec, FrameCoding::Codec::Intra);
  EXPECT_TRUE(isDisposable(coding, Unit{0xff, 0xd8}));
  EXPECT_TRUE(isDisposable(FrameCoding::of("video/x-prores", "", {}), {}));
}

TEST(FrameKind, WhatCannotBeToldIsKept) {
  EXPECT_FALSE(isDisposable({}, startCodes({{0x01, 0x9a}})));
  EXPECT_FALSE(isDisposable({kH264, 0}, {}));
  EXPECT_FALSE(isDisposable({kH264, 4}, Unit{0, 0, 0, 200, 0x01, 0x9a}));  // a length beyond the unit
  EXPECT_FALSE(isDisposable({kH264, 4}, Unit{0, 0, 0}));
  EXPECT_FALSE(isDisposable({kH264, 4}, Unit{0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(isDisposable({FrameCoding::Codec::Mpeg2, 0}, Unit{0, 0, 1, 0}));
}

TEST(FrameKind, CapsSayHowUnitsArePacked) {
  const Unit avcc{1, 100, 0, 31, 0xfd, 0xe1};  // lengths of two bytes
  EXPECT_EQ(FrameCoding::of("video/x-h264", "avc", avcc).lengthBytes, 2);
  EXPECT_EQ(FrameCoding::of("video/x-h264", "avc", {}).lengthBytes, 4);
  EXPECT_EQ(FrameCoding::of("video/x-h264", "byte-stream", {}).lengthBytes, 0);
  EXPECT_EQ(FrameCoding::of("video/x-h265", "hvc1", {}).lengthBytes, 4);
  EXPECT_EQ(FrameCoding::of("video/x-vp9", "", {}).codec, FrameCoding::Codec::Other);
}

}  // namespace
}  // namespace tactus::media
