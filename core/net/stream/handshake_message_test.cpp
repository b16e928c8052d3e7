// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/handshake_message.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "core/net/stream/line_reader.h"
#include "core/net/stream/stream_wire.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Rate;

const std::string kConnect =
    "connect version=1 name=cam-1 token=a%20b type=write transport=udp largest=65536 rate=30000%2F1001 "
    "workahead=2 isochronous=1 reliable=0 jitter=20000000 latency=150000000 loss=100 "
    "session=00000000deadbeef port=7001";

ConnectMessage connectMessage() {
  ConnectMessage message;
  message.name = "cam-1";
  message.token = "a b";
  message.type = PortType::Write;
  message.contract.transport = TransportKind::Udp;
  message.contract.largestBuffer = 65536;
  message.contract.rate = Rate::perSecond(30000, 1001);
  message.contract.workahead = 2;
  message.contract.isochronous = true;
  message.contract.jitter = 20ms;
  message.contract.latency = 150ms;
  message.contract.toleratedLoss = 100;
  message.session = 0xDEADBEEF;
  message.port = 7001;
  return message;
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

ErrorCode faultOf(const std::string& line) {
  const auto message = parseHandshake(line);
  EXPECT_FALSE(message.ok()) << line;
  if (message) return ErrorCode::System;
  EXPECT_TRUE(message.error().message.ends_with('.')) << message.error().message;
  return message.error().code;
}

TEST(HandshakeMessage, ConnectIsWrittenAndRead) {
  EXPECT_EQ(formatHandshake(connectMessage()).value(), kConnect + "\n");
  EXPECT_EQ(std::get<ConnectMessage>(parseHandshake(kConnect).value()), connectMessage());
}

TEST(HandshakeMessage, ConnectMayHaveNoRateAndNoToken) {
  const auto line = replaced(replaced(replaced(kConnect, " rate=30000%2F1001", ""), "a%20b", ""),
                             "isochronous=1", "isochronous=0");
  const auto message = std::get<ConnectMessage>(parseHandshake(line).value());
  EXPECT_FALSE(message.contract.rate);
  EXPECT_EQ(message.token, "");
}

TEST(HandshakeMessage, EachOtherMessageIsWrittenAndRead) {
  const std::vector<std::pair<HandshakeMessage, std::string>> all{
      {AcceptedMessage{7002}, "accepted port=7002 ring=0\n"},
      {AcceptedMessage{0, true}, "accepted port=0 ring=1\n"},
      {DataMessage{0xDEADBEEF}, "data session=00000000deadbeef\n"},
      {StateMessage{SenderState::Ended, 7}, "state now=ended buffers=7\n"},
      {RefusedMessage{Refusal::NotFound, "No port mic."},
       "refused code=not-found sentence=No%20port%20mic.\n"},
      {StateMessage{SenderState::Paused, 301}, "state now=paused buffers=301\n"},
      {ReportMessage{10, 2, 3, 1500ns, 2ms}, "report received=10 lost=2 late=3 jitter=1500 delay=2000000\n"},
      {StateMessage{SenderState::Live, 8, 20ms, 30ms},
       "state now=live buffers=8 period=20000000 next=30000000\n"},
      {ReportMessage{10, 2, 3, 0ns, 0ns, 30ms, StreamJudgement{12, 1, 48, 2s, 5ms, StreamFault::Network},
                     5000},
       "report received=10 lost=2 late=3 jitter=0 delay=0 period=30000000 misses=12 tolerated=1 due=48 "
       "window=2000000000 since=5000000 fault=network share=5000\n"},
      {ByeMessage{"caf\xC3\xA9"}, "bye sentence=caf%C3%A9\n"}};
  for (const auto& [message, line] : all) {
    EXPECT_EQ(formatHandshake(message).value(), line);
    EXPECT_EQ(parseHandshake(line.substr(0, line.size() - 1)).value(), message);
  }
}

TEST(HandshakeMessage, KeysOfLaterVersionsArePassedOver) {
  EXPECT_EQ(std::get<ConnectMessage>(parseHandshake(kConnect + " colour=b%6Cue").value()), connectMessage());
  EXPECT_EQ(std::get<AcceptedMessage>(parseHandshake("accepted more=1 port=5 ring=0").value()).port, 5);
}

TEST(HandshakeMessage, WhatAReceiverJudgesIsWholeOrAbsent) {
  const std::string report = "report received=1 lost=0 late=0 jitter=0 delay=0";
  const std::string judged = " misses=1 tolerated=0 due=2 window=3 since=4 fault=sender";
  EXPECT_FALSE(std::get<ReportMessage>(parseHandshake(report).value()).judgement);
  EXPECT_TRUE(std::get<ReportMessage>(parseHandshake(report + judged).value()).judgement);
  for (const char* field : {" tolerated=0", " due=2", " window=3", " since=4", " fault=sender"})
    EXPECT_EQ(faultOf(report + replaced(judged, field, "")), ErrorCode::Corrupt) << field;
  EXPECT_EQ(faultOf(report + replaced(judged, "fault=sender", "fault=nobody")), ErrorCode::Corrupt);
  for (const char* share : {" share=0", " share=10001", " share=-1"})
    EXPECT_EQ(faultOf(report + share), ErrorCode::Corrupt) << share;
  for (const char* period : {" period=0", " period=999", " period=3600000000001", " next=0"})
    EXPECT_EQ(faultOf("state now=live buffers=1" + std::string(period)), ErrorCode::Corrupt) << period;
}

TEST(HandshakeMessage, EachKeyOfConnectButRateIsNeeded) {
  for (const char* field :
       {" version=1", " name=cam-1", " token=a%20b", " type=write", " transport=udp", " largest=65536",
        " workahead=2", " isochronous=1", " reliable=0", " jitter=20000000", " latency=150000000",
        " loss=100", " session=00000000deadbeef", " port=7001"})
    EXPECT_EQ(faultOf(replaced(kConnect, field, "")), ErrorCode::Corrupt) << field;
}

TEST(HandshakeMessage, MalformedValuesAreCorrupt) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> all{
      {"name=cam-1", {"name=", "name=a%20b", "name=a%2Fb", "name=" + std::string(65, 'a'), "name=a/b"}},
      {"token=a%20b", {"token=" + std::string(129, 'a'), "token=%2"}},
      {"type=write", {"type=", "type=Write", "type=both"}},
      {"transport=udp", {"transport=sctp"}},
      {"largest=65536", {"largest=0", "largest=-1", "largest=4294967296", "largest=1e3", "largest=065536"}},
      {"rate=30000%2F1001",
       {"rate=30000/1001", "rate=30", "rate=", "rate=30%2F", "rate=%2F1", "rate=0%2F1", "rate=30%2F0",
        "rate=-30%2F1", "rate=30%2F1%2F1", "rate=2000000%2F1", "rate=18446744073709551615%2F1"}},
      {"isochronous=1", {"isochronous=2", "isochronous=yes", "isochronous=01"}},
      {" rate=30000%2F1001", {""}},  // isochronous
      {"workahead=2", {"workahead=0", "workahead=65", "workahead=-1"}},
      {"reliable=0", {"reliable=1"}},  // over udp
      {"jitter=20000000", {"jitter=-1", "jitter=9000000000000"}},
      {"latency=150000000", {"latency=9223372036854775807"}},
      {"loss=100", {"loss=10001"}},
      {"session=00000000deadbeef",
       {"session=deadbeef", "session=00000000DEADBEEF", "session=0x000000deadbeef"}},
      {"port=7001", {"port=65536", "port=", "port=%207001", "port=7001%00"}}};
  for (const auto& [good, bad] : all)
    for (const auto& each : bad)
      EXPECT_EQ(faultOf(replaced(kConnect, good, each)), ErrorCode::Corrupt) << each;
  for (const char* line :
       {"state now=asleep buffers=1", "state now=live buffers=18446744073709551616",
        "refused code=tired sentence=a", "report received=1 lost=1 late=1 jitter=-1 delay=0",
        "bye sentence=a%0Ab", "bye sentence=%1B[2J", "bye sentence=%C2%9B2J", "bye sentence=%FF",
        "report received=1 lost=1 late=1 jitter=9223372036854775808 delay=0"})
    EXPECT_EQ(faultOf(line), ErrorCode::Corrupt) << line;
}

