// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/handshake_message.h"

#include <array>
#include <limits>
#include <numeric>

#include "core/net/stream/handshake_fields.h"
#include "core/net/stream/line_reader.h"
#include "core/net/stream/shown_text.h"
#include "core/net/stream/stream_address.h"

namespace tactus::net {
namespace {

using periodic::Duration;
using periodic::Rate;

constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kLargestPort = 65535;
constexpr std::uint64_t kLongestTime = std::numeric_limits<std::int64_t>::max();  // ns

constexpr std::array<WordOf<PortType>, 2> kTypes{
    {{PortType::Read, kPortTypes[0]}, {PortType::Write, kPortTypes[1]}}};
constexpr std::array<WordOf<TransportKind>, 3> kTransports{{{TransportKind::Udp, kTransportKinds[0]},
                                                            {TransportKind::Tcp, kTransportKinds[1]},
                                                            {TransportKind::Local, kTransportKinds[2]}}};
constexpr std::array<WordOf<SenderState>, 4> kStates{{{SenderState::Live, "live"},
                                                      {SenderState::Paused, "paused"},
                                                      {SenderState::Stopped, "stopped"},
                                                      {SenderState::Ended, "ended"}}};
constexpr std::array<WordOf<StreamFault>, 4> kFaults{{{StreamFault::None, "none"},
                                                      {StreamFault::Sender, "sender"},
                                                      {StreamFault::Network, "network"},
                                                      {StreamFault::Processor, "processor"}}};
constexpr std::array<WordOf<Refusal>, 6> kRefusals{{{Refusal::NotFound, "not-found"},
                                                    {Refusal::Denied, "denied"},
                                                    {Refusal::Mismatch, "mismatch"},
                                                    {Refusal::Busy, "busy"},
                                                    {Refusal::Invalid, "invalid"},
                                                    {Refusal::Unsupported, "unsupported"}}};

std::uint16_t readPort(FieldReader& fields) {
  return static_cast<std::uint16_t>(fields.number("port", kLargestPort));
}

std::string readSentence(FieldReader& fields) {
  const std::string& sentence = fields.text("sentence");
  if (shownText(sentence, kLongestSentence) != sentence) fields.malformed("sentence");
  return sentence;
}

/// "30000/1001"; absent: none.
std::optional<Rate> readRate(FieldReader& fields) {
  const std::string* text = fields.find("rate");
  if (text == nullptr) return std::nullopt;
  const std::string_view fraction = *text;
  const std::size_t slash = fraction.find('/');
  if (slash != std::string_view::npos) {
    const auto packets = FieldReader::numberOf(fraction.substr(0, slash));
    const auto seconds = FieldReader::numberOf(fraction.substr(slash + 1));
    if (packets && seconds && *packets <= kLongestTime && *seconds <= kLongestTime) {
      const auto rate =
          Rate::create(static_cast<std::int64_t>(*packets), static_cast<std::int64_t>(*seconds));
      if (rate) return rate.value();
    }
  }
  fields.malformed("rate");
  return std::nullopt;
}

Duration readTime(FieldReader& fields, std::string_view key) {
  return Duration(static_cast<std::int64_t>(fields.number(key, kLongestTime)));
}

StreamContract readContract(FieldReader& fields) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint32_t>::max();
  StreamContract contract;
  contract.transport = fields.among("transport", kTransports);
  contract.largestBuffer = fields.number("largest", kLargest);
  contract.rate = readRate(fields);
  contract.workahead = static_cast<std::uint32_t>(fields.number("workahead", kLargest));
  contract.isochronous = fields.flag("isochronous");
  contract.reliable = fields.flag("reliable");
  contract.jitter = readTime(fields, "jitter");
  contract.latency = readTime(fields, "latency");
  contract.toleratedLoss = static_cast<std::uint32_t>(fields.number("loss", kLargest));
  if (auto valid = validate(contract); !valid.ok())
    fields.fail({ErrorCode::Corrupt, "The contract of a stream cannot be: " + valid.error().message});
  return contract;
}

ConnectMessage readConnect(FieldReader& fields) {
  ConnectMessage message;
  // Before all else: other versions may have other keys.
  if (fields.number("version") != kVersion)
    fields.fail({ErrorCode::Unsupported, "The other host asks for a stream in a version other than 1."});
  message.name = fields.text("name");
  if (!isStreamName(message.name)) fields.malformed("name");
  message.token = fields.text("token");
  if (message.token.size() > ConnectMessage::kLongestToken) fields.malformed("token");
  message.type = fields.among("type", kTypes);
  message.contract = readContract(fields);
  message.session = fields.hex64("session");
  message.port = readPort(fields);
  return message;
}

AcceptedMessage readAccepted(FieldReader& fields) {
  const std::uint16_t port = readPort(fields);
  return {port, fields.flag("ring")};
}

RefusedMessage readRefused(FieldReader& fields) {
  RefusedMessage message;
  message.code = fields.among("code", kRefusals);
  message.sentence = readSentence(fields);
  return message;
}

/// Absent: 0, that of the contract, or none.
Duration readPeriod(FieldReader& fields, std::string_view key = "period") {
  if (fields.find(key) == nullptr) return Duration::zero();
  const Duration period = readTime(fields, key);
  if (!Rate::fromPeriod(period)) fields.malformed(key);
  return period;
}

/// Absent where nothing is judged, and of an earlier version.
std::optional<StreamJudgement> readJudgement(FieldReader& fields) {
  if (fields.find("misses") == nullptr) return std::nullopt;
  StreamJudgement judgement;
  judgement.misses = fields.number("misses");
  judgement.tolerated = fields.number("tolerated");
  judgement.due = fields.number("due");
  judgement.window = readTime(fields, "window");
  judgement.since = readTime(fields, "since");
  judgement.fault = fields.among("fault", kFaults);
  return judgement;
}

std::optional<std::uint32_t> readShare(FieldReader& fields) {
  if (fields.find("share") == nullptr) return std::nullopt;
  const auto share = static_cast<std::uint32_t>(fields.number("share", ReportMessage::kWholeRate));
  if (share == 0) fields.malformed("share");
  return share;
}

StateMessage readState(FieldReader& fields) {
  StateMessage message;
  message.now = fields.among("now", kStates);
  message.buffers = fields.number("buffers");
  message.period = readPeriod(fields);
  message.next = readPeriod(fields, "next");
  return message;
}

ReportMessage readReport(FieldReader& fields) {
  ReportMessage message;
  message.received = fields.number("received");
  message.lost = fields.number("lost");
  message.late = fields.number("late");
  message.jitter = readTime(fields, "jitter");
  message.delay = readTime(fields, "delay");
  message.period = readPeriod(fields);
  message.judgement = readJudgement(fields);
  message.share = readShare(fields);
  return message;
}

HandshakeMessage readMessage(FieldReader& fields) {
  const std::string_view word = fields.word();
  if (word == "connect") return readConnect(fields);
  if (word == "data") return DataMessage{fields.hex64("session")};
  if (word == "accepted") return readAccepted(fields);
  if (word == "refused") return readRefused(fields);
  if (word == "state") return readState(fields);
  if (word == "report") return readReport(fields);
  if (word == "bye") return ByeMessage{readSentence(fields)};
  fields.fail({ErrorCode::Corrupt, "A message begins with an unknown word."});
  return ByeMessage{};
}

std::string write(const ConnectMessage& message) {
  FieldWriter fields("connect");
  fields.number("version", kVersion);
  fields.text("name", message.name);
  fields.text("token", message.token);
  fields.among("type", message.type, kTypes);
  const StreamContract& contract = message.contract;
  fields.among("transport", contract.transport, kTransports);
  fields.number("largest", contract.largestBuffer);
  if (contract.rate)
    fields.text("rate",
                std::to_string(contract.rate->packets()) + "/" + std::to_string(contract.rate->seconds()));
  fields.number("workahead", contract.workahead);
  fields.number("isochronous", contract.isochronous ? 1 : 0);
  fields.number("reliable", contract.reliable ? 1 : 0);
  fields.number("jitter", contract.jitter.count());
  fields.number("latency", contract.latency.count());
  fields.number("loss", contract.toleratedLoss);
  fields.hex64("session", message.session);
  fields.number("port", message.port);
  return fields.line();
}

std::string write(const DataMessage& message) {
  FieldWriter fields("data");
  fields.hex64("session", message.session);
  return fields.line();
}

std::string write(const AcceptedMessage& message) {
  FieldWriter fields("accepted");
  fields.number("port", message.port);
  fields.number("ring", message.ring ? 1 : 0);
  return fields.line();
}

std::string write(const RefusedMessage& message) {
  FieldWriter fields("refused");
  fields.among("code", message.code, kRefusals);
  fields.text("sentence", shownText(message.sentence, kLongestSentence));
  return fields.line();
}

void writePeriod(FieldWriter& fields, Duration period, std::string_view key = "period") {
  if (period != Duration::zero()) fields.number(key, period.count());
}

std::string write(const StateMessage& message) {
  FieldWriter fields("state");
  fields.among("now", message.now, kStates);
  fields.number("buffers", message.buffers);
  writePeriod(fields, message.period);
  writePeriod(fields, message.next, "next");
  return fields.line();
}

std::string write(const ReportMessage& message) {
  FieldWriter fields("report");
  fields.number("received", message.received);
  fields.number("lost", message.lost);
  fields.number("late", message.late);
  fields.number("jitter", message.jitter.count());
  fields.number("delay", message.delay.count());
  writePeriod(fields, message.period);
  if (message.judgement) {
    fields.number("misses", message.judgement->misses);
    fields.number("tolerated", message.judgement->tolerated);
    fields.number("due", message.judgement->due);
    fields.number("window", message.judgement->window.count());
    fields.number("since", message.judgement->since.count());
    fields.among("fault", message.judgement->fault, kFaults);
  }
  if (message.share) fields.number("share", *message.share);
  return fields.line();
}

std::string write(const ByeMessage& message) {
  FieldWriter fields("bye");
  fields.text("sentence", shownText(message.sentence, kLongestSentence));
  return fields.line();
}

}  // namespace

