// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_contract.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/net/stream/local_receiving_end.h"
#include "core/net/stream/local_sending_end.h"
#include "core/net/stream/stream_wire.h"
#include "core/net/stream/tcp_receiving_end.h"
#include "core/net/stream/tcp_sending_end.h"
#include "core/net/stream/udp_receiving_end.h"
#include "core/net/stream/udp_sending_end.h"
#include "core/periodic/trace/format.h"

namespace tactus::net {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::format;
using periodic::inMilliseconds;

namespace {

constexpr Duration kLongestJitter = 1h;
constexpr Duration kLongestLatency = 24h;
/// The LBAP of a stream without a rate, which holds nothing back.
constexpr periodic::Rate kFastest = periodic::Rate::perSecond(1'000'000);
constexpr std::int64_t kGuess = 20;  // the part of a period that processing takes, until it is measured
constexpr std::size_t kLeastWindow = 8;

Error invalid(std::string sentence) {
  return {ErrorCode::InvalidArgument, std::move(sentence)};
}

double bitsOf(const StreamContract& contract) noexcept {
  const auto bytes = static_cast<double>(bytesOnLinkOf(contract.transport, contract.largestBuffer));
  return std::ceil(contract.rate->perSecond() * bytes * 8);
}

std::optional<Error> badTimes(const StreamContract& contract) {
  const Duration period = periodOf(contract);
  if (contract.processing < Duration::zero() || contract.processing > period)
    return invalid(
        format("The processing of a buffer takes between 0 and one period of %.3g ms, not %.3g ms.",
               inMilliseconds(period), inMilliseconds(contract.processing)));
  if (contract.jitter < Duration::zero() ||
      contract.jitter > std::min(kLongestJitter, StreamContract::kLargestJitter * period))
    return invalid(format("The jitter of a stream is 0 to %d periods, and at most an hour.",
                          StreamContract::kLargestJitter));
  if (contract.latency < Duration::zero() || contract.latency > kLongestLatency)
    return invalid("The latency of a stream is at least 0 and at most a day.");
  return std::nullopt;
}

}  // namespace

Result<void> validate(const StreamContract& contract) {
  if (contract.largestBuffer < 1 || contract.largestBuffer > kLargestBuffer)
    return invalid(format("The largest buffer of a stream has 1 to %zu bytes, not %zu.", kLargestBuffer,
                          contract.largestBuffer));
  if (contract.workahead < 1 || contract.workahead > StreamContract::kLargestWorkahead)
    return invalid(format("The workahead of a stream is 1 to %u buffers, not %u.",
                          StreamContract::kLargestWorkahead, contract.workahead));
  if (contract.reliable && contract.transport == TransportKind::Udp)
    return invalid("A stream over udp cannot be reliable: take tcp, or local on one machine.");
  if (contract.isochronous && !contract.rate) return invalid("An isochronous stream needs a rate.");
  if (contract.leastRate && !contract.rate) return invalid("A stream without a rate has no least rate.");
  if (contract.leastRate && contract.leastRate->period() < contract.rate->period())
    return invalid(format("The least rate of a stream is at most its rate of %g buffers/s, not %g buffers/s.",
                          contract.rate->perSecond(), contract.leastRate->perSecond()));
  if (auto bad = badTimes(contract)) return *std::move(bad);
  if (contract.toleratedLoss > StreamContract::kLossUnit)
    return invalid(format("A stream tolerates the loss of 0 to %u of %u buffers, not of %u.",
                          StreamContract::kLossUnit, StreamContract::kLossUnit, contract.toleratedLoss));
  if (!(contract.weight >= periodic::kLeastShareWeight && contract.weight <= periodic::kLargestShareWeight))
    return invalid("The weight of a stream is above 0 and finite.");
  if (contract.rate && bitsOf(contract) > static_cast<double>(BitRate::kLargest))
    return invalid("The rate times the largest buffer of a stream is more than any link carries.");
  return {};
}

Duration periodOf(const StreamContract& contract) noexcept {
  return contract.rate ? contract.rate->period() : kPeriodWithoutRate;
}

Duration longestPeriodOf(const StreamContract& contract) noexcept {
  constexpr Duration kLongest = 1h;  // of a Rate
  return contract.leastRate ? contract.leastRate->period() : std::min(kLongest, 4 * periodOf(contract));
}

Duration jitterOf(const StreamContract& contract) noexcept {
  return contract.jitter > Duration::zero() ? contract.jitter : periodOf(contract);
}

Duration latencyOf(const StreamContract& contract) noexcept {
  if (contract.latency > Duration::zero()) return contract.latency;
  return (contract.workahead + 1) * periodOf(contract) + jitterOf(contract);
}

std::size_t bytesOnLinkOf(TransportKind transport, std::size_t length) noexcept {
  switch (transport) {
    case TransportKind::Udp:
      return length + pieceCountOf(length, kPiecePayload) * (kDatagramHeaders + kStreamHeaderSize);
    case TransportKind::Tcp: {
      const std::size_t bytes = kStreamHeaderSize + length;
      return bytes + pieceCountOf(bytes, kSegmentPayload) * kSegmentHeaders;
    }
    case TransportKind::Local:
      break;
  }
  return 0;
}

periodic::TaskContract taskContractOf(const StreamContract& contract, PortType type, std::string name) {
  const bool reads = type == PortType::Read;
  auto task = periodic::contractOf(reads ? periodic::Stage::Receive : periodic::Stage::Send);
  task.name = std::move(name);
  const bool steady = reads && contract.isochronous;
  task.lbap = {contract.rate.value_or(kFastest), steady ? 1 : contract.workahead};
  const Duration period = periodOf(contract);
  task.processing = contract.processing > Duration::zero() ? contract.processing : period / kGuess;
  task.deadline = std::min(period, jitterOf(contract) + task.processing);
  // A reader waits for buffers unless it goes by the clock.
  task.sporadic = !contract.rate || (reads && !contract.isochronous);
  if (!contract.rate) task.service = periodic::ServiceClass::BestEffort;
  return task;
}

std::optional<ByteContract> byteContractOf(const StreamContract& contract) noexcept {
  if (!contract.rate || contract.transport == TransportKind::Local) return std::nullopt;
  return ByteContract{BitRate::perSecond(static_cast<std::int64_t>(bitsOf(contract))),
                      contract.workahead * bytesOnLinkOf(contract.transport, contract.largestBuffer)};
}

std::optional<FlowSpec> flowOf(const StreamContract& contract, std::string name) {
  if (contract.transport == TransportKind::Local) return std::nullopt;
  FlowSpec flow;
  flow.name = std::move(name);
  flow.linkClass = contract.rate ? contract.linkClass : LinkClass::Bulk;
  flow.weight = contract.weight;
  flow.contract = byteContractOf(contract);
  if (!contract.reliable) flow.longestWait = latencyOf(contract);
  return flow;
}

AssemblyOptions assemblyOf(const StreamContract& contract) noexcept {
  AssemblyOptions options;
  options.largestBuffer = contract.largestBuffer;
  options.reliable = contract.reliable;
  const Duration period = periodOf(contract);
  const auto inJitter = static_cast<std::size_t>((jitterOf(contract) + period - 1ns) / period);
  if (contract.transport == TransportKind::Udp) {
    options.patience = jitterOf(contract);
    options.window = std::max(kLeastWindow, contract.workahead + inJitter + 2);
  } else {
    options.pieceSize = contract.largestBuffer;
    options.window = contract.workahead + 1 + (contract.isochronous ? inJitter + 1 : 0);
    options.confirming = 1;
  }
  return options;
}

std::size_t memoryOf(const StreamContract& contract, PortType type) noexcept {
  const bool reads = type == PortType::Read;
  switch (contract.transport) {
    case TransportKind::Udp:
      return reads ? UdpReceivingEnd::bytesOf(contract) + UdpReceivingEnd::kernelBytesOf(contract)
                   : UdpSendingEnd::bytesOf(contract);
    case TransportKind::Tcp:
      return reads ? TcpReceivingEnd::bytesOf(contract) : TcpSendingEnd::bytesOf(contract);
    case TransportKind::Local:
      return reads ? LocalReceivingEnd::bytesOf(contract) : LocalSendingEnd::bytesOf(contract);
  }
  return 0;
}

}  // namespace tactus::net
