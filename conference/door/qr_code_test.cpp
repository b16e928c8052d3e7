// SPDX-License-Identifier: Apache-2.0
#include "conference/door/qr_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tactus::conference {
namespace {

TEST(QrCode, HasTheThreeFinderPatterns) {
  const auto code = QrCode::of("https://192.168.1.7:4711/r/0123456789abcdef");
  ASSERT_TRUE(code.ok());
  const auto size = static_cast<std::ptrdiff_t>(code.value().size());
  EXPECT_EQ((size - 17) % 4, 0);  // 17 + 4 * version
  const auto isFinder = [&](std::ptrdiff_t left, std::ptrdiff_t top) {
    for (std::ptrdiff_t y = -1; y <= 7; ++y) {
      for (std::ptrdiff_t x = -1; x <= 7; ++x) {
        const auto ring =
            std::max(std::abs(x - 3), std::abs(y - 3));  // 0 ... 1 dark, 2 light, 3 dark, 4 light
        if (code.value().isDark(left + x, top + y) != (ring != 2 && ring != 4)) return false;
      }
    }
    return true;
  };
  EXPECT_TRUE(isFinder(0, 0));
  EXPECT_TRUE(isFinder(size - 7, 0));
  EXPECT_TRUE(isFinder(0, size - 7));
  EXPECT_FALSE(isFinder(size - 7, size - 7));
}

TEST(QrCode, TheTextHasTwoModulesInALetterAndAQuietZoneOfFour) {
  const auto code = QrCode::of("a");
  ASSERT_TRUE(code.ok());
  ASSERT_EQ(code.value().size(), 21u);
  const std::string text = code.value().text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), (21 + 8 + 1) / 2);
  const std::string blank = "\x1b[30;107m" + std::string(29, ' ') + "\x1b[0m\n";
  EXPECT_TRUE(text.starts_with(blank + blank + "\x1b[30;107m    █▀▀▀▀▀█"));
  EXPECT_TRUE(text.ends_with(blank + blank));
}

TEST(QrCode, NothingAndTooMuchAreRefused) {
  EXPECT_FALSE(QrCode::of("").ok());
  EXPECT_TRUE(QrCode::of(std::string(2331, 'a')).ok());
  EXPECT_FALSE(QrCode::of(std::string(2332, 'a')).ok());
}

}  // namespace
}  // namespace tactus::conference
