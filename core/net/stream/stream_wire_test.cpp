// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_wire.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <set>
#include <vector>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;

constexpr std::uint64_t kSession = 0x0123456789abcdef;
constexpr StreamExpectation kExpected{kSession, 10'000, kPiecePayload};

std::vector<std::byte> datagram(const StreamHeader& header, std::size_t payload) {
  std::vector<std::byte> bytes(kStreamHeaderSize + payload, std::byte{7});
  encode(header, std::span<std::byte>(bytes).first<kStreamHeaderSize>());
  return bytes;
}

std::optional<WireFault> faultOf(const StreamHeader& header, std::size_t payload,
                                 const StreamExpectation& expected = kExpected) {
  const auto piece = decode(datagram(header, payload), expected);
  return piece.ok() ? std::nullopt : std::optional(piece.error());
}

StreamHeader headerOf(std::uint32_t length, std::uint32_t offset) {
  return {
      .number = 5, .session = kSession, .length = length, .offset = offset, .made = 1s, .end = length == 0};
}

TEST(StreamWire, TheHeaderIsBigEndianAndThirtyTwoBytes) {
  const StreamHeader header{.number = 0x01020304,
                            .session = 0x1112131415161718,
                            .length = 0x00002122,
                            .offset = 0x00000578,
                            .made = Duration(0x3132333435363738)};
  std::array<std::byte, kStreamHeaderSize> bytes;
  encode(header, bytes);
  const std::array<int, kStreamHeaderSize> wanted{
      'T',  'S',  1,    0,    0x01, 0x02, 0x03, 0x04, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
      0x00, 0x00, 0x21, 0x22, 0x00, 0x00, 0x05, 0x78, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(std::to_integer<int>(bytes[i]), wanted[i]) << "byte " << i;
}

TEST(StreamWire, TheEndIsAnEmptyBufferWithItsFlag) {
  const StreamHeader end = headerOf(0, 0);
  const auto bytes = datagram(end, 0);
  EXPECT_EQ(std::to_integer<int>(bytes[3]), 1);
  const auto piece = decode(bytes, kExpected);
  ASSERT_TRUE(piece.ok());
  EXPECT_EQ(piece.value().header, end);
  EXPECT_TRUE(piece.value().bytes.empty());
}

TEST(StreamWire, ABufferIsCutIntoFullPiecesAndARest) {
  EXPECT_EQ(pieceCountOf(0, 1400), 1u);
  EXPECT_EQ(pieceCountOf(1, 1400), 1u);
  EXPECT_EQ(pieceCountOf(1400, 1400), 1u);
  EXPECT_EQ(pieceCountOf(1401, 1400), 2u);
  EXPECT_EQ(pieceCountOf(kLargestBuffer, 1400), 11'984u);
  EXPECT_EQ(pieceOf(0, 3000, 1400), (PieceCut{0, 1400}));
  EXPECT_EQ(pieceOf(1, 3000, 1400), (PieceCut{1400, 1400}));
  EXPECT_EQ(pieceOf(2, 3000, 1400), (PieceCut{2800, 200}));
  EXPECT_EQ(pieceOf(0, 0, 1400), (PieceCut{0, 0}));
}

TEST(StreamWire, ADatagramFitsIntoAnEthernetFrameWithIpv6) {
  EXPECT_LE(kPiecePayload + kStreamHeaderSize + 8 + 40, 1500u);
}

TEST(StreamWire, EachWrongFieldHasItsFault) {
  EXPECT_EQ(faultOf(headerOf(3000, 2800), 200), std::nullopt);
  auto bytes = datagram(headerOf(100, 0), 100);
  const auto spoilt = [&](std::size_t at, int value) {
    auto other = bytes;
    other[at] = static_cast<std::byte>(value);
    return decode(other, kExpected).error();
  };
  EXPECT_EQ(decode(std::span(bytes).first(31), kExpected).error(), WireFault::TooShort);
  EXPECT_EQ(decode({}, kExpected).error(), WireFault::TooShort);
  EXPECT_EQ(spoilt(0, 'X'), WireFault::Magic);
  EXPECT_EQ(spoilt(2, 2), WireFault::Version);
  EXPECT_EQ(spoilt(3, 2), WireFault::Flags);
  EXPECT_EQ(spoilt(3, 1), WireFault::Length) << "an end with bytes";
  EXPECT_EQ(spoilt(15, 0), WireFault::Session);
  EXPECT_EQ(spoilt(24, 0x80), WireFault::Made);
}

TEST(StreamWire, ALengthOrAPieceThatCannotBeIsAFault) {
  EXPECT_EQ(faultOf(headerOf(10'001, 0), 1400), WireFault::Length);
  EXPECT_EQ(faultOf(headerOf(std::numeric_limits<std::uint32_t>::max(), 0), 1400), WireFault::Length);
  StreamHeader empty = headerOf(0, 0);
  empty.end = false;
  EXPECT_EQ(faultOf(empty, 0), WireFault::Length);
  EXPECT_EQ(faultOf(headerOf(3000, 4200), 0), WireFault::Offset);
  EXPECT_EQ(faultOf(headerOf(2800, 2800), 0), WireFault::Offset) << "a piece without bytes";
  EXPECT_EQ(faultOf(headerOf(3000, 1399), 1400), WireFault::Offset);
  EXPECT_EQ(faultOf(headerOf(0, 1400), 0), WireFault::Offset);
  EXPECT_EQ(faultOf(headerOf(3000, 0), 1399), WireFault::Size);
  EXPECT_EQ(faultOf(headerOf(3000, 0), 1401), WireFault::Size);
  EXPECT_EQ(faultOf(headerOf(3000, 2800), 201), WireFault::Size);
  EXPECT_EQ(faultOf(headerOf(0, 0), 1), WireFault::Size);
}

TEST(StreamWire, WithoutDatagramsAPieceIsTheWholeBuffer) {
  const StreamExpectation whole{kSession, 10'000, 10'000};
  const auto bytes = datagram(headerOf(10'000, 0), 10'000);
  const auto header = decodeHeader(std::span(bytes).first(kStreamHeaderSize), whole);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(pieceSizeOf(header.value(), whole.pieceSize), 10'000u);
  EXPECT_TRUE(decode(bytes, whole).ok());
  EXPECT_EQ(faultOf(headerOf(10'000, 1400), 1400, whole), WireFault::Offset);
}

TEST(StreamWire, EveryFaultHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(WireFault::Size); ++i)
    names.insert(nameOf(static_cast<WireFault>(i)));
  EXPECT_EQ(names.size(), 9u);
  EXPECT_FALSE(names.contains(""));
}

RC_GTEST_PROP(StreamWireProperty, EachPieceOfABufferIsReadAsItWasWritten, ()) {
  StreamExpectation expected{*rc::gen::arbitrary<std::uint64_t>(), 0,
                             *rc::gen::element<std::size_t>(1, 13, 1400)};
  const auto length = *rc::gen::element<std::uint32_t>(0, 1, 12, 13, 14, 500, 2800, 4201);
  expected.largestBuffer = std::max<std::uint32_t>(length, 1);
  const auto number = *rc::gen::element<std::uint32_t>(0, 1, 77, 0x7fffffff, 0x80000000, 0xffffffff);
  const auto made = *rc::gen::element(0ns, 1ns, Duration(1h), Duration::max());
  std::vector<bool> covered(length);
  for (std::size_t i = 0; i < pieceCountOf(length, expected.pieceSize); ++i) {
    const PieceCut cut = pieceOf(i, length, expected.pieceSize);
    const StreamHeader header{.number = number,
                              .session = expected.session,
                              .length = length,
                              .offset = static_cast<std::uint32_t>(cut.offset),
                              .made = made,
                              .end = length == 0};
    const auto bytes = datagram(header, cut.size);
    const auto piece = decode(bytes, expected);
    RC_ASSERT(piece.ok());
    RC_ASSERT(piece.value().header == header);
    RC_ASSERT(piece.value().bytes.size() == cut.size);
    RC_ASSERT(piece.value().bytes.data() == bytes.data() + kStreamHeaderSize);
    for (std::size_t at = cut.offset; at < cut.offset + cut.size; ++at) {
      RC_ASSERT(!covered[at]);
      covered[at] = true;
    }
  }
  RC_ASSERT(std::find(covered.begin(), covered.end(), false) == covered.end());
}

RC_GTEST_PROP(StreamWireProperty, WhatIsReadLiesInsideItsBuffer, ()) {
  const StreamExpectation expected{kSession, 5000, *rc::gen::element<std::size_t>(1, 100, 1400, 5000)};
  auto bytes = datagram(headerOf(*rc::gen::element<std::uint32_t>(0, 100, 1400, 5000), 0),
                        *rc::gen::element<std::size_t>(0, 1, 100, 800, 1400, 5000));
  const int changes = *rc::gen::element(0, 1, 2, 5);
  for (int i = 0; i < changes; ++i)
    bytes[*rc::gen::element<std::size_t>(0, 2, 3, 7, 8, 16, 17, 18, 19, 20, 22, 23, 24, 31)] =
        static_cast<std::byte>(*rc::gen::element(0, 1, 5, 100, 0x78, 0x80, 0xff));
  const auto piece = decode(bytes, expected);
  if (!piece.ok()) return;
  const auto& [header, payload] = piece.value();
  RC_ASSERT(header.length <= expected.largestBuffer);
  RC_ASSERT(header.offset + payload.size() <= header.length);
  RC_ASSERT(payload.size() <= expected.pieceSize);
  RC_ASSERT(payload.size() + kStreamHeaderSize == bytes.size());
  RC_ASSERT(payload.empty() == header.end);
}

}  // namespace
}  // namespace tactus::net
