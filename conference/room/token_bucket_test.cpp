// SPDX-License-Identifier: Apache-2.0
#include "conference/room/token_bucket.h"

#include <gtest/gtest.h>

#include "conference/room/random_text.h"
#include "conference/room/session_key.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;

TEST(TokenBucket, GivesABurstAndThenItsRate) {
  periodic::TimePoint now(1h);
  TokenBucket bucket({5, 10});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now + 100ms - 1ns));
  EXPECT_TRUE(bucket.take(now + 100ms));
  EXPECT_FALSE(bucket.take(now + 100ms));
  EXPECT_TRUE(bucket.take(now + 1h, 5));
}

TEST(TokenBucket, NeverGivesMoreThanItsBurstAtOnce) {
  TokenBucket bucket({5, 10});
  EXPECT_FALSE(bucket.take(periodic::TimePoint(1h), 6));
  EXPECT_TRUE(bucket.take(periodic::TimePoint(1h), 5));
}

TEST(TokenBucket, WhatIsRefusedCostsNothing) {
  const periodic::TimePoint now(1h);
  TokenBucket bucket({5, 10});
  EXPECT_TRUE(bucket.take(now, 4));
  EXPECT_FALSE(bucket.take(now, 2));
  EXPECT_TRUE(bucket.take(now, 1));
}

TEST(RandomText, IsBase64UrlOfItsBytes) {
  const auto fixed = [](std::span<std::uint8_t> bytes) {
    for (auto& each : bytes) each = 0xFB;
  };
  EXPECT_EQ(randomText(fixed, 3), "-_v7");
  const std::string key = randomText(kernelRandomBytes, 24);
  EXPECT_TRUE(SessionKey::parse(key).has_value());
  EXPECT_NE(key, randomText(kernelRandomBytes, 24));
}

TEST(SessionKey, IsAtLeast128Bits) {
  EXPECT_FALSE(SessionKey::parse(std::string(21, 'a')));
  EXPECT_TRUE(SessionKey::parse(std::string(22, 'a')));
  EXPECT_FALSE(SessionKey::parse(std::string(65, 'a')));
  EXPECT_FALSE(SessionKey::parse(std::string(22, '+')));
  const auto key = SessionKey::parse("aaaaaaaaaaaaaaaaaaaaaa");
  const auto same = SessionKey::parse("aaaaaaaaaaaaaaaaaaaaaa");
  const auto other = SessionKey::parse("aaaaaaaaaaaaaaaaaaaaab");
  ASSERT_TRUE(key && same && other);
  EXPECT_TRUE(*key == *same);
  EXPECT_FALSE(*key == *other);
}

}  // namespace
}  // namespace tactus::conference
