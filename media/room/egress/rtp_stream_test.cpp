// SPDX-License-Identifier: Apache-2.0
// RTP packets are read, put into one stream, and kept for those who lost them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "media/room/egress/network_order.h"
#include "media/room/egress/retransmission_history.h"
#include "media/room/egress/rtp_rewriter.h"
#include "media/room/egress/rtp_view.h"
#include "media/room/egress/rtp_writer.h"

namespace rc {
template <>
struct Arbitrary<tactus::media::RtpPosition> {
  static Gen<tactus::media::RtpPosition> arbitrary() {
    return gen::build<tactus::media::RtpPosition>(gen::set(&tactus::media::RtpPosition::sequence),
                                                  gen::set(&tactus::media::RtpPosition::timestamp));
  }
};
}  // namespace rc

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;
using Bytes = std::vector<std::byte>;

TimePoint at(Duration since) {
  return TimePoint(since);
}

Bytes bytesOf(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int each : values) bytes.push_back(static_cast<std::byte>(each));
  return bytes;
}

RtpView packet(std::uint16_t sequence, std::uint32_t timestamp, std::uint32_t ssrc = 7) {
  return {.sequence = sequence, .timestamp = timestamp, .ssrc = ssrc};
}

TEST(RtpView, HeaderOfTwelveBytesAndPayload) {
  const Bytes bytes = bytesOf({0x80, 0x80 | 96, 0x12, 0x34, 0, 0, 0, 5, 0xde, 0xad, 0xbe, 0xef, 'a', 'b'});
  const auto read = readRtp(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->payloadType, 96);
  EXPECT_TRUE(read->marker);
  EXPECT_EQ(read->sequence, 0x1234);
  EXPECT_EQ(read->timestamp, 5u);
  EXPECT_EQ(read->ssrc, 0xdeadbeefu);
  EXPECT_EQ(Bytes(read->payload.begin(), read->payload.end()), bytesOf({'a', 'b'}));
}

TEST(RtpView, SourcesExtensionAndPaddingAreLeftOut) {
  const Bytes bytes =
      bytesOf({0xb1, 96,   0, 1, 0,    0,    0, 2, 0, 0, 0, 3,  // one source, an extension, padding
               9,    9,    9, 9,                                // the source
               0xbe, 0xde, 0, 1, 0x10, 0xff, 0, 0,              // the extension: one word
               'x',  0,    0, 3});                              // payload, three bytes of padding
  const auto read = readRtp(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(Bytes(read->payload.begin(), read->payload.end()), bytesOf({'x'}));
}

TEST(RtpView, WhatEndsTooEarlyIsNoPacket) {
  EXPECT_FALSE(readRtp({}));
  EXPECT_FALSE(readRtp(bytesOf({0x80, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0})));                       // 11 bytes
  EXPECT_FALSE(readRtp(bytesOf({0x40, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3})));                    // version 1
  EXPECT_FALSE(readRtp(bytesOf({0x81, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3})));                    // no source
  EXPECT_FALSE(readRtp(bytesOf({0x90, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0xbe, 0xde, 0, 1})));  // no extension
  EXPECT_FALSE(readRtp(bytesOf({0xa0, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 'x', 3})));  // padding of 3 in 2
  EXPECT_FALSE(readRtp(bytesOf({0xa0, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 'x', 0})));  // padding of 0
}

RC_GTEST_PROP(RtpViewProperty, ThePayloadLiesInsideThePacket, (std::vector<std::uint8_t> raw)) {
  if (!raw.empty() && *rc::gen::arbitrary<bool>()) raw[0] = static_cast<std::uint8_t>((raw[0] & 0x3f) | 0x80);
  const auto bytes = std::as_bytes(std::span(raw));
  const auto read = readRtp(bytes);
  if (!read || read->payload.empty()) return;
  RC_ASSERT(read->payload.data() >= bytes.data() + 12);
  RC_ASSERT(read->payload.data() + read->payload.size() <= bytes.data() + bytes.size());
}

TEST(RtpWriter, WithoutExtensionsTheHeaderHasTwelveBytes) {
  std::array<std::byte, kLongestRtpHeader> out{};
  const RtpStreamTerms terms{.ssrc = 0x01020304, .payloadType = 100};
  ASSERT_EQ(writeRtpHeader(out, terms, {.sequence = 0x0506, .timestamp = 0x0708090a}, true, 1), 12u);
  const Bytes expected = bytesOf({0x80, 0xe4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4});
  EXPECT_EQ(Bytes(out.begin(), out.begin() + 12), expected);
}

TEST(RtpWriter, TransportNumberAndMidHaveTheSubscribersIds) {
  std::array<std::byte, kLongestRtpHeader> out{};
  const RtpStreamTerms terms{.ssrc = 1, .payloadType = 96, .transportNumberId = 3, .midId = 4, .mid = "v0"};
  ASSERT_EQ(writeRtpHeader(out, terms, {.sequence = 2, .timestamp = 3}, false, 0xabcd), 24u);
  const Bytes expected = bytesOf({0x90, 96,   0, 2, 0,    0,    0,    3,    0,   0,   0, 1,  //
                                  0xbe, 0xde, 0, 2, 0x31, 0xab, 0xcd, 0x41, 'v', '0', 0, 0});
  EXPECT_EQ(Bytes(out.begin(), out.begin() + 24), expected);
}

TEST(RtpWriter, TheLongestMidFits) {
  std::array<std::byte, kLongestRtpHeader> out{};
  const RtpStreamTerms terms{.transportNumberId = 14, .midId = 13, .mid = std::string(16, 'm')};
  EXPECT_EQ(writeRtpHeader(out, terms, {}, false, 0), kLongestRtpHeader);
}

RC_GTEST_PROP(RtpWriterProperty, WhatIsWrittenIsReadAgain, (RtpPosition position, bool marker)) {
  RtpStreamTerms terms{.ssrc = *rc::gen::arbitrary<std::uint32_t>(),
                       .payloadType = *rc::gen::inRange<std::uint8_t>(0, 128)};
  if (*rc::gen::arbitrary<bool>()) terms.transportNumberId = *rc::gen::inRange<std::uint8_t>(1, 15);
  if (*rc::gen::arbitrary<bool>()) {
    terms.midId = *rc::gen::inRange<std::uint8_t>(1, 15);
    terms.mid = std::string(*rc::gen::inRange<std::size_t>(1, 17), 'm');
  }
  std::array<std::byte, kLongestRtpHeader + 3> out{};
  const std::size_t header = writeRtpHeader(out, terms, position, marker, 9);
  RC_ASSERT(header <= kLongestRtpHeader && header % 4 == 0);
  const auto read = readRtp(std::span(out).first(header + 3));
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->payload.size() == 3u);
  RC_ASSERT(read->ssrc == terms.ssrc && read->payloadType == terms.payloadType && read->marker == marker);
  RC_ASSERT((RtpPosition{read->sequence, read->timestamp}) == position);
}

