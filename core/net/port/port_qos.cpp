// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port_qos.h"

#include <algorithm>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::net {

using periodic::Duration;
using periodic::format;
using periodic::inMilliseconds;
using periodic::inSeconds;
using periodic::QosCause;
using periodic::QosEvent;
using periodic::Rate;
using periodic::TimePoint;

namespace {

/// "12 of 48 buffers in the last 2 s were late or lost, by the network"
std::string violationOf(const StreamJudgement& judgement) {
  const auto misses = static_cast<unsigned long long>(std::min(judgement.misses, judgement.due));
  const auto due = static_cast<unsigned long long>(judgement.due);
  const double window = inSeconds(judgement.window);
  std::string text =
      due == 0 ? format("no buffer came in the last %.3g s", window)
               : format("%llu of %llu buffers in the last %.3g s were late or lost", misses, due, window);
  switch (judgement.fault) {
    case StreamFault::Sender:
      return text + ", by the sender";
    case StreamFault::Network:
      return text + ", by the network";
    case StreamFault::Processor:
      return text + ", by the receiver's processor";
    case StreamFault::None:
      break;
  }
  return text;
}

Duration divided(Duration period, double share) noexcept {
  return share < 1 ? periodic::fromSeconds(inSeconds(period) / share) : period;
}

}  // namespace

QosCause causeOf(StreamFault fault) noexcept {
  switch (fault) {
    case StreamFault::Sender:
      return QosCause::Sender;
    case StreamFault::Network:
      return QosCause::Network;
    case StreamFault::Processor:
      return QosCause::Processor;
    case StreamFault::None:
      break;
  }
  return QosCause::None;
}

Rate rateAt(const StreamContract& contract, Duration period) noexcept {
  if (period == contract.rate->period()) return *contract.rate;
  const auto rate = Rate::fromPeriod(period);
  return rate.ok() ? rate.value() : *contract.rate;
}

PortQos::PortQos(std::string name, PortType type, std::uint64_t stream, const StreamContract& contract,
                 const periodic::PeriodStretch::Constants& stretch)
    : m_name(std::move(name)),
      m_type(type),
      m_stream(stream),
      m_contracted(periodOf(contract)),
      m_longest(longestPeriodOf(contract)),
      m_qos(stretch),
      m_period(m_contracted),
      m_before(m_contracted) {}

std::vector<QosEvent> PortQos::look(TimePoint now, const PortLook& seen) {
  const StreamJudgement& judgement = seen.judgement;
  const bool acts = m_type == PortType::Write;
  m_qos.look(now, {.misses = judgement.misses,
                   .tolerated = judgement.tolerated,
                   .lastMiss = now - judgement.since,
                   .window = judgement.window,
                   .recovery = judgement.window,
                   .period = m_period,
                   .longest = m_longest,
                   .handled = seen.handled || !acts});
  if (acts) {
    m_period = wantedPeriod(seen.limit);
    const bool stretched = m_period == std::min(m_longest, m_qos.shortestPeriod());
    m_byHandler = m_period > m_contracted && !stretched;
  }
  const double share = inSeconds(m_contracted) / inSeconds(m_period);
  std::vector<QosEvent> events;
  for (const QosEvent::Kind kind : m_qos.tell(now, share, false)) {
    events.push_back(event(kind, now, judgement));
    m_sentence = events.back().sentence;
  }
  m_before = m_period;
  return events;
}

void PortQos::act(const periodic::QosEvents::Wanted& wanted) {
  m_qos.act(wanted.action);
  if (wanted.action.frequency) m_handler = wanted.handler;
}

Duration PortQos::wantedPeriod(double limit) const noexcept {
  const Duration byHandlers = divided(m_contracted, std::min(limit, m_qos.handlersFrequency()));
  return std::min(m_longest, std::max({m_contracted, byHandlers, m_qos.shortestPeriod()}));
}

QosEvent PortQos::event(QosEvent::Kind kind, TimePoint now, const StreamJudgement& judgement) const {
  QosEvent event;
  event.kind = kind;
  event.stream = m_stream;
  event.name = m_name;
  if (kind == QosEvent::Kind::Violation || kind == QosEvent::Kind::Thinned)
    event.cause = causeOf(judgement.fault);
  if (kind == QosEvent::Kind::Thinned && m_byHandler) event.cause = QosCause::Handler;
  event.frequency = inSeconds(m_contracted) / inSeconds(m_period);
  event.misses = judgement.misses;
  event.at = now;
  event.sentence = m_name + ": " + sentenceOf(kind, judgement) + ".";
  return event;
}

std::string PortQos::sentenceOf(QosEvent::Kind kind, const StreamJudgement& judgement) const {
  if (kind == QosEvent::Kind::Recovered) return "its buffers are in time again";
  if (kind != QosEvent::Kind::Violation) return periodSentence();
  std::string text = violationOf(judgement);
  if (m_period != m_before) text += "; " + periodSentence();
  return text;
}

std::string PortQos::periodSentence() const {
  if (m_period == m_contracted)
    return format("a period of %.6g ms again from now on", inMilliseconds(m_period));
  std::string text = format("a period of %.6g ms instead of %.6g ms from now on", inMilliseconds(m_period),
                            inMilliseconds(m_contracted));
  if (m_byHandler) text += m_handler.empty() ? ", as the other port asked" : ", as '" + m_handler + "' asked";
  return text;
}

}  // namespace tactus::net
