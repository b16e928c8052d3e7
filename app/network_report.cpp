// SPDX-License-Identifier: Apache-2.0
#include "app/network_report.h"

#include <QJsonArray>

#include "core/net/port/port_qos.h"
#include "core/periodic/time/time.h"
#include "core/periodic/trace/format.h"
#include "ui/models/text.h"

namespace tactus::app {
namespace {

using media::NetworkLoad;
using media::StreamLoad;
using periodic::format;
using periodic::inMilliseconds;

QJsonObject contractJson(const net::StreamContract& contract) {
  QJsonObject object{{"transport", ui::text(net::nameOf(contract.transport))},
                     {"largest_buffer", static_cast<qint64>(contract.largestBuffer)},
                     {"workahead", static_cast<qint64>(contract.workahead)},
                     {"reliable", contract.reliable},
                     {"jitter_ms", inMilliseconds(net::jitterOf(contract))},
                     {"latency_ms", inMilliseconds(net::latencyOf(contract))}};
  if (contract.rate) object.insert("buffers_per_s", contract.rate->perSecond());
  if (const auto bytes = net::byteContractOf(contract))
    object.insert("link_bits_per_s", static_cast<qint64>(bytes->rate.bits()));
  return object;
}

QJsonObject streamJson(const StreamLoad& stream) {
  const net::StreamFigures& figures = stream.port.figures;
  return {{"name", ui::text(stream.name)},
          {"place", ui::text(stream.place)},
          {"type", ui::text(net::nameOf(stream.type))},
          {"state", ui::text(net::nameOf(stream.port.state))},
          {"contract", contractJson(stream.port.contract)},
          {"buffers", static_cast<qint64>(stream.port.buffers)},
          {"bytes", static_cast<qint64>(stream.port.bytes)},
          {"received", static_cast<qint64>(figures.received)},
          {"late", static_cast<qint64>(figures.late)},
          {"lost", static_cast<qint64>(figures.lost)},
          {"misses", QJsonObject{{"sender", static_cast<qint64>(figures.sender)},
                                 {"network", static_cast<qint64>(figures.network)},
                                 {"processor", static_cast<qint64>(figures.processor)}}},
          {"jitter_ms", inMilliseconds(figures.jitter)},
          {"delay_ms", inMilliseconds(figures.delay)},
          {"fault", ui::text(nameOf(net::causeOf(stream.port.fault)))},
          {"violated", stream.port.isViolated},
          {"sentence", ui::text(stream.port.qosSentence)},
          {"error", ui::text(stream.port.error)}};
}

QJsonObject flowJson(const net::FlowRow& flow) {
  return {{"name", ui::text(flow.spec.name)},
          {"class", ui::text(net::nameOf(flow.spec.linkClass))},
          {"sent", static_cast<qint64>(flow.figures.sent)},
          {"sent_bytes", static_cast<qint64>(flow.figures.sentBytes)},
          {"late", static_cast<qint64>(flow.figures.late)},
          {"full", static_cast<qint64>(flow.figures.full)},
          {"waited_ms", QJsonObject{{"p50", inMilliseconds(flow.figures.waited.p50)},
                                    {"p99", inMilliseconds(flow.figures.waited.p99)}}}};
}

std::string streamText(const StreamLoad& stream) {
  const net::StreamFigures& figures = stream.port.figures;
  std::string text = format(
      "  %-2s %-16.16s %-34.34s %-9s %9llu %9.1f %6llu %6llu %8.1f  %s\n",
      stream.type == net::PortType::Write ? "->" : "<-", stream.name.c_str(), stream.place.c_str(),
      std::string(net::nameOf(stream.port.state)).c_str(),
      static_cast<unsigned long long>(stream.port.buffers), static_cast<double>(stream.port.bytes) * 1e-6,
      static_cast<unsigned long long>(figures.late), static_cast<unsigned long long>(figures.lost),
      inMilliseconds(figures.delay), std::string(nameOf(net::causeOf(stream.port.fault))).c_str());
  if (!stream.port.error.empty()) text += "     " + stream.port.error + "\n";
  return text;
}

}  // namespace

QJsonObject networkJson(const NetworkLoad& network) {
  QJsonArray streams;
  for (const auto& stream : network.streams) streams.append(streamJson(stream));
  QJsonObject object{{"streams", streams}};
  if (!network.link) return object;
  QJsonArray flows;
  for (const auto& flow : network.link->flows) flows.append(flowJson(flow));
  object.insert("link", QJsonObject{{"bits_per_s", static_cast<qint64>(network.link->rate.bits())},
                                    {"promised_bits_per_s", network.link->promised},
                                    {"flows", flows}});
  return object;
}

std::string networkText(const NetworkLoad& network) {
  if (network.streams.empty()) return {};
  std::string text =
      "  stream              place                              state       buffers        MB   late   lost  "
      "  "
      "delay  fault\n";
  for (const auto& stream : network.streams) text += streamText(stream);
  if (network.link)
    text +=
        format("  link: %s, %s promised\n", network.link->rate.inWords().c_str(),
               net::BitRate::perSecond(static_cast<std::int64_t>(network.link->promised)).inWords().c_str());
  return text;
}

std::uint64_t violationsOf(const NetworkLoad& network) {
  std::uint64_t count = 0;
  for (const auto& stream : network.streams)
    if (stream.port.contract.rate) count += stream.port.figures.late + stream.port.figures.lost;
  return count;
}

}  // namespace tactus::app