TEST(HandshakeMessage, MalformedLinesAreCorrupt) {
  for (const char* line :
       {"", " ", "hello", "Accepted port=1", "accepted", "accepted port", "accepted ring=0 port=1 ",
        "accepted  ring=0 port=1", " accepted ring=0 port=1", "accepted ring=0 port=1 port=1",
        "accepted ring=0 port=1 x=1 x=1", "accepted ring=0 port=1 x", "accepted ring=0 port=1 =x",
        "accepted ring=0 port=1 X=1", "accepted ring=0 port=1 x=%", "accepted ring=0 port=1\n",
        "accepted\tring=0 port=1", "accepted ring=0 port=1 x=\xC3\xA9"})
    EXPECT_EQ(faultOf(line), ErrorCode::Corrupt) << line;
  EXPECT_EQ(faultOf("accepted ring=0 port=1 x=" + std::string(999, 'a')), ErrorCode::Corrupt);
  EXPECT_TRUE(parseHandshake("accepted ring=0 port=1 x=" + std::string(998, 'a')).ok());
}

TEST(HandshakeMessage, AnotherVersionIsUnsupportedWhateverItsKeys) {
  EXPECT_EQ(faultOf("connect version=2 name=cam"), ErrorCode::Unsupported);
  EXPECT_EQ(faultOf("connect version=0"), ErrorCode::Unsupported);
}

