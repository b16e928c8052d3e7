// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_contract.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::Rate;

/// Pictures: 25 a second of at most 10,000 bytes, 40 ms apart.
StreamContract pictures() {
  StreamContract contract;
  contract.largestBuffer = 10'000;
  contract.rate = Rate::perSecond(25);
  return contract;
}

/// As many as pass.
StreamContract files() {
  StreamContract contract = pictures();
  contract.rate.reset();
  return contract;
}

std::string sentenceOf(const std::function<void(StreamContract&)>& change,
                       StreamContract contract = pictures()) {
  change(contract);
  const auto valid = validate(contract);
  if (valid.ok()) return "";
  EXPECT_EQ(valid.error().code, ErrorCode::InvalidArgument);
  return valid.error().message;
}

TEST(StreamContract, NamesAreReadAsTheyAreWritten) {
  for (const auto kind : {TransportKind::Udp, TransportKind::Tcp, TransportKind::Local})
    EXPECT_EQ(transportKindOf(nameOf(kind)), kind);
  for (const auto type : {PortType::Read, PortType::Write}) EXPECT_EQ(portTypeOf(nameOf(type)), type);
  EXPECT_EQ(nameOf(TransportKind::Local), "local");
  EXPECT_EQ(nameOf(PortType::Write), "write");
  EXPECT_EQ(transportKindOf("UDP"), std::nullopt);
  EXPECT_EQ(transportKindOf(""), std::nullopt);
  EXPECT_EQ(portTypeOf("udp"), std::nullopt);
}

TEST(StreamContract, TheLimitsAreValid) {
  EXPECT_EQ(sentenceOf([](StreamContract&) {}), "");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.largestBuffer = 1; }), "");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.largestBuffer = kLargestBuffer; }), "");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.workahead = 64; }), "");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.processing = 40ms; }), "");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.jitter = 64 * 40ms; }), "");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.latency = 24h; }), "");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.toleratedLoss = 10'000; }), "");
  EXPECT_TRUE(validate(files()).ok());
}

TEST(StreamContract, TheRateFallsToItsLeastOrAQuarter) {
  StreamContract contract = pictures();
  EXPECT_EQ(longestPeriodOf(contract), Duration(160ms));
  contract.leastRate = Rate::perSecond(20);
  EXPECT_EQ(longestPeriodOf(contract), Duration(50ms));
  EXPECT_TRUE(validate(contract).ok());
  contract.rate = Rate::perSecond(1, 3600);
  contract.leastRate.reset();
  EXPECT_EQ(longestPeriodOf(contract), Duration(1h)) << "that of the lowest rate";
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.leastRate = Rate::perSecond(26); }),
            "The least rate of a stream is at most its rate of 25 buffers/s, not 26 buffers/s.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.leastRate = Rate::perSecond(1); }, files()),
            "A stream without a rate has no least rate.");
}

TEST(StreamContract, EachWrongFieldHasASentence) {
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.largestBuffer = 0; }),
            "The largest buffer of a stream has 1 to 16777216 bytes, not 0.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.largestBuffer = kLargestBuffer + 1; }),
            "The largest buffer of a stream has 1 to 16777216 bytes, not 16777217.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.workahead = 0; }),
            "The workahead of a stream is 1 to 64 buffers, not 0.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.workahead = 65; }),
            "The workahead of a stream is 1 to 64 buffers, not 65.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.reliable = true; }),
            "A stream over udp cannot be reliable: take tcp, or local on one machine.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.isochronous = true; }, files()),
            "An isochronous stream needs a rate.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.processing = 41ms; }),
            "The processing of a buffer takes between 0 and one period of 40 ms, not 41 ms.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.jitter = -1ms; }),
            "The jitter of a stream is 0 to 64 periods, and at most an hour.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.jitter = 64 * 40ms + 1ns; }),
            "The jitter of a stream is 0 to 64 periods, and at most an hour.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.latency = -1ns; }),
            "The latency of a stream is at least 0 and at most a day.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) { c.toleratedLoss = 10'001; }),
            "A stream tolerates the loss of 0 to 10000 of 10000 buffers, not of 10001.");
  for (const double weight : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL})
    EXPECT_EQ(sentenceOf([&](StreamContract& c) { c.weight = weight; }),
              "The weight of a stream is above 0 and finite.");
  EXPECT_EQ(sentenceOf([](StreamContract& c) {
              c.largestBuffer = kLargestBuffer;
              c.rate = Rate::perSecond(3000);
            }),
            "The rate times the largest buffer of a stream is more than any link carries.");
}

