// SPDX-License-Identifier: Apache-2.0
// Random messages, bytes and changes of good lines.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>

#include "core/net/stream/handshake_message.h"
#include "core/net/stream/line_reader.h"
#include "core/net/stream/shown_text.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::Rate;

std::uint64_t anyNumber() {
  return *rc::gen::oneOf(rc::gen::element<std::uint64_t>(0, 1, UINT64_MAX),
                         rc::gen::arbitrary<std::uint64_t>());
}

Duration anyTime() {
  return Duration(static_cast<std::int64_t>(anyNumber() >> 1));
}

std::string anySentence() {
  return shownText(*rc::gen::arbitrary<std::string>(), kLongestSentence);
}

StreamContract anyContract() {
  StreamContract contract;
  contract.transport = *rc::gen::element(TransportKind::Udp, TransportKind::Tcp, TransportKind::Local);
  contract.largestBuffer = *rc::gen::element<std::size_t>(1, 1500, kLargestBuffer);
  contract.rate = *rc::gen::element<std::optional<Rate>>(
      std::nullopt, Rate::perSecond(30), Rate::perSecond(30000, 1001), Rate::perSecond(1, 3600));
  contract.workahead = *rc::gen::element<std::uint32_t>(1, 2, 64);
  contract.isochronous = contract.rate && *rc::gen::arbitrary<bool>();
  contract.reliable = contract.transport != TransportKind::Udp && *rc::gen::arbitrary<bool>();
  contract.jitter = *rc::gen::element<Duration>(0ns, 1ns, 5ms, 33'366'667ns);
  contract.latency = *rc::gen::element<Duration>(0ns, 1ns, 150ms, 24h);
  contract.toleratedLoss = *rc::gen::element<std::uint32_t>(0, 1, 10'000);
  return contract;
}

ConnectMessage anyConnect() {
  ConnectMessage message;
  const auto size = *rc::gen::element<std::size_t>(1, 2, 63, 64);
  message.name = *rc::gen::container<std::string>(size, rc::gen::element('a', 'Z', '0', '.', '_', '-'));
  const auto tokenSize = *rc::gen::element<std::size_t>(0, 1, 16, 128);
  message.token = *rc::gen::container<std::string>(tokenSize, rc::gen::arbitrary<char>());
  message.type = *rc::gen::element(PortType::Read, PortType::Write);
  message.contract = anyContract();
  message.session = anyNumber();
  message.port = static_cast<std::uint16_t>(*rc::gen::element(0, 1, 65535));
  return message;
}

Duration anyPeriod() {
  return *rc::gen::element<Duration>(0ns, 1us, 20ms, 43'366'667ns, 1h);
}

ReportMessage anyReport() {
  ReportMessage message{anyNumber(), anyNumber(), anyNumber(), anyTime(), anyTime(), anyPeriod()};
  if (*rc::gen::arbitrary<bool>())
    message.judgement = StreamJudgement{anyNumber(),
                                        anyNumber(),
                                        anyNumber(),
                                        anyTime(),
                                        anyTime(),
                                        *rc::gen::element(StreamFault::None, StreamFault::Sender,
                                                          StreamFault::Network, StreamFault::Processor)};
  message.share = *rc::gen::element<std::optional<std::uint32_t>>(std::nullopt, 1, 10'000);
  return message;
}

HandshakeMessage anyMessage() {
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
      return anyConnect();
    case 1:
      return AcceptedMessage{static_cast<std::uint16_t>(*rc::gen::element(0, 1, 65535)),
                             *rc::gen::arbitrary<bool>()};
    case 5:
      return DataMessage{anyNumber()};
    case 2:
      return RefusedMessage{static_cast<Refusal>(*rc::gen::inRange(0, 6)), anySentence()};
    case 3:
      return StateMessage{static_cast<SenderState>(*rc::gen::inRange(0, 4)), anyNumber(), anyPeriod(),
                          anyPeriod()};
    case 4:
      return anyReport();
    default:
      return ByeMessage{anySentence()};
  }
}

/// Without its '\n'.
std::string lineOf(const HandshakeMessage& message) {
  const auto line = formatHandshake(message);
  RC_ASSERT(line.ok());
  RC_ASSERT(line.value().size() <= LineReader::kLongestLine);
  RC_ASSERT(line.value().ends_with('\n'));
  return line.value().substr(0, line.value().size() - 1);
}

/// Whether a line parses; what it says is then written and read as the same.
bool parsesToTheSame(const std::string& line) {
  const auto message = parseHandshake(line);
  if (!message) return false;
  RC_ASSERT(parseHandshake(lineOf(message.value())).value() == message.value());
  return true;
}

RC_GTEST_PROP(HandshakeMessageProperty, AMessageIsReadAsItWasWritten, ()) {
  const HandshakeMessage message = anyMessage();
  RC_ASSERT(parseHandshake(lineOf(message)).value() == message);
}

RC_GTEST_PROP(HandshakeMessageProperty, AWrittenMessagePassesTheLineReader, ()) {
  const std::string line = lineOf(anyMessage());
  LineReader reader;
  RC_ASSERT(reader.push(line + '\n') == line.size() + 1);
  RC_ASSERT(reader.pop().value() == line);
}

RC_GTEST_PROP(HandshakeMessageProperty, RandomBytesAreNoMessage, (const std::string& bytes)) {
  RC_ASSERT(!parsesToTheSame(bytes));
}

RC_GTEST_PROP(HandshakeMessageProperty, ChangedLinesAreRefusedOrReadAlike, ()) {
  std::string line = lineOf(anyMessage());
  const int changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes && !line.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, line.size());
    const auto size = std::min<std::size_t>(*rc::gen::element<std::size_t>(1, 1, 7), line.size() - at);
    const char c = *rc::gen::element(' ', '=', '%', '0', '9', 'a', 'F', '-', '\0', '\n', '\xC3');
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        line[at] = c;
        break;
      case 1:
        line.insert(at, 1, c);
        break;
      case 2:
        line.erase(at, size);
        break;
      case 3:
        line.insert(at, line.substr(at, size));
        break;
      default:
        line += " " + line.substr(at, size);
        break;
    }
  }
  (void)parsesToTheSame(line);
}

RC_GTEST_PROP(SameTokenProperty, IsEquality, (const std::string& one, const std::string& other)) {
  RC_ASSERT(sameToken(one, one));
  RC_ASSERT(sameToken(one, other) == (one == other));
}

}  // namespace
}  // namespace tactus::net
