// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/datagram_buffers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "core/net/stream/buffer_assembly_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

StreamContract contractOf(std::size_t largest, std::uint32_t workahead = 1) {
  StreamContract contract;
  contract.largestBuffer = largest;
  contract.workahead = workahead;
  return contract;
}

/// Fills the next buffer and cuts it.
StreamHeader make(DatagramBuffers& buffers, std::uint32_t number, std::size_t length) {
  const auto content = contentOf(number, length);
  std::copy(content.begin(), content.end(), buffers.room().begin());
  const StreamHeader header{.number = number,
                            .session = 77,
                            .length = static_cast<std::uint32_t>(length),
                            .offset = 0,
                            .made = 5ms,
                            .end = length == 0};
  buffers.cut(header);
  return header;
}

/// What the kernel puts together of the parts.
std::vector<std::byte> bytesOf(const DatagramBuffers::Parts& parts) {
  std::vector<std::byte> all;
  for (const iovec& part : parts) {
    const auto* begin = static_cast<const std::byte*>(part.iov_base);
    all.insert(all.end(), begin, begin + part.iov_len);
  }
  return all;
}

TEST(DatagramBuffers, AreTheHandlersAndThoseThatWaitOrWhatATrainCarries) {
  EXPECT_EQ(DatagramBuffers::countOf(contractOf(kLargestBuffer, 3)), 4u);
  EXPECT_EQ(DatagramBuffers::countOf(contractOf(8192, 1)), 8u) << "64 KiB";
  EXPECT_EQ(DatagramBuffers::countOf(contractOf(125, 1)), 128u);
  EXPECT_EQ(DatagramBuffers::countOf(contractOf(1, 64)), 128u);
}

TEST(DatagramBuffers, CutABufferWhereItLies) {
  auto buffers = DatagramBuffers::create(contractOf(3000)).value();
  const std::byte* place = buffers.room().data();
  EXPECT_EQ(buffers.room().size(), 3000u);
  const StreamHeader header = make(buffers, 7, 2801);
  ASSERT_EQ(buffers.datagramsOf(buffers.at(0)), 3u);
  const StreamExpectation expected{.session = 77, .largestBuffer = 3000};
  std::vector<std::byte> whole;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& parts = buffers.parts(buffers.at(0), i);
    EXPECT_EQ(parts[1].iov_base, place + i * kPiecePayload) << "nothing is copied";
    const auto datagram = bytesOf(parts);
    const auto piece = decode(datagram, expected);
    ASSERT_TRUE(piece.ok()) << nameOf(piece.error());
    StreamHeader its = header;
    its.offset = static_cast<std::uint32_t>(i * kPiecePayload);
    EXPECT_EQ(piece.value().header, its);
    whole.insert(whole.end(), piece.value().bytes.begin(), piece.value().bytes.end());
  }
  EXPECT_EQ(whole, contentOf(7, 2801));
}

TEST(DatagramBuffers, TheEndHasThreeDatagramsAlsoWhereABufferHasOne) {
  auto buffers = DatagramBuffers::create(contractOf(1)).value();
  EXPECT_EQ(buffers.mostDatagrams(), 3u);
  const StreamHeader header = make(buffers, 4, 0);
  ASSERT_EQ(buffers.datagramsOf(buffers.at(0)), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto datagram = bytesOf(buffers.parts(buffers.at(0), i));
    const auto piece = decode(datagram, {.session = 77, .largestBuffer = 1});
    ASSERT_TRUE(piece.ok());
    EXPECT_EQ(piece.value().header, header);
  }
}

TEST(DatagramBuffers, HaveNoRoomUntilTheOldestIsConcluded) {
  auto buffers = DatagramBuffers::create(contractOf(100'000, 2)).value();
  ASSERT_EQ(buffers.count(), 3u);
  const std::byte* first = buffers.room().data();
  for (std::uint32_t i = 0; i < 3; ++i) make(buffers, i, 10);
  EXPECT_TRUE(buffers.isFull());
  EXPECT_TRUE(buffers.room().empty());
  buffers.conclude(1, false);
  EXPECT_EQ(buffers.inUse(), 2u);
  EXPECT_EQ(buffers.room().data(), first);
  buffers.conclude(1, false);
  buffers.conclude(1, false);
  EXPECT_TRUE(buffers.isEmpty());
}

TEST(DatagramBuffers, CountABufferAsSentOnlyIfAllOfItWas) {
  auto buffers = DatagramBuffers::create(contractOf(3000, 3)).value();
  for (std::uint32_t i = 0; i < 4; ++i) make(buffers, i, 3000);
  buffers.conclude(3, false);
  buffers.conclude(2, true);
  buffers.conclude(2, false);
  buffers.conclude(0, true);
  make(buffers, 4, 0);
  make(buffers, 5, 0);
  buffers.conclude(1, true);
  buffers.conclude(0, false);
  const SendingFigures& figures = buffers.figures();
  EXPECT_EQ(figures.sent, 2u) << "one datagram of the end is enough";
  EXPECT_EQ(figures.sentBytes, 3000u);
  EXPECT_EQ(figures.late, 2u);
  EXPECT_EQ(figures.failed, 2u);
}

TEST(DatagramBuffers, MoveWithTheirMemory) {
  auto made = DatagramBuffers::create(contractOf(125)).value();
  make(made, 1, 125);
  const DatagramBuffers moved = std::move(made);
  const auto datagram = bytesOf(moved.parts(moved.at(0), 0));
  EXPECT_TRUE(decode(datagram, {.session = 77, .largestBuffer = 125}).ok());
}

}  // namespace
}  // namespace tactus::net