TEST(StreamContract, WithoutNumbersThePeriodGivesThem) {
  StreamContract contract = pictures();
  EXPECT_EQ(jitterOf(contract), 40ms);
  EXPECT_EQ(latencyOf(contract), 120ms) << "one period each for both tasks, and the network's jitter";
  contract.workahead = 4;
  EXPECT_EQ(latencyOf(contract), 240ms) << "the last of four made at once waits for three periods more";
  contract.jitter = 5ms;
  EXPECT_EQ(latencyOf(contract), 205ms);
  contract.latency = 80ms;
  EXPECT_EQ(latencyOf(contract), 80ms);
  EXPECT_EQ(jitterOf(files()), 20ms);
  EXPECT_EQ(latencyOf(files()), 60ms);
}

TEST(StreamContract, ABufferOnTheLinkHasTheHeadersOfAllItsDatagrams) {
  EXPECT_EQ(bytesOnLinkOf(TransportKind::Udp, 1400), 1400u + 94);
  EXPECT_EQ(bytesOnLinkOf(TransportKind::Udp, 10'000), 10'000u + 8 * 94);
  EXPECT_EQ(bytesOnLinkOf(TransportKind::Tcp, 10'000), 10'032u + 8 * 86);
  EXPECT_EQ(bytesOnLinkOf(TransportKind::Tcp, 1396), 1428u + 86) << "a full segment";
  EXPECT_EQ(bytesOnLinkOf(TransportKind::Local, 10'000), 0u);
  EXPECT_LE(bytesOnLinkOf(TransportKind::Udp, kPiecePayload), Link::kLargestPacket);
}

TEST(StreamContract, TheLinkPromisesRateTimesSizeAndWBuffersAtOnce) {
  StreamContract contract = pictures();
  const auto bytes = byteContractOf(contract);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(bytes->rate.bits(), 25 * 8 * 10'752);
  EXPECT_EQ(bytes->burst, 10'752u);
  contract.workahead = 3;
  contract.rate = Rate::perSecond(30'000, 1001);
  EXPECT_EQ(byteContractOf(contract)->burst, 3 * 10'752u);
  EXPECT_EQ(byteContractOf(contract)->rate.bits(), 2'577'903) << "rounded up";
  contract.transport = TransportKind::Local;
  EXPECT_EQ(byteContractOf(contract), std::nullopt);
  EXPECT_EQ(byteContractOf(files()), std::nullopt);
}

TEST(StreamContract, AFlowIsWhatTheLinkTakes) {
  Link link(BitRate::perSecond(20'000'000));
  StreamContract contract = pictures();
  contract.linkClass = LinkClass::Audio;
  contract.weight = 2;
  const auto flow = flowOf(contract, "camera");
  ASSERT_TRUE(flow.has_value());
  EXPECT_EQ(flow->name, "camera");
  EXPECT_EQ(flow->linkClass, LinkClass::Audio);
  EXPECT_EQ(flow->weight, 2);
  EXPECT_EQ(flow->contract, byteContractOf(contract));
  EXPECT_EQ(flow->longestWait, 120ms);
  EXPECT_TRUE(link.add(*flow).ok());
  const auto bulk = flowOf(files(), "film");
  EXPECT_EQ(bulk->linkClass, LinkClass::Bulk);
  EXPECT_TRUE(link.add(*bulk).ok());
  contract.transport = TransportKind::Tcp;
  contract.reliable = true;
  EXPECT_EQ(flowOf(contract, "camera")->longestWait, std::nullopt) << "nothing is given up for its age";
  contract.transport = TransportKind::Local;
  EXPECT_FALSE(flowOf(contract, "camera").has_value());
}

TEST(StreamContract, APortIsATaskOfItsRateAndW) {
  StreamContract contract = pictures();
  contract.workahead = 4;
  const auto sender = taskContractOf(contract, PortType::Write, "mic");
  EXPECT_EQ(sender.name, "mic");
  EXPECT_EQ(sender.stage, periodic::Stage::Send);
  EXPECT_EQ(sender.lbap, (periodic::LbapContract{Rate::perSecond(25), 4}));
  EXPECT_EQ(sender.service, periodic::ServiceClass::Statistical);
  EXPECT_EQ(sender.processing, 2ms);
  EXPECT_EQ(sender.deadline, 40ms);
  EXPECT_FALSE(sender.sporadic);
  EXPECT_TRUE(periodic::validate(sender).ok());
  const auto receiver = taskContractOf(contract, PortType::Read, "speaker");
  EXPECT_EQ(receiver.stage, periodic::Stage::Receive);
  EXPECT_EQ(receiver.lbap.workahead, 4u);
  EXPECT_TRUE(receiver.sporadic) << "its handler is called as soon as a buffer is whole";
}

TEST(StreamContract, AnIsochronousReaderIsCalledOnceAPeriodWithinTheJitter) {
  StreamContract contract = pictures();
  contract.isochronous = true;
  contract.workahead = 4;
  contract.jitter = 5ms;
  contract.processing = 3ms;
  const auto reader = taskContractOf(contract, PortType::Read, "speaker");
  EXPECT_EQ(reader.lbap.workahead, 1u);
  EXPECT_FALSE(reader.sporadic);
  EXPECT_EQ(reader.processing, 3ms);
  EXPECT_EQ(reader.deadline, 8ms);
  EXPECT_EQ(taskContractOf(contract, PortType::Write, "mic").lbap.workahead, 4u);
}

TEST(StreamContract, WithoutARateATaskIsBestEffortAndNothingHoldsItBack) {
  for (const auto type : {PortType::Read, PortType::Write}) {
    const auto task = taskContractOf(files(), type, "film");
    EXPECT_EQ(task.service, periodic::ServiceClass::BestEffort);
    EXPECT_TRUE(task.sporadic);
    EXPECT_LE(task.lbap.rate.period(), 1us);
    EXPECT_EQ(task.deadline, 20ms);
    EXPECT_TRUE(periodic::validate(task).ok());
  }
}

TEST(StreamContract, TheWindowHoldsTheBurstAndTheJitter) {
  StreamContract contract = pictures();
  EXPECT_EQ(assemblyOf(contract).window, 8u);
  EXPECT_EQ(assemblyOf(contract).patience, 40ms);
  EXPECT_EQ(assemblyOf(contract).pieceSize, kPiecePayload);
  contract.workahead = 5;
  contract.jitter = 201ms;
  EXPECT_EQ(assemblyOf(contract).window, 5 + 6 + 2u);
  contract.workahead = 64;
  contract.jitter = 64 * 40ms;
  EXPECT_EQ(assemblyOf(contract).window, 130u);
  EXPECT_TRUE(BufferAssembly::create(assemblyOf(contract)).ok());
}

TEST(StreamContract, ATransportThatKeepsOrderHasWholeBuffersAndNoPatience) {
  StreamContract contract = pictures();
  contract.transport = TransportKind::Tcp;
  contract.reliable = true;
  contract.workahead = 3;
  const AssemblyOptions options = assemblyOf(contract);
  EXPECT_EQ(options.window, 4u);
  EXPECT_EQ(options.pieceSize, 10'000u);
  EXPECT_EQ(options.patience, 0ns);
  EXPECT_EQ(options.confirming, 1u);
  EXPECT_TRUE(options.reliable);
  EXPECT_TRUE(BufferAssembly::create(options).ok());
  contract.isochronous = true;
  contract.jitter = 81ms;  // three periods
  EXPECT_EQ(assemblyOf(contract).window, 4u + 3u + 1u) << "others wait for the instant at which they are due";
}

TEST(StreamContract, MemoryIsThatOfAllBuffers) {
  const auto isAbout = [](std::size_t memory, std::size_t bytes) {
    return memory >= bytes && memory < bytes + bytes / 20;
  };
  StreamContract contract = pictures();
  const std::size_t inKernel = 2 * 8 * (10'000 + 8 * 1024);
  EXPECT_TRUE(isAbout(memoryOf(contract, PortType::Read), 8 * 10'000 + 4 * 65'536 + inKernel));
  EXPECT_GE(memoryOf(contract, PortType::Write), 6 * (10'000u + 8 * 64)) << "64 KiB leave together";
  contract.transport = TransportKind::Tcp;
  EXPECT_GE(memoryOf(contract, PortType::Write), 65'536u + 1985 * 24) << "small buffers leave together";
  EXPECT_TRUE(isAbout(memoryOf(contract, PortType::Read), 65'536));
  contract.largestBuffer = 100'000;
  contract.workahead = 3;
  EXPECT_TRUE(isAbout(memoryOf(contract, PortType::Write), 5 * (100'000u + 32) + 2048 * 24))
      << "a record lies in one piece";
  EXPECT_TRUE(isAbout(memoryOf(contract, PortType::Read), 4 * 100'032u + 32));
  contract.transport = TransportKind::Local;
  EXPECT_TRUE(isAbout(memoryOf(contract, PortType::Write), 5 * (8 + 100'000u + 32)));
  EXPECT_TRUE(isAbout(memoryOf(contract, PortType::Read), 4 * 100'032u));
}

}  // namespace
}  // namespace tactus::net
