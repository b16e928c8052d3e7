// SPDX-License-Identifier: Apache-2.0
// What receivers say is read; what senders say is written.
#include <gst/gst.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <vector>

#include "media/room/egress/delivery_ledger.h"
#include "media/room/egress/network_order.h"
#include "media/room/egress/rtcp_feedback.h"
#include "media/room/egress/sender_report.h"
#include "media/room/egress/transport_feedback.h"

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;
using Bytes = std::vector<std::byte>;

Bytes bytesOf(const std::vector<int>& values) {
  Bytes bytes;
  for (const int each : values) bytes.push_back(static_cast<std::byte>(each));
  return bytes;
}

/// A packet of RTCP with its header: version 2, `count` (or format), type and the length of `body`.
Bytes rtcp(int count, int type, const std::vector<int>& body) {
  const auto words = static_cast<int>(body.size() / 4);
  Bytes packet = bytesOf({0x80 | count, type, words >> 8, words & 0xff});
  const Bytes rest = bytesOf(body);
  packet.insert(packet.end(), rest.begin(), rest.end());
  return packet;
}

const std::vector<int> kSsrcs{0, 0, 0, 1, 0, 0, 0, 9};  // of the receiver, and of our stream

std::vector<int> withSsrcs(const std::vector<int>& information) {
  std::vector<int> body = kSsrcs;
  body.insert(body.end(), information.begin(), information.end());
  return body;
}

class Rtcp : public testing::Test {
 protected:
  static void SetUpTestSuite() { gst_init(nullptr, nullptr); }
};

TEST_F(Rtcp, AReportSaysWhatWasLost) {
  const auto read =
      readRtcp(rtcp(1, 201, {0,    0,    0,    1,    0, 0, 0, 9, 64, 0, 0, 5, 0, 1, 0, 2, 0, 0, 0, 30,  //
                             0x12, 0x34, 0x56, 0x78, 0, 1, 0, 0}));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().reports.size(), 1u);
  const ReceptionReport& report = read.value().reports.front();
  EXPECT_EQ(report.ssrc, 9u);
  EXPECT_DOUBLE_EQ(report.lostShare, 0.25);
  EXPECT_EQ(report.lost, 5);
  EXPECT_EQ(report.highest, 0x10002u);
  EXPECT_EQ(report.jitter, 30u);
  EXPECT_EQ(report.lastReport, 0x12345678u);
  EXPECT_EQ(report.sinceReport, 0x10000u);
}

TEST_F(Rtcp, ANackNamesAPacketAndSixteenAfterIt) {
  const auto read = readRtcp(rtcp(1, 205, withSsrcs({0xff, 0xff, 0x80, 0x01})));
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.value().retransmissions.size(), 1u);
  EXPECT_EQ(read.value().retransmissions[0].ssrc, 9u);
  EXPECT_EQ(read.value().retransmissions[0].sequences, (std::vector<std::uint16_t>{0xffff, 0, 15}));
}

TEST_F(Rtcp, PliAndFirAskForAKeyframe) {
  Bytes compound = rtcp(1, 206, kSsrcs);
  const Bytes fir = rtcp(4, 206, {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1, 0, 0, 0});
  compound.insert(compound.end(), fir.begin(), fir.end());
  const auto read = readRtcp(compound);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().keyframes, (std::vector<std::uint32_t>{9, 7}));
}

TEST_F(Rtcp, AGoodbyeNamesItsStreams) {
  const auto read = readRtcp(rtcp(2, 203, {0, 0, 0, 1, 0, 0, 0, 2}));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().goodbyes, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(Rtcp, AReportWithFewerBlocksThanItSaysIsLeftOut) {
  const auto read = readRtcp(rtcp(3, 201, {0, 0, 0, 1}));
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read.value().reports.empty());
}

TEST_F(Rtcp, OtherBytesAreNoRtcp) {
  EXPECT_EQ(readRtcp({}).error().code, ErrorCode::Corrupt);
  EXPECT_FALSE(readRtcp(bytesOf({1, 2, 3, 4})).ok());
  EXPECT_FALSE(readRtcp(bytesOf({0x80, 201, 0, 9, 0, 0, 0, 1})).ok());  // longer than it is
}

