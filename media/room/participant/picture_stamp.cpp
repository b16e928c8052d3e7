// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/picture_stamp.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tactus::media {
namespace {

constexpr int kColumns = 16;
constexpr int kRows = 6;
constexpr int kBlocksAcross = 32;
constexpr int kLeastBlock = 4;
constexpr std::uint8_t kBlack = 16, kWhite = 235;  // of limited range (BT.601)
constexpr int kMiddle = (kBlack + kWhite) / 2;
constexpr std::size_t kBytes = kColumns * kRows / 8;
constexpr std::size_t kChecked = kBytes - 2;
using Bytes = std::array<std::uint8_t, kBytes>;

std::uint16_t checksum(const Bytes& bytes) noexcept {
  unsigned crc = 0xffff;
  for (std::size_t i = 0; i < kChecked; ++i) {
    crc ^= static_cast<unsigned>(bytes[i]) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? (crc << 1) ^ 0x1021U : crc << 1;
  }
  return static_cast<std::uint16_t>(crc & 0xffffU);
}

/// Side of a block in samples; 0 = there is no room.
int blockOf(const LumaPlane& luma) noexcept {
  const int side = luma.width / kBlocksAcross;
  if (side < kLeastBlock || luma.height < kRows * side || luma.stride < luma.width) return 0;
  const auto needed = static_cast<std::size_t>(luma.stride) * static_cast<std::size_t>(kRows * side);
  return luma.samples.size() >= needed ? side : 0;
}

void fill(const LumaPlane& luma, int left, int top, int side, std::uint8_t value) noexcept {
  for (int y = top; y < top + side; ++y)
    std::fill_n(luma.samples.begin() + y * luma.stride + left, side, value);
}

/// Whether the middle of a block is bright: its edges are blurred by encoding.
bool isWhite(const LumaPlane& luma, int left, int top, int side) noexcept {
  const int margin = side / 4;
  int brightness = 0;  // sum of distances from the middle
  for (int y = top + margin; y < top + side - margin; ++y) {
    const auto row =
        luma.samples.subspan(static_cast<std::size_t>(y) * static_cast<std::size_t>(luma.stride));
    for (int x = left + margin; x < left + side - margin; ++x)
      brightness += row[static_cast<std::size_t>(x)] - kMiddle;
  }
  return brightness > 0;
}

}  // namespace

bool drawStamp(const LumaPlane& luma, const PictureStamp& stamp) noexcept {
  const int side = blockOf(luma);
  if (side == 0) return false;
  Bytes bytes{};
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(stamp.number >> (24 - 8 * i));
  for (std::size_t i = 0; i < 6; ++i) bytes[4 + i] = static_cast<std::uint8_t>(stamp.clock >> (40 - 8 * i));
  const std::uint16_t crc = checksum(bytes);
  bytes[kChecked] = static_cast<std::uint8_t>(crc >> 8);
  bytes[kChecked + 1] = static_cast<std::uint8_t>(crc & 0xff);
  for (int bit = 0; bit < kColumns * kRows; ++bit) {
    const bool set = (bytes[static_cast<std::size_t>(bit / 8)] >> (7 - bit % 8) & 1) != 0;
    fill(luma, bit % kColumns * side, bit / kColumns * side, side, set ? kWhite : kBlack);
  }
  return true;
}

std::optional<PictureStamp> readStamp(const LumaPlane& luma) noexcept {
  const int side = blockOf(luma);
  if (side == 0) return std::nullopt;
  Bytes bytes{};
  for (int bit = 0; bit < kColumns * kRows; ++bit) {
    const bool set = isWhite(luma, bit % kColumns * side, bit / kColumns * side, side);
    auto& byte = bytes[static_cast<std::size_t>(bit / 8)];
    byte = static_cast<std::uint8_t>(byte << 1 | (set ? 1 : 0));
  }
  if (checksum(bytes) != (bytes[kChecked] << 8 | bytes[kChecked + 1])) return std::nullopt;
  PictureStamp stamp;
  for (std::size_t i = 0; i < 4; ++i) stamp.number = stamp.number << 8 | bytes[i];
  for (std::size_t i = 4; i < kChecked; ++i) stamp.clock = stamp.clock << 8 | bytes[i];
  return stamp;
}

}  // namespace tactus::media