ErrorCode errorCodeOf(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::NotFound:
      return ErrorCode::NotFound;
    case Refusal::Denied:
      return ErrorCode::PermissionDenied;
    case Refusal::Mismatch:
      return ErrorCode::Refused;
    case Refusal::Busy:
      return ErrorCode::Unavailable;
    case Refusal::Invalid:
      return ErrorCode::InvalidArgument;
    case Refusal::Unsupported:
      return ErrorCode::Unsupported;
  }
  return ErrorCode::Corrupt;
}

Result<HandshakeMessage> parseHandshake(std::string_view line) {
  if (line.size() >= LineReader::kLongestLine)
    return Error{ErrorCode::Corrupt, "A message is longer than a line may be."};
  FieldReader fields(line);
  Result<HandshakeMessage> message = readMessage(fields);
  if (fields.fault()) return *fields.fault();
  return message;
}

Result<std::string> formatHandshake(const HandshakeMessage& message) {
  std::string line = std::visit([](const auto& each) { return write(each); }, message);
  // What may be sent is what may be received: written in one place, readMessage().
  const auto read = parseHandshake(line);
  if (!read) return Error{ErrorCode::InvalidArgument, read.error().message};
  return line + '\n';
}

bool sameToken(std::string_view one, std::string_view other) noexcept {
  if (one.size() != other.size()) return false;
  // volatile: the compiler may not leave the loop early.
  volatile unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    difference = difference | (static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]));
  return difference == 0;
}

}  // namespace tactus::net