TEST(RtpRewriter, TheFirstPacketBeginsTheStream) {
  RtpRewriter rewriter(90'000, {.sequence = 100, .timestamp = 5000});
  EXPECT_FALSE(rewriter.timestampAt(at(0s)));
  EXPECT_EQ(rewriter.rewrite(packet(60'000, 77), at(1s)), (RtpPosition{100, 5000}));
  EXPECT_EQ(rewriter.rewrite(packet(60'001, 77 + 3600), at(1040ms)), (RtpPosition{101, 8600}));
  EXPECT_EQ(rewriter.timestampAt(at(1050ms)), 9500u);  // 10 ms later
}

TEST(RtpRewriter, AGapStaysAGapAndWhatComesLateGoesIntoIt) {
  RtpRewriter rewriter(90'000, {.sequence = 65'534, .timestamp = 0});
  EXPECT_EQ(rewriter.rewrite(packet(10, 0), at(0ms))->sequence, 65'534);
  EXPECT_EQ(rewriter.rewrite(packet(13, 9), at(1ms))->sequence, 1);
  EXPECT_EQ(rewriter.rewrite(packet(11, 3), at(2ms)), (RtpPosition{65'535, 3}));
  EXPECT_EQ(rewriter.rewrite(packet(14, 12), at(3ms))->sequence, 2);
}

TEST(RtpRewriter, AnotherSourceGoesOnWithTheNextNumberAndTheTimeThatPassed) {
  RtpRewriter rewriter(90'000, {.sequence = 0, .timestamp = 0});
  EXPECT_EQ(rewriter.rewrite(packet(500, 1000, 1), at(0ms)), (RtpPosition{0, 0}));
  EXPECT_EQ(rewriter.rewrite(packet(501, 4600, 1), at(40ms)), (RtpPosition{1, 3600}));
  EXPECT_EQ(rewriter.rewrite(packet(9, 123'456, 2), at(140ms)), (RtpPosition{2, 12'600}));  // 100 ms: 9,000
  EXPECT_EQ(rewriter.rewrite(packet(10, 123'456 + 3600, 2), at(180ms)), (RtpPosition{3, 16'200}));
}

TEST(RtpRewriter, AtTheSameInstantTheTimeStampStillGrows) {
  RtpRewriter rewriter(48'000, {.sequence = 0, .timestamp = 10});
  EXPECT_EQ(rewriter.rewrite(packet(1, 0, 1), at(5ms))->timestamp, 10u);
  EXPECT_EQ(rewriter.rewrite(packet(1, 0, 2), at(5ms))->timestamp, 11u);
}

TEST(RtpRewriter, OfASourceThatEndedNothingComesBehindTheNewOne) {
  RtpRewriter rewriter(90'000, {.sequence = 0, .timestamp = 0});
  (void)rewriter.rewrite(packet(500, 0), at(0ms));
  rewriter.restart();
  EXPECT_EQ(rewriter.rewrite(packet(700, 0), at(1ms))->sequence, 1);
  EXPECT_FALSE(rewriter.rewrite(packet(699, 0), at(2ms)));  // would be number 0 a second time
  EXPECT_EQ(rewriter.rewrite(packet(701, 0), at(3ms))->sequence, 2);
}

TEST(RtpRewriter, AJumpOfTheNumbersIsAnotherSource) {
  RtpRewriter rewriter(90'000, {.sequence = 0, .timestamp = 0});
  (void)rewriter.rewrite(packet(100, 0), at(0ms));
  EXPECT_EQ(rewriter.rewrite(packet(3100, 0), at(1ms))->sequence, 3000);
  EXPECT_EQ(rewriter.rewrite(packet(6101, 0), at(2ms))->sequence, 3001);
  EXPECT_EQ(rewriter.rewrite(packet(6000, 0), at(3ms))->sequence, 3002);
}

TEST(RtpRewriter, TheOriginalIsKnownForThePresentSourceOnly) {
  RtpRewriter rewriter(90'000, {.sequence = 10, .timestamp = 0});
  EXPECT_FALSE(rewriter.originalOf(10));
  (void)rewriter.rewrite(packet(100, 0, 1), at(0ms));
  (void)rewriter.rewrite(packet(101, 0, 1), at(0ms));
  EXPECT_EQ(rewriter.originalOf(10), 100);
  EXPECT_EQ(rewriter.originalOf(11), 101);
  EXPECT_FALSE(rewriter.originalOf(12));
  (void)rewriter.rewrite(packet(9000, 5, 2), at(0ms));
  EXPECT_FALSE(rewriter.originalOf(11));
  EXPECT_EQ(rewriter.originalOf(12), 9000);
}

/// Sources of random length, with gaps, one after another.
RC_GTEST_PROP(RtpRewriterProperty, NumbersNeverRepeatAndTimeNeverGoesBack, ()) {
  const auto first = *rc::gen::arbitrary<std::uint16_t>();
  RtpRewriter rewriter(90'000, {.sequence = first, .timestamp = *rc::gen::arbitrary<std::uint32_t>()});
  std::optional<RtpPosition> last;
  Duration now{0};
  const int sources = *rc::gen::inRange(1, 5);
  for (int source = 0; source < sources; ++source) {
    auto sequence = *rc::gen::arbitrary<std::uint16_t>();
    auto timestamp = *rc::gen::arbitrary<std::uint32_t>();
    const auto gaps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 50));
    for (const int gap : gaps) {
      now += std::chrono::milliseconds(*rc::gen::inRange(0, 100));
      sequence = static_cast<std::uint16_t>(sequence + gap);
      timestamp += static_cast<std::uint32_t>(*rc::gen::inRange(0, 9000));
      const auto got =
          rewriter.rewrite(packet(sequence, timestamp, static_cast<std::uint32_t>(source)), at(now));
      RC_ASSERT(got.has_value());
      if (last) {
        RC_ASSERT(distance16(got->sequence, last->sequence) >= 1);
        RC_ASSERT(distance16(got->sequence, last->sequence) <= gap || gap == gaps.front());
        RC_ASSERT(static_cast<std::int32_t>(got->timestamp - last->timestamp) >= 0);
      }
      RC_ASSERT(rewriter.originalOf(got->sequence) == sequence);
      last = got;
    }
  }
}

RtpView withPayload(std::uint16_t sequence, const Bytes& payload) {
  RtpView made = packet(sequence, 3);
  made.payload = payload;
  return made;
}

TEST(RetransmissionHistory, FindsThePacketWithItsPayload) {
  RetransmissionHistory history({.packets = 8, .age = 1s});
  history.store(withPayload(65'535, bytesOf({1, 2})), at(0s));
  history.store(withPayload(0, bytesOf({3})), at(0s));
  const auto found = history.find(7, 65'535, at(1s));
  ASSERT_TRUE(found);
  EXPECT_EQ(Bytes(found->payload.begin(), found->payload.end()), bytesOf({1, 2}));
  EXPECT_EQ(found->timestamp, 3u);
  EXPECT_FALSE(history.find(7, 1, at(0s)));
  EXPECT_FALSE(history.find(8, 0, at(0s)));  // another source's
}

TEST(RetransmissionHistory, IsBoundedInPacketsAndInTime) {
  RetransmissionHistory history({.packets = 4, .age = 1s});
  for (std::uint16_t i = 0; i < 5; ++i)
    history.store(withPayload(i, bytesOf({i})), at(std::chrono::seconds(i)));
  EXPECT_FALSE(history.find(7, 0, at(4s)));  // number 4 has its place
  EXPECT_FALSE(history.find(7, 2, at(4s)));  // 2 s old
  EXPECT_TRUE(history.find(7, 3, at(4s)));
  EXPECT_FALSE(history.find(7, 3, at(4s + 1ns)));
}

TEST(RetransmissionHistory, WhatDoesNotFitIntoADatagramIsNotKept) {
  RetransmissionHistory history({.packets = 4, .age = 1s});
  history.store(withPayload(1, Bytes(kLongestRtpPayload)), at(0s));
  history.store(withPayload(2, Bytes(kLongestRtpPayload + 1)), at(0s));
  EXPECT_TRUE(history.find(7, 1, at(0s)));
  EXPECT_FALSE(history.find(7, 2, at(0s)));
}

}  // namespace
}  // namespace tactus::media
