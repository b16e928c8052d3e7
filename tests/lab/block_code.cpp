// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/block_code.h"

#include <array>

namespace tactus::lab {
namespace {

constexpr std::size_t kFirstBit = 2;  // after the two squares to know the row by
constexpr int kWhite = 200;           // brighter than this is white; scaled and coded film is not exact
constexpr int kBlack = 60;

std::string box(int square, int squares, const char* colour, const std::string& condition) {
  std::string text = "drawbox=x=" + std::to_string(square * BlockCode::kSide) +
                     ":y=0:w=" + std::to_string(squares * BlockCode::kSide) +
                     ":h=" + std::to_string(BlockCode::kHeight) + ":c=" + colour + ":t=fill";
  if (!condition.empty()) text += ":enable='" + condition + "'";
  return text;
}

std::string bit(int index) {
  return "mod(floor(n/" + std::to_string(1U << index) + "),2)";
}

}  // namespace

std::string BlockCode::filter() {
  std::string filters = box(0, kSquares, "black", "") + "," + box(0, 1, "white", "");
  std::string sum;
  for (int index = 0; index < kBits; ++index) {
    filters += "," + box(2 + index, 1, "white", bit(index));
    sum += (index > 0 ? "+" : "") + bit(index);
  }
  return filters + "," + box(2 + kBits, 1, "white", "mod(" + sum + ",2)");
}

std::string BlockCode::encode(std::uint32_t number) {
  std::string squares(kSquares, '\0');
  squares[0] = '\xff';
  int ones = 0;
  for (int index = 0; index < kBits; ++index) {
    if ((number >> index & 1U) == 0) continue;
    squares[kFirstBit + static_cast<std::size_t>(index)] = '\xff';
    ++ones;
  }
  if (ones % 2 == 1) squares[2 + kBits] = '\xff';
  return squares;
}

std::optional<std::uint32_t> BlockCode::decode(std::span<const std::uint8_t> line, double side) noexcept {
  if (line.size() < static_cast<std::size_t>(kSquares * side) * 4) return std::nullopt;
  std::array<bool, kSquares> white{};
  for (int square = 0; square < kSquares; ++square) {
    const std::size_t middle = static_cast<std::size_t>((square + 0.5) * side) * 4;
    const int brightness = (line[middle] + line[middle + 1] + line[middle + 2]) / 3;
    if (brightness > kBlack && brightness < kWhite) return std::nullopt;
    white[static_cast<std::size_t>(square)] = brightness >= kWhite;
  }
  if (!white[0] || white[1]) return std::nullopt;
  std::uint32_t number = 0;
  bool odd = false;
  for (int index = 0; index < kBits; ++index) {
    if (!white[kFirstBit + static_cast<std::size_t>(index)]) continue;
    number |= 1U << index;
    odd = !odd;
  }
  if (odd != white[2 + kBits]) return std::nullopt;
  return number;
}

}  // namespace tactus::lab
