// SPDX-License-Identifier: Apache-2.0
#include "plugins/audio_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

namespace tactus::plugins {
namespace {

std::vector<std::byte> bytesFrom(int first, std::size_t count) {
  std::vector<std::byte> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return result;
}

TEST(AudioRing, GivesBackWhatWasWrittenInOrderAcrossItsEnd) {
  AudioRing ring(16);
  std::array<std::byte, 12> out{};
  for (int round = 0; round < 10; ++round) {
    const auto in = bytesFrom(round * 12, 12);
    ring.write(in.data(), in.size());
    EXPECT_EQ(ring.waiting(), 12u);
    ASSERT_EQ(ring.read(out.data(), out.size(), 0), 12u);
    EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin()));
  }
  EXPECT_EQ(ring.gaps(), 0u);
}

TEST(AudioRing, GivesNothingAtTheStartUntilEnoughWaits) {
  AudioRing ring(64);
  std::array<std::byte, 8> out{};
  const auto in = bytesFrom(0, 8);
  EXPECT_EQ(ring.read(out.data(), 8, 16), 0u);
  ring.write(in.data(), 8);
  EXPECT_EQ(ring.read(out.data(), 8, 16), 0u);
  ring.write(in.data(), 8);
  EXPECT_EQ(ring.read(out.data(), 8, 16), 8u);
  EXPECT_EQ(ring.read(out.data(), 8, 16), 8u);
  EXPECT_EQ(ring.gaps(), 0u);
}

TEST(AudioRing, OneGapIsCountedOnceWhenTheSoundGoesOn) {
  AudioRing ring(64);
  std::array<std::byte, 8> out{};
  const auto in = bytesFrom(0, 8);
  ring.write(in.data(), 8);
  EXPECT_EQ(ring.read(out.data(), 8, 0), 8u);
  EXPECT_EQ(ring.read(out.data(), 8, 8), 0u);
  EXPECT_EQ(ring.read(out.data(), 8, 8), 0u);
  EXPECT_EQ(ring.gaps(), 0u);
  ring.write(in.data(), 8);
  EXPECT_EQ(ring.gaps(), 1u);
}

TEST(AudioRing, APauseIsNoGap) {
  AudioRing ring(64);
  std::array<std::byte, 8> out{};
  const auto in = bytesFrom(0, 8);
  ring.write(in.data(), 4);
  EXPECT_EQ(ring.read(out.data(), 8, 0), 4u);
  ring.expectSilence();
  ring.write(in.data(), 8);
  EXPECT_EQ(ring.gaps(), 0u);
}

TEST(AudioRing, DiscardedSamplesAreNeverHeard) {
  AudioRing ring(64);
  std::array<std::byte, 8> out{};
  const auto in = bytesFrom(0, 24);
  ring.write(in.data(), 24);
  ring.discard(16);
  EXPECT_EQ(ring.waiting(), 8u);
  ASSERT_EQ(ring.read(out.data(), 8, 0), 8u);
  EXPECT_EQ(out[0], static_cast<std::byte>(16));
  ring.write(in.data(), 24);
  ring.discard(1000);
  EXPECT_EQ(ring.waiting(), 0u);
  EXPECT_EQ(ring.read(out.data(), 8, 0), 0u);
}

TEST(AudioRing, TwoThreadsPassAMillionFramesInOrder) {
  constexpr std::uint32_t kFrames = 1'000'000;
  AudioRing ring(4 * 1024);
  std::thread writer([&] {
    std::array<std::uint32_t, 96> block{};
    for (std::uint32_t next = 0; next < kFrames;) {
      const auto count = std::min<std::uint32_t>(static_cast<std::uint32_t>(block.size()), kFrames - next);
      if (ring.waiting() + count * 4 > ring.capacity()) {
        std::this_thread::yield();
        continue;
      }
      for (std::uint32_t i = 0; i < count; ++i) block[i] = next + i;
      ring.write(reinterpret_cast<const std::byte*>(block.data()), count * 4);
      next += count;
    }
  });
  std::uint32_t expected = 0;
  std::uint64_t wrong = 0;
  std::array<std::uint32_t, 128> out{};
  while (expected < kFrames) {
    const std::size_t got = ring.read(reinterpret_cast<std::byte*>(out.data()), sizeof out, 0) / 4;
    if (got == 0) std::this_thread::yield();
    for (std::size_t i = 0; i < got; ++i) wrong += out[i] != expected++;
  }
  writer.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace tactus::plugins
