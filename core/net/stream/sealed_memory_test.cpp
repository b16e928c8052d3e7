// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/sealed_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "core/net/stream/local_ring_fixture.h"

namespace tactus::net {
namespace {

constexpr int kBothSeals = F_SEAL_SHRINK | F_SEAL_GROW;

Descriptor memoryWith(unsigned flags, off_t bytes, int seals) {
  Descriptor memory(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags));
  if (!memory || ftruncate(memory.get(), bytes) != 0 || fcntl(memory.get(), F_ADD_SEALS, seals) != 0)
    return Descriptor();
  return memory;
}

ErrorCode refusalOf(Descriptor memory, std::size_t largest = 4096) {
  const auto opened = SealedMemory::open(std::move(memory), largest);
  return opened.ok() ? ErrorCode::Unavailable : opened.error().code;
}

TEST(SealedMemory, BothSidesSeeTheSameBytes) {
  auto made = SealedMemory::create(5000);
  ASSERT_TRUE(made.ok()) << made.error().message;
  auto opened = SealedMemory::open(copyOf(made.value().descriptor().get()), 5000);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  ASSERT_EQ(opened.value().bytes().size(), 5000u);
  EXPECT_EQ(opened.value().bytes()[4999], std::byte{0});
  made.value().bytes()[4999] = std::byte{7};
  EXPECT_EQ(opened.value().bytes()[4999], std::byte{7});
}

TEST(SealedMemory, NeitherSideCanTakeItAway) {
  auto made = SealedMemory::create(8192);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(ftruncate(made.value().descriptor().get(), 4096), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(ftruncate(made.value().descriptor().get(), 16384), -1);
  // What may still be taken are pages' contents: they read as zeros.
  made.value().bytes()[0] = std::byte{7};
  ASSERT_EQ(fallocate(made.value().descriptor().get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 8192),
            0);
  EXPECT_EQ(made.value().bytes()[0], std::byte{0});
}

TEST(SealedMemory, TheBytesStayInPlaceWhenItIsMoved) {
  auto made = SealedMemory::create(64);
  ASSERT_TRUE(made.ok()) << made.error().message;
  std::byte* const first = made.value().bytes().data();
  const SealedMemory moved(std::move(made).value());
  EXPECT_EQ(moved.bytes().data(), first);
  *first = std::byte{1};
}

TEST(SealedMemory, WhatIsNoMemoryOfASealedSizeIsRefused) {
  EXPECT_EQ(refusalOf(Descriptor()), ErrorCode::Corrupt);
  EXPECT_EQ(refusalOf(Descriptor(open("/dev/zero", O_RDWR | O_CLOEXEC))), ErrorCode::Corrupt);
  EXPECT_EQ(refusalOf(socketPair(SOCK_STREAM).first), ErrorCode::Corrupt);
  for (const int seals : {0, F_SEAL_SHRINK, F_SEAL_GROW}) {
    Descriptor memory = memoryWith(0, 4096, seals);
    ASSERT_TRUE(memory);
    EXPECT_EQ(refusalOf(std::move(memory)), ErrorCode::Corrupt) << seals;
  }
  ASSERT_EQ(refusalOf(memoryWith(0, 4096, kBothSeals)), ErrorCode::Unavailable) << "with both seals it opens";
}

TEST(SealedMemory, AnotherSizeThanAgreedIsRefused) {
  EXPECT_EQ(refusalOf(memoryWith(0, 0, kBothSeals)), ErrorCode::Corrupt);
  EXPECT_EQ(refusalOf(memoryWith(0, 4097, kBothSeals)), ErrorCode::Corrupt);
}

TEST(SealedMemory, MemoryThatMayNotBeWrittenIsRefused) {
  EXPECT_EQ(refusalOf(memoryWith(0, 4096, kBothSeals | F_SEAL_WRITE)), ErrorCode::System);
}

TEST(SealedMemory, HugePagesAreRefusedBecauseTheyRunOut) {
  Descriptor memory = memoryWith(MFD_HUGETLB, off_t{1} << 21, kBothSeals);
  if (!memory) GTEST_SKIP() << "this kernel has no memory of huge pages";
  EXPECT_EQ(refusalOf(std::move(memory), std::size_t{1} << 21), ErrorCode::Corrupt);
}

TEST(SealedMemory, ASizeThatNoFileHasIsAnError) {
  const auto made = SealedMemory::create(SIZE_MAX);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::System);
}

}  // namespace
}  // namespace tactus::net
