// SPDX-License-Identifier: Apache-2.0
#include "media/stage/film_memory.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using Codec = FrameCoding::Codec;

EncodedFormat pictures(int width, int height, Codec codec) {
  EncodedFormat format;
  format.width = width;
  format.height = height;
  format.coding.codec = codec;
  return format;
}

double megabytes(int width, int height, Codec codec, int threads = 1) {
  return static_cast<double>(memoryOf(pictures(width, height, codec), threads, 5)) / 1e6;
}

/// What one film more took of a machine's memory, read off the process (two threads for H.264 and H.265).
TEST(FilmMemory, IsWhatFilmsWereSeenToTakeAndRoomForMoreReferences) {
  const struct {
    double promised, seen;
  } films[] = {{megabytes(3840, 2160, Codec::H264, 2), 247}, {megabytes(1920, 1080, Codec::H264, 2), 58},
               {megabytes(3840, 2160, Codec::H265, 2), 215}, {megabytes(3840, 2160, Codec::Mpeg2), 182},
               {megabytes(3840, 2160, Codec::Intra), 176},   {megabytes(3840, 2160, Codec::Other, 2), 222}};
  for (const auto& film : films) {
    EXPECT_GE(film.promised, film.seen);
    EXPECT_LE(film.promised, 2.2 * film.seen);
  }
}

TEST(FilmMemory, LargePicturesAreKeptInSmallerNumbers) {
  EXPECT_LT(megabytes(3840, 2160, Codec::H264), 3 * megabytes(1920, 1080, Codec::H264));
}

TEST(FilmMemory, WhateverAFileClaimsIsANumber) {
  EXPECT_GT(memoryOf(pictures(32767, 32767, Codec::H264), 64, 12), std::uint64_t{32767} * 32767 * 20);
  EXPECT_GT(memoryOf(pictures(1, 1, Codec::Other), 1, 0), 0u);
}

}  // namespace
}  // namespace tactus::media