TEST_F(Rtcp, OurReportIsReadByOthersAsItWasWritten) {
  const Bytes bytes = writeSenderReport({.ssrc = 0x0a0b0c0d,
                                         .ntp = 0x1122334455667788,
                                         .timestamp = 0x01020304,
                                         .packets = 6,
                                         .bytes = 700,
                                         .name = "tactus"});
  const Bytes report =
      bytesOf({0x80, 200, 0, 6, 10, 11, 12, 13, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,  //
               1,    2,   3, 4, 0,  0,  0,  6,  0,    0,    2,    0xbc});
  const Bytes name =
      bytesOf({0x81, 202, 0, 4, 10, 11, 12, 13, 1, 6, 't', 'a', 'c', 't', 'u', 's', 0, 0, 0, 0});
  ASSERT_EQ(bytes.size(), report.size() + name.size());
  EXPECT_TRUE(std::equal(report.begin(), report.end(), bytes.begin()));
  EXPECT_TRUE(std::equal(name.begin(), name.end(), bytes.begin() + 28));
}

TEST(NtpClock, CountsFrom1900AndDoesNotJump) {
  const NtpClock clock(1s + 500ms, TimePoint(100s));
  EXPECT_EQ(clock.at(TimePoint(100s)) >> 32, 2'208'988'801u);
  EXPECT_EQ(clock.at(TimePoint(100s)) & 0xffffffff, 0x80000000u);
  EXPECT_EQ(clock.at(TimePoint(103s)) - clock.at(TimePoint(100s)), std::uint64_t{3} << 32);
}

TEST(RoundTrip, IsTheTimeThatTheReceiverDidNotHaveTheReport) {
  const std::uint64_t now = std::uint64_t{10} << 32;  // the 10th second
  const std::uint32_t sent = 9u << 16;
  EXPECT_EQ(roundTripOf({.lastReport = sent, .sinceReport = 0x8000}, now), Duration(500ms));
  EXPECT_FALSE(roundTripOf({.lastReport = 0}, now));
  EXPECT_FALSE(roundTripOf({.lastReport = 11u << 16}, now));  // of the future
}

TEST(TransportFeedback, VectorsAndRunsOfTheDraft) {
  // From 0xfffe on: a vector of two bits (large, small, missing x 5), then a run of 2 small ones.
  const auto read = readTransportFeedback(bytesOf({0xff, 0xfe, 0, 9, 0, 0, 1, 7,  //
                                                   0xe4, 0x00, 0x20, 0x02,        //
                                                   0xff, 0xfc, 4, 8, 12}));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const auto& packets = read.value().packets;
  EXPECT_EQ(read.value().count, 7);
  ASSERT_EQ(packets.size(), 9u);
  EXPECT_EQ(packets[0].number, 0xfffe);
  EXPECT_EQ(packets[0].at, Duration(64ms - 1ms));
  EXPECT_EQ(packets[1].number, 0xffff);
  EXPECT_EQ(packets[1].at, Duration(64ms));
  for (int i = 2; i < 7; ++i) EXPECT_FALSE(packets[static_cast<std::size_t>(i)].at);
  EXPECT_EQ(packets[7].at, Duration(66ms));
  EXPECT_EQ(packets[8].number, 6);
  EXPECT_EQ(packets[8].at, Duration(69ms));
}

TEST(TransportFeedback, OneBitVectorsAndANegativeReference) {
  const auto read = readTransportFeedback(bytesOf({0, 1, 0, 3, 0xff, 0xff, 0xff, 0, 0xa8, 0x00, 4, 8}));
  ASSERT_TRUE(read.ok());
  const auto& packets = read.value().packets;
  EXPECT_EQ(packets[0].at, Duration(-64ms + 1ms));
  EXPECT_FALSE(packets[1].at);
  EXPECT_EQ(packets[2].at, Duration(-64ms + 3ms));
}

TEST(TransportFeedback, WhatEndsTooEarlyIsRefused) {
  EXPECT_FALSE(readTransportFeedback(bytesOf({0, 1, 0, 3})).ok());
  EXPECT_FALSE(readTransportFeedback(bytesOf({0, 1, 0, 1, 0, 0, 0, 0})).ok());                 // no chunk
  EXPECT_FALSE(readTransportFeedback(bytesOf({0, 1, 0, 1, 0, 0, 0, 0, 0x20, 1})).ok());        // no delta
  EXPECT_FALSE(readTransportFeedback(bytesOf({0, 1, 0, 1, 0, 0, 0, 0, 0x20, 0, 4, 4})).ok());  // a run of 0
}

RC_GTEST_PROP(RtcpProperty, AnyBytesAreReadWithoutHarm, (const std::vector<std::uint8_t>& raw)) {
  (void)readRtcp(std::as_bytes(std::span(raw)));
  if (const auto read = readTransportFeedback(std::as_bytes(std::span(raw))); read.ok())
    RC_ASSERT(read.value().packets.size() == get16(std::as_bytes(std::span(raw)).data() + 2));
}

/// A compound packet in which some bytes are others: deeper than random bytes come.
RC_GTEST_PROP(RtcpProperty, MutatedFeedbackIsReadWithoutHarm, ()) {
  static const bool initialised = [] {
    gst_init(nullptr, nullptr);
    return true;
  }();
  RC_ASSERT(initialised);
  Bytes compound;
  for (const Bytes& each :
       {rtcp(1, 201, std::vector<int>(28, 1)), rtcp(1, 205, withSsrcs({0, 1, 0xff, 0xff})),
        rtcp(15, 205, withSsrcs({0, 1, 0, 4, 0, 0, 0, 0, 0x20, 4, 1, 1, 1, 1, 0, 0})), rtcp(1, 206, kSsrcs),
        rtcp(4, 206, {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1, 0, 0, 0}), rtcp(2, 203, kSsrcs)})
    compound.insert(compound.end(), each.begin(), each.end());
  const int changes = *rc::gen::inRange(1, 8);
  for (int i = 0; i < changes; ++i)
    compound[*rc::gen::inRange<std::size_t>(0, compound.size())] =
        static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  compound.resize(*rc::gen::inRange<std::size_t>(0, compound.size() + 1));
  const auto read = readRtcp(compound);
  if (!read.ok()) return;
  for (const auto& each : read.value().retransmissions)
    RC_ASSERT(each.sequences.size() <= 17 * compound.size());
}

TEST(DeliveryLedger, CountsWhatArrivedAndHowFast) {
  DeliveryLedger ledger;
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(ledger.sent(1000, TimePoint(10ms * i)), static_cast<std::uint16_t>(i));
  TransportFeedback feedback;
  feedback.packets = {{.number = 0, .at = Duration(100ms)},
                      {.number = 1},
                      {.number = 2, .at = Duration(130ms)},
                      {.number = 3, .at = Duration(140ms)},
                      {.number = 4, .at = Duration(150ms)}};  // which was not sent
  ledger.told(feedback);
  EXPECT_EQ(ledger.figures().arrived, 3u);
  EXPECT_EQ(ledger.figures().arrivedBytes, 3000u);
  EXPECT_EQ(ledger.figures().missing, 1u);
  EXPECT_DOUBLE_EQ(ledger.figures().arrivalRate, 8 * 2000 / 0.04);
  EXPECT_EQ(ledger.figures().delayGrowth,
            Duration(10ms));  // 40 ms between arrivals, 30 ms between departures
}

TEST(DeliveryLedger, TellsWhatAReportSaysOfPacketsOfWhichNothingWasKnown) {
  DeliveryLedger ledger;
  for (int i = 0; i < 4; ++i) (void)ledger.sent(1000, TimePoint(10ms * i));
  const auto first = ledger.told({.packets = {{.number = 0, .at = Duration(100ms)}, {.number = 1}}});
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].sent, TimePoint(0ms));
  EXPECT_EQ(first[0].bytes, 1000u);
  EXPECT_EQ(first[0].arrived, Duration(100ms));
  EXPECT_EQ(first[1].sent, TimePoint(10ms));
  EXPECT_FALSE(first[1].arrived);
  const auto second = ledger.told({.packets = {{.number = 0, .at = Duration(100ms)},
                                               {.number = 1},
                                               {.number = 2, .at = Duration(125ms)},
                                               {.number = 3, .at = Duration(137ms)}}});
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[0].sent, TimePoint(20ms));
  EXPECT_EQ(second[1].arrived, Duration(137ms));
}

TEST(DeliveryLedger, APacketThatWasOnlyLateIsNotMissing) {
  DeliveryLedger ledger;
  const std::uint16_t number = ledger.sent(10, TimePoint(0s));
  TransportFeedback feedback;
  feedback.packets = {{.number = number}};
  ledger.told(feedback);
  ledger.told(feedback);
  EXPECT_EQ(ledger.figures().missing, 1u);
  feedback.packets[0].at = Duration(1s);
  ledger.told(feedback);
  ledger.told(feedback);
  EXPECT_EQ(ledger.figures().missing, 0u);
  EXPECT_EQ(ledger.figures().arrived, 1u);
  EXPECT_EQ(ledger.figures().feedbacks, 4u);
}

}  // namespace
}  // namespace tactus::media
