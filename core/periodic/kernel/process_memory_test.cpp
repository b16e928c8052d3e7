// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/kernel/process_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace tactus::periodic {
namespace {

TEST(ProcessMemory, ALineIsFoundByItsWholeName) {
  constexpr std::string_view kText =
      "MemTotal:       24683520 kB\nMemAvailableSoon: 1 kB\nMemAvailable:   23201000 kB\ninactive_file "
      "4096\n";
  EXPECT_EQ(bytesNamed(kText, "MemAvailable"), 23201000ull * 1024);
  EXPECT_EQ(bytesNamed(kText, "inactive_file"), 4096u);
  EXPECT_EQ(bytesNamed(kText, "inactive"), std::nullopt);
  EXPECT_EQ(bytesNamed("MemAvailable: many kB\n", "MemAvailable"), std::nullopt);
  EXPECT_EQ(bytesNamed("MemAvailable:", "MemAvailable"), std::nullopt);
  EXPECT_EQ(bytesNamed("", "MemAvailable"), std::nullopt);
}

TEST(ProcessMemory, WhatAGroupKeepsWhileNobodyWantsItIsLeft) {
  EXPECT_EQ(leftBelow("1000\n", "600\n", 0), 400u);
  EXPECT_EQ(leftBelow("1000\n", "600\n", 250), 650u);
  EXPECT_EQ(leftBelow("1000\n", "600\n", 700), 1000u);
  EXPECT_EQ(leftBelow("1000\n", "1200\n", 100), 0u);
  EXPECT_EQ(leftBelow("max\n", "600\n", 0), std::nullopt);
  EXPECT_EQ(leftBelow("", "", 0), std::nullopt) << "there is no such file";
}

TEST(ProcessMemory, WhatTheProcessTakesIsNoLongerFree) {
  const auto before = readProcessMemory();
  ASSERT_TRUE(before);
  constexpr std::size_t kTaken = 64 << 20;
  const auto taken = std::make_unique<char[]>(kTaken);
  std::memset(taken.get(), 1, kTaken);
  const auto after = readProcessMemory();
  ASSERT_TRUE(after);
  EXPECT_GE(after->ours, before->ours + kTaken * 9 / 10);
  EXPECT_GT(after->free, 0u);
}

}  // namespace
}  // namespace tactus::periodic
