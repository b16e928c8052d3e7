// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/keyframe_start.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <initializer_list>
#include <vector>

namespace tactus::media {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(std::initializer_list<unsigned> all) {
  Bytes made;
  for (const unsigned each : all) made.push_back(static_cast<std::byte>(each));
  return made;
}
bool vp8(std::initializer_list<unsigned> all) {
  return beginsVp8Keyframe(bytes(all));
}
bool h264(std::initializer_list<unsigned> all) {
  return beginsH264Keyframe(bytes(all));
}

TEST(KeyframeStart, OfVp8IsTheFirstPartitionOfAPictureThatNeedsNoOther) {
  EXPECT_TRUE(vp8({0x10, 0x00}));
  EXPECT_FALSE(vp8({0x10, 0x01})) << "refers to others";
  EXPECT_FALSE(vp8({0x00, 0x00})) << "goes on";
  EXPECT_FALSE(vp8({0x11, 0x00})) << "a later partition";
}

TEST(KeyframeStart, OfVp8LiesBehindTheWholeDescriptor) {
  EXPECT_TRUE(vp8({0x90, 0x80, 0x01, 0x00})) << "a number of 7 bits";
  EXPECT_TRUE(vp8({0x90, 0x80, 0x81, 0x01, 0x00})) << "of 15 bits";
  EXPECT_TRUE(vp8({0x90, 0xe0, 0x81, 0x01, 0x01, 0x01, 0x00})) << "all there is";
  EXPECT_FALSE(vp8({0x90, 0xe0, 0x81, 0x01, 0x01, 0x01, 0x01}));
  EXPECT_FALSE(vp8({0x90, 0xe0, 0x81, 0x00})) << "cut off";
  EXPECT_FALSE(vp8({0x90}));
  EXPECT_FALSE(vp8({}));
}

TEST(KeyframeStart, OfH264IsAnIdrSliceOrParametersHoweverTheyArePacked) {
  EXPECT_TRUE(h264({0x65, 0x88}));
  EXPECT_FALSE(h264({0x65, 0x01})) << "a later slice of the picture";
  EXPECT_FALSE(h264({0x65})) << "cut off";
  EXPECT_TRUE(h264({0x67}));
  EXPECT_FALSE(h264({0x41}));
  EXPECT_TRUE(h264({0x7c, 0x85, 0x88})) << "the first fragment";
  EXPECT_FALSE(h264({0x7c, 0x85, 0x01})) << "of a later slice";
  EXPECT_FALSE(h264({0x7c, 0x05, 0x88})) << "a later one";
  EXPECT_FALSE(h264({0x7c}));
  EXPECT_TRUE(h264({0x78, 0, 1, 0x41, 0, 2, 0x65, 0x88})) << "the second of an aggregate";
  EXPECT_FALSE(h264({0x78, 0, 1, 0x41, 0, 9, 0x41}));
  EXPECT_FALSE(h264({}));
}

RC_GTEST_PROP(KeyframeStart, AnyBytesAreReadWithoutHarm, (const std::vector<std::uint8_t>& raw)) {
  Bytes payload;  // of its own size: reading beyond its end is found
  for (const std::uint8_t each : raw) payload.push_back(static_cast<std::byte>(each));
  (void)beginsVp8Keyframe(payload);
  (void)beginsH264Keyframe(payload);
}

}  // namespace
}  // namespace tactus::media
