// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/descriptor_passing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "core/net/stream/local_ring_fixture.h"

namespace tactus::net {
namespace {

std::size_t openDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

bool sameFile(int one, int other) {
  struct stat first {
  }, second{};
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_ino == second.st_ino &&
         first.st_dev == second.st_dev;
}

/// What a peer may do that does not use sendDescriptors().
void sendRaw(int socket, const std::string& text, const std::vector<int>& descriptors) {
  std::string message = text;
  iovec part{message.data(), message.size()};
  alignas(cmsghdr) std::array<std::byte, 512> room{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const std::size_t bytes = descriptors.size() * sizeof(int);
    header.msg_control = room.data();
    header.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(rights), descriptors.data(), bytes);
  }
  ASSERT_EQ(sendmsg(socket, &header, 0), static_cast<ssize_t>(message.size()));
}

TEST(DescriptorPassing, TheMessageAndItsDescriptorsArrive) {
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET}) {
    const auto [here, there] = socketPair(type);
    const Descriptor null(open("/dev/null", O_RDWR)), zero(open("/dev/zero", O_RDWR));
    const std::array sent{null.get(), zero.get(), null.get(), zero.get()};
    for (std::size_t count = 1; count <= 4; ++count) {
      ASSERT_TRUE(sendDescriptors(here.get(), bytesOf("ring"), std::span(sent).first(count)).ok());
      std::array<std::byte, 16> into{};
      const auto received = receiveDescriptors(there.get(), into, count);
      ASSERT_TRUE(received.ok()) << received.error().message;
      EXPECT_EQ(received.value().bytes, 4u);
      EXPECT_EQ(std::memcmp(into.data(), "ring", 4), 0);
      ASSERT_EQ(received.value().descriptors.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        const int descriptor = received.value().descriptors[i].get();
        EXPECT_TRUE(sameFile(descriptor, sent[i]));
        EXPECT_EQ(fcntl(descriptor, F_GETFD), FD_CLOEXEC);
      }
    }
  }
}

TEST(DescriptorPassing, AnotherNumberThanAgreedIsRefusedAndNoneStaysOpen) {
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const std::size_t agreed : {1u, 3u, 4u})
    for (const std::size_t sent : {0u, 1u, 2u, 3u, 4u, 5u, 60u}) {
      if (sent == agreed) continue;
      const auto [here, there] = socketPair(SOCK_STREAM);
      const std::size_t before = openDescriptors();
      sendRaw(here.get(), "ring", std::vector<int>(sent, null.get()));
      std::array<std::byte, 16> into{};
      const auto received = receiveDescriptors(there.get(), into, agreed);
      ASSERT_FALSE(received.ok()) << sent << " instead of " << agreed;
      EXPECT_EQ(received.error().code, ErrorCode::Corrupt);
      EXPECT_EQ(openDescriptors(), before);
    }
}

TEST(DescriptorPassing, AMessageThatIsTooLongIsRefused) {
  const auto [here, there] = socketPair(SOCK_SEQPACKET);
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::array descriptors{null.get()};
  const std::size_t before = openDescriptors();
  ASSERT_TRUE(sendDescriptors(here.get(), bytesOf(std::string(17, 'x')), descriptors).ok());
  std::array<std::byte, 16> into{};
  EXPECT_EQ(receiveDescriptors(there.get(), into, 1).error().code, ErrorCode::Corrupt);
  EXPECT_EQ(openDescriptors(), before);
}

TEST(DescriptorPassing, APeerThatIsGoneIsToldWithoutASignal) {
  auto [here, there] = socketPair(SOCK_STREAM);
  there = Descriptor();
  const std::array descriptors{here.get()};
  std::array<std::byte, 16> into{};
  EXPECT_EQ(sendDescriptors(here.get(), bytesOf("ring"), descriptors).error().code, ErrorCode::Unavailable);
  EXPECT_EQ(receiveDescriptors(here.get(), into, 1).error().code, ErrorCode::Unavailable);
}

TEST(DescriptorPassing, APeerThatSaysNothingIsNotWaitedForByASocketThatDoesNotWait) {
  const auto [here, there] = socketPair(SOCK_STREAM | SOCK_NONBLOCK);
  std::array<std::byte, 16> into{};
  EXPECT_EQ(receiveDescriptors(here.get(), into, 1).error().code, ErrorCode::Timeout);
}

TEST(DescriptorPassing, WhatCannotBeAskedIsRefused) {
  const auto [here, there] = socketPair(SOCK_STREAM | SOCK_NONBLOCK);
  const std::vector<int> five(5, here.get());
  std::array<std::byte, 16> into{};
  const auto send = [&five](std::size_t bytes, std::size_t count) {
    return sendDescriptors(five[0], bytesOf(std::string(bytes, 'x')), std::span(five).first(count))
        .error()
        .code;
  };
  EXPECT_EQ(send(0, 1), ErrorCode::InvalidArgument);
  EXPECT_EQ(send(kLongestMessage + 1, 1), ErrorCode::InvalidArgument);
  EXPECT_EQ(send(1, 0), ErrorCode::InvalidArgument);
  EXPECT_EQ(send(1, 5), ErrorCode::InvalidArgument);
  EXPECT_EQ(receiveDescriptors(there.get(), into, 0).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(receiveDescriptors(there.get(), into, 5).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(receiveDescriptors(there.get(), {}, 1).error().code, ErrorCode::InvalidArgument);
  const std::array none{-1};
  EXPECT_EQ(sendDescriptors(here.get(), bytesOf("ring"), none).error().code, ErrorCode::System);
}

}  // namespace
}  // namespace tactus::net
