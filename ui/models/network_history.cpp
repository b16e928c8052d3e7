// SPDX-License-Identifier: Apache-2.0
#include "ui/models/network_history.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "core/periodic/time/time.h"
#include "ui/models/film_load.h"
#include "ui/models/text.h"

namespace tactus::ui {
namespace {

using media::NetworkLoad;
using media::StreamLoad;
using net::StreamFault;
using periodic::inMilliseconds;

constexpr const char* kDash = "\u2013";

QString tr(const char* words) {
  return QCoreApplication::translate("NetworkHistory", words);
}

/// "2.1 Mbit/s", "64 kbit/s"
QString inWords(double bits) {
  if (bits >= 999'500) return tr("%1 Mbit/s").arg(bits / 1e6, 0, 'f', 1);
  return tr("%1 kbit/s").arg(bits / 1e3, 0, 'f', 0);
}

QString inWords(const std::optional<double>& bits) {
  return bits ? inWords(*bits) : QString::fromUtf8(kDash);
}

QString milliseconds(periodic::Duration time) {
  return tr("%1 ms").arg(inMilliseconds(time), 0, 'f', 1);
}

/// What its contract has of a link; 0: it has none.
double promisedTo(const net::StreamContract& contract) {
  const auto bytes = net::byteContractOf(contract);
  return bytes ? static_cast<double>(bytes->rate.bits()) : 0;
}

QString sayFault(const net::PortQuery& port) {
  if (!port.error.empty()) return QString::fromStdString(port.error);
  if (port.isViolated && !port.qosSentence.empty()) return QString::fromStdString(port.qosSentence);
  switch (port.fault) {
    case StreamFault::Sender:
      return tr("The sender is late.");
    case StreamFault::Network:
      return tr("The network is late, or loses what was sent.");
    case StreamFault::Processor:
      return tr("This machine is late with what came.");
    case StreamFault::None:
      break;
  }
  return {};
}

const char* nameOf(Health health) {
  return health == Health::Good ? "good" : health == Health::Strained ? "strained" : "bad";
}

QVariantMap rowOf(const StreamLoad& stream, const std::optional<double>& rate) {
  const net::PortQuery& port = stream.port;
  const net::StreamFigures& figures = port.figures;
  const double promised = promisedTo(port.contract);
  const auto all = std::max<std::uint64_t>(1, figures.received + figures.lost);
  const double part = static_cast<double>(figures.late + figures.lost) / static_cast<double>(all);
  return {{"name", QString::fromStdString(stream.name)},
          {"place", QString::fromStdString(stream.place)},
          {"leaves", stream.type == net::PortType::Write},
          {"state", text(nameOf(port.state))},
          {"rate", inWords(rate)},
          {"promised", promised > 0 ? inWords(promised) : QString::fromUtf8(kDash)},
          {"late", QString::number(figures.late)},
          {"lost", QString::number(figures.lost)},
          {"lossHealth", nameOf(lossHealth(part))},
          {"delay", milliseconds(figures.delay)},
          {"says", sayFault(port)}};
}

/// The flows of a class together.
struct ClassSum {
  int flows = 0;
  std::uint64_t bytes = 0, late = 0;
  periodic::Duration waited{0};  // the longest at 99 %
};

}  // namespace

std::optional<double> NetworkHistory::rateOf(const Counts& before, const std::string& name,
                                             std::uint64_t bytes, double seconds) const {
  const auto found = before.find(name);
  if (!m_known || seconds <= 0 || found == before.end()) return std::nullopt;
  // A flow that was closed takes its figures along.
  const std::uint64_t passed = bytes - std::min(bytes, found->second);
  return static_cast<double>(passed) * 8 / seconds;
}

void NetworkHistory::look(const NetworkLoad& now, double seconds) {
  m_link.clear();
  m_classes.clear();
  if (now.link) lookAtLink(*now.link, seconds);
  lookAtStreams(now.streams, seconds);
  m_known = true;
}

void NetworkHistory::lookAtLink(const NetworkLoad::LinkLoad& link, double seconds) {
  std::map<net::LinkClass, ClassSum> sums;
  for (const net::FlowRow& flow : link.flows) {
    ClassSum& sum = sums[flow.spec.linkClass];
    ++sum.flows;
    sum.bytes += flow.figures.sentBytes;
    sum.late += flow.figures.late;
    sum.waited = std::max(sum.waited, flow.figures.waited.p99);
  }
  const Counts before = std::exchange(m_ofClasses, {});
  std::optional<double> used;
  for (const auto& [linkClass, sum] : sums) {
    const std::string name(net::nameOf(linkClass));
    const auto rate = rateOf(before, name, sum.bytes, seconds);
    if (rate) used = used.value_or(0) + *rate;
    m_ofClasses[name] = sum.bytes;
    m_classes.append(QVariantMap{{"name", QString::fromStdString(name)},
                                 {"flows", sum.flows},
                                 {"rate", inWords(rate)},
                                 {"waited", milliseconds(sum.waited)},
                                 {"late", QString::number(sum.late)}});
  }
  m_link = tr("Link: %1, %2 promised, %3 used")
               .arg(inWords(static_cast<double>(link.rate.bits())), inWords(link.promised), inWords(used));
}

void NetworkHistory::lookAtStreams(const std::vector<StreamLoad>& streams, double seconds) {
  m_streams.clear();
  const Counts before = std::exchange(m_ofStreams, {});
  for (const StreamLoad& stream : streams) {
    const std::string key = stream.name + " " + stream.place;
    m_streams.append(rowOf(stream, rateOf(before, key, stream.port.bytes, seconds)));
    m_ofStreams[key] = stream.port.bytes;
  }
}

}  // namespace tactus::ui
