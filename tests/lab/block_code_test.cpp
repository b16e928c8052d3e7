// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/block_code.h"

#include <gtest/gtest.h>

#include <vector>

namespace tactus::lab {
namespace {

std::vector<std::uint8_t> line(const std::string& squares) {
  std::vector<std::uint8_t> pixels;
  for (const char square : squares) {
    pixels.insert(pixels.end(), static_cast<std::size_t>(BlockCode::kSide) * 4,
                  static_cast<std::uint8_t>(square));
  }
  return pixels;
}

TEST(BlockCode, EveryNumberComesBack) {
  for (std::uint32_t number = 0; number < 1U << BlockCode::kBits; number += 1 + number / 7) {
    EXPECT_EQ(BlockCode::decode(line(BlockCode::encode(number))), number);
  }
}

TEST(BlockCode, OneWrongSquareIsNoticed) {
  for (std::size_t square = 0; square < BlockCode::kSquares; ++square) {
    std::string squares = BlockCode::encode(12345);
    squares[square] = static_cast<char>(~squares[square]);
    EXPECT_EQ(BlockCode::decode(line(squares)), std::nullopt) << square;
  }
}

TEST(BlockCode, GreyIsNoNumber) {
  std::string squares = BlockCode::encode(7);
  squares[5] = '\x80';
  EXPECT_EQ(BlockCode::decode(line(squares)), std::nullopt);
}

TEST(BlockCode, AnEmptyScreenShowsNone) {
  EXPECT_EQ(BlockCode::decode(line(std::string(BlockCode::kSquares, '\0'))), std::nullopt);
  EXPECT_EQ(BlockCode::decode(line(std::string(BlockCode::kSquares, '\xff'))), std::nullopt);
  EXPECT_EQ(BlockCode::decode({}), std::nullopt);
}

TEST(BlockCode, TheFilterDrawsOneBoxForEachSquareThatCanBeWhite) {
  const std::string filter = BlockCode::filter();
  int boxes = 0;
  for (std::size_t at = filter.find("drawbox"); at != std::string::npos;
       at = filter.find("drawbox", at + 1)) {
    ++boxes;
  }
  EXPECT_EQ(boxes, 1 + 1 + BlockCode::kBits + 1);
  EXPECT_NE(filter.find("mod(floor(n/524288),2)"), std::string::npos);
}

}  // namespace
}  // namespace tactus::lab
