// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/contract_match.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::Rate;

StreamContract sound() {
  StreamContract contract;
  contract.transport = TransportKind::Tcp;
  contract.largestBuffer = 1000;
  contract.rate = Rate::perSecond(50);
  return contract;
}

/// Of sound() and a contract that differs from it.
std::string mismatch(const std::function<void(StreamContract&)>& change) {
  StreamContract other = sound();
  change(other);
  EXPECT_EQ(mismatchOf(other, other), "");
  return mismatchOf(sound(), other);
}

TEST(ContractMatch, EachFieldThatDiffersIsNamedWithBothValues) {
  EXPECT_EQ(mismatch([](StreamContract&) {}), "");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.transport = TransportKind::Udp; }),
            "This port's transport is tcp, the other's is udp.");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.largestBuffer = 2000; }),
            "This port's largest buffer is 1000 bytes, the other's is 2000.");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.rate = Rate::perSecond(25); }),
            "This port's rate is 50 buffers/s, the other's is 25.");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.rate = Rate::perSecond(30'000, 1001); }),
            "This port's rate is 50 buffers/s, the other's is 30000/1001.");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.rate.reset(); }),
            "This port's rate is 50 buffers/s, the other has none.");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.workahead = 4; }),
            "This port's workahead is 1 buffer, the other's is 4.");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.isochronous = true; }),
            "This port's stream is not isochronous, the other's is.");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.reliable = true; }),
            "This port's stream is not reliable, the other's is.");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.jitter = 5ms; }),
            "This port's jitter is 20 ms, the other's is 5.");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.latency = 24h - 1ns; }),
            "This port's latency is 60 ms, the other's is 86399999.999999.");
  EXPECT_EQ(mismatch([](StreamContract& c) { c.toleratedLoss = 10; }),
            "This port's tolerated loss is 0 of 10000 buffers, the other's is 10.");
}

TEST(ContractMatch, TheOtherSideMayHaveMore) {
  StreamContract more = sound(), none = sound();
  more.isochronous = more.reliable = true;
  EXPECT_EQ(mismatchOf(more, sound()), "This port's stream is isochronous, the other's is not.");
  more.isochronous = false;
  EXPECT_EQ(mismatchOf(more, sound()), "This port's stream is reliable, the other's is not.");
  none.rate.reset();
  EXPECT_EQ(mismatchOf(none, sound()), "This port has no rate, the other's is 50 buffers/s.");
}

TEST(ContractMatch, TheFirstFieldThatDiffersIsNamed) {
  EXPECT_EQ(mismatch([](StreamContract& c) {
              c.toleratedLoss = 10;
              c.workahead = 2;
              c.latency = 1s;
            }),
            "This port's workahead is 1 buffer, the other's is 2.");
}

TEST(ContractMatch, NumbersThatHoldAreComparedNotWhatWasLeftOut) {
  EXPECT_EQ(mismatch([](StreamContract& c) { c.jitter = 20ms; }), "") << "one period";
  EXPECT_EQ(mismatch([](StreamContract& c) { c.latency = 60ms; }), "") << "two periods and the jitter";
  EXPECT_EQ(mismatch([](StreamContract& c) { c.rate = Rate::perSecond(100, 2); }), "");
}

TEST(ContractMatch, WhatEachSideHasOfItsOwnMayDiffer) {
  EXPECT_EQ(mismatch([](StreamContract& c) {
              c.processing = 3ms;
              c.linkClass = LinkClass::Audio;
              c.weight = 7;
            }),
            "");
}

/// Of a contract that differs from sound(), beyond sound().
std::string excess(const std::function<void(StreamContract&)>& change) {
  StreamContract theirs = sound();
  change(theirs);
  return excessOf(sound(), theirs);
}

TEST(ContractMatch, WhatIsLargerThanAReaderTakesIsNamedWithBothValues) {
  EXPECT_EQ(excess([](StreamContract& c) { c.transport = TransportKind::Udp; }),
            "This port's transport is tcp, the other's is udp.");
  EXPECT_EQ(excess([](StreamContract& c) { c.largestBuffer = 1001; }),
            "This port takes a largest buffer of at most 1000 bytes, the other's is 1001.");
  EXPECT_EQ(excess([](StreamContract& c) { c.rate = Rate::perSecond(150'001, 3000); }),
            "This port takes a rate of at most 50 buffers/s, the other's is 150001/3000.");
  EXPECT_EQ(excess([](StreamContract& c) { c.rate.reset(); }),
            "This port takes a rate of at most 50 buffers/s, the other has none.");
  EXPECT_EQ(excess([](StreamContract& c) { c.workahead = 2; }),
            "This port takes a workahead of at most 1 buffer, the other's is 2.");
}

TEST(ContractMatch, AReaderTakesWhatIsSmallerAndWhatTheWriterSays) {
  EXPECT_EQ(excess([](StreamContract&) {}), "");
  EXPECT_EQ(excess([](StreamContract& c) {
              c.largestBuffer = 1;
              c.rate = Rate::perSecond(150'000, 3000);
              c.isochronous = c.reliable = true;
              c.jitter = 500ms;
              c.latency = 2s;
              c.toleratedLoss = 100;
            }),
            "");
  StreamContract any = sound();
  any.rate.reset();
  EXPECT_EQ(excessOf(any, sound()), "");
  EXPECT_EQ(excessOf(any, any), "");
}

TEST(ContractMatch, ATakenContractIsTheWritersWithTheReadersProcessingTime) {
  StreamContract theirs = sound(), own = sound(), expected = sound();
  theirs.toleratedLoss = expected.toleratedLoss = 7;
  own.rate = Rate::perSecond(10);
  own.processing = expected.processing = 3ms;
  EXPECT_EQ(takenOver(theirs, own), expected);
  own.processing = 50ms;
  expected.processing = 20ms;
  EXPECT_EQ(takenOver(theirs, own), expected) << "a period is the most";
  EXPECT_TRUE(validate(takenOver(theirs, own)).ok());
}

}  // namespace
}  // namespace tactus::net