TEST(HandshakeMessage, ErrorsQuoteNothingOfTheLine) {
  for (const char* line : {"evil x=1", "accepted ring=0 port=evil", "accepted ring=0 port=1 evil",
                           "accepted ring=0 port=1 evil=1 evil=1"}) {
    const auto message = parseHandshake(line);
    ASSERT_FALSE(message.ok());
    EXPECT_EQ(message.error().message.find("evil"), std::string::npos) << message.error().message;
  }
}

TEST(HandshakeMessage, SentencesAreCutAndCleanedWhenTheyAreSent) {
  std::string sentence = "two\nlines ";
  for (int i = 0; i < 200; ++i) sentence += "\xC3\xA9";
  for (const HandshakeMessage& message : {HandshakeMessage(RefusedMessage{Refusal::Unsupported, sentence}),
                                          HandshakeMessage(ByeMessage{sentence})}) {
    const std::string line = formatHandshake(message).value();
    EXPECT_LE(line.size(), LineReader::kLongestLine);
    EXPECT_TRUE(parseHandshake(line.substr(0, line.size() - 1)).ok());
    EXPECT_NE(line.find("two%20lines%20%C3%A9"), std::string::npos);
  }
}

TEST(HandshakeMessage, TheLongestConnectFitsIntoALine) {
  ConnectMessage message = connectMessage();
  message.name.assign(64, 'n');
  message.token.assign(128, '\xFF');
  message.contract.transport = TransportKind::Local;
  message.contract.largestBuffer = kLargestBuffer;
  message.contract.rate = Rate::perSecond(999'999'999, 999'999'998);
  message.contract.workahead = 64;
  message.contract.jitter = 59'999'999'999ns;
  message.contract.latency = 24h;
  message.contract.toleratedLoss = 10'000;
  message.session = UINT64_MAX;
  const std::string line = formatHandshake(message).value();
  EXPECT_EQ(std::get<ConnectMessage>(parseHandshake(line.substr(0, line.size() - 1)).value()), message);
}

TEST(HandshakeMessage, WhatIsOutOfRangeIsNotSent) {
  std::vector<HandshakeMessage> all;
  ConnectMessage message = connectMessage();
  message.name = "a b";
  all.emplace_back(message);
  message = connectMessage();
  message.token.assign(129, 'a');
  all.emplace_back(message);
  message = connectMessage();
  message.contract.largestBuffer = 0;
  all.emplace_back(message);
  all.emplace_back(ReportMessage{0, 0, 0, -1ns, 0ns});
  all.emplace_back(StateMessage{static_cast<SenderState>(9), 0});
  all.emplace_back(StateMessage{SenderState::Live, 0, 1ns});
  all.emplace_back(ReportMessage{0, 0, 0, 0ns, 0ns, 0ns, {}, 10'001});
  for (const auto& each : all) {
    const auto line = formatHandshake(each);
    ASSERT_FALSE(line.ok());
    EXPECT_EQ(line.error().code, ErrorCode::InvalidArgument);
  }
}

TEST(HandshakeMessage, EachRefusalHasAnErrorCode) {
  EXPECT_EQ(errorCodeOf(Refusal::NotFound), ErrorCode::NotFound);
  EXPECT_EQ(errorCodeOf(Refusal::Denied), ErrorCode::PermissionDenied);
  EXPECT_EQ(errorCodeOf(Refusal::Mismatch), ErrorCode::Refused);
  EXPECT_EQ(errorCodeOf(Refusal::Busy), ErrorCode::Unavailable);
  EXPECT_EQ(errorCodeOf(Refusal::Invalid), ErrorCode::InvalidArgument);
  EXPECT_EQ(errorCodeOf(Refusal::Unsupported), ErrorCode::Unsupported);
}

TEST(SameToken, ComparesEachByte) {
  EXPECT_TRUE(sameToken("", ""));
  EXPECT_TRUE(sameToken(std::string_view("a\0b", 3), std::string_view("a\0b", 3)));
  EXPECT_FALSE(sameToken(std::string_view("a\0b", 3), std::string_view("a\0c", 3)));
  EXPECT_FALSE(sameToken("abc", "abd"));
  EXPECT_FALSE(sameToken("abc", "xbc"));
  EXPECT_FALSE(sameToken("abc", "abcd"));
  EXPECT_FALSE(sameToken("", "a"));
  EXPECT_FALSE(sameToken("a", "\xE1"));
}

}  // namespace
}  // namespace tactus::net
