// SPDX-License-Identifier: Apache-2.0
#include "media/stage/film_memory.h"

#include <algorithm>

namespace tactus::media {
namespace {

using Codec = FrameCoding::Codec;

constexpr std::int64_t kMostKept = 16;
/// H.264, table A-1 (MaxDpbMbs at level 5.2, a macroblock has 256 pixels): what a decoder keeps of larger
/// pictures is fewer of them. H.265 allows one more.
constexpr std::int64_t kKeptPixels = 184'320 * 256;
constexpr std::int64_t kKeptOfOthers = 10;  // VP9 and AV1 have eight references, and the picture at work
constexpr std::int64_t kKeptOfMpeg2 = 3;
constexpr std::int64_t kForEachThread = 2;  // the picture it works on, and the one that it waits for
constexpr std::int64_t kOnTheWay = 3;       // being handed over, being converted, being shown
constexpr std::int64_t kPackets = 2;        // two seconds of them, at a picture's size each
constexpr std::int64_t kConverted = 4;      // of the exchange with who draws
constexpr std::int64_t kBytesConverted = 4;

std::int64_t keptBy(const EncodedFormat& format) noexcept {
  switch (format.coding.codec) {
    case Codec::Intra:
      return 1;
    case Codec::Mpeg2:
      return kKeptOfMpeg2;
    case Codec::H264:
    case Codec::H265:
      return std::min(kMostKept, 1 + kKeptPixels / std::max<std::int64_t>(1, format.pixels()));
    case Codec::Other:
      break;
  }
  return kKeptOfOthers;
}

}  // namespace

std::uint64_t memoryOf(const EncodedFormat& format, int threads, int queued) noexcept {
  const std::int64_t pictures =
      keptBy(format) + kForEachThread * (threads - 1) + queued + kOnTheWay + kPackets;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, pictures)) * format.pictureBytes() +
         static_cast<std::uint64_t>(kConverted * kBytesConverted * format.pixels());
}

}  // namespace tactus::media
