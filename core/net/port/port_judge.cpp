// SPDX-License-Identifier: Apache-2.0
// The quality of a stream at its ports (RTSS 4.1 and 4.2): its reader judges, its writer acts, both tell.
#include <algorithm>
#include <cmath>

#include "core/net/port/port_core.h"

namespace tactus::net {

using periodic::Duration;
using periodic::TimePoint;

namespace {

constexpr double kWhole = ReportMessage::kWholeRate;

std::uint32_t partsOf(double share) noexcept {
  return static_cast<std::uint32_t>(std::clamp(std::round(share * kWhole), 1.0, kWhole));
}

}  // namespace

Port::Implementation::Judging::Judging(const PortTerms& terms, const StreamContract& contract,
                                       std::uint64_t stream)
    : qos(terms.name, terms.type, stream, contract),
      agreed(periodOf(contract)),
      heard{periodOf(contract), periodOf(contract)},
      known(periodOf(contract)) {}

/// Without a rate nothing is judged.
void Port::Implementation::beginJudging() {
  if (!m_judging && m_contract.rate) m_judging.emplace(m_terms, m_contract, m_stream);
}

void Port::Implementation::endJudging() {
  if (!m_judging) return;
  if (m_thread) amend(periodOf(m_contract));
  m_judging.reset();
}

/// Once a second.
void Port::Implementation::judgeHere(TimePoint now) {
  if (!m_judging) return;
  if (writes()) m_judging->agreed.beat();
  if (const auto judgement = judgementHere(now)) look(now, {.judgement = *judgement});
}

/// At the reader; absent: nobody is judged at present.
std::optional<StreamJudgement> Port::Implementation::judgementHere(TimePoint now) const {
  if (!m_judging || !m_readLoop || m_life.state() != StreamState::Live) return std::nullopt;
  if (!m_judging->heard.isSettled()) return std::nullopt;
  return m_readLoop->judgement(now);
}

/// What the reader says of the stream; its writer acts.
void Port::Implementation::hearReport(const ReportMessage& report, TimePoint now) {
  m_report = report;
  if (!m_judging) return;
  AgreedPeriod& agreed = m_judging->agreed;
  if (agreed.confirm(report.period)) amend(agreed.next());
  if (!agreed.isSettled() || !report.judgement || m_life.state() != StreamState::Live) return;
  look(now, {.judgement = *report.judgement,
             .handled = report.share.has_value(),
             .limit = report.share.value_or(ReportMessage::kWholeRate) / kWhole});
  if (agreed.offer(m_judging->qos.period())) sayState();
}

void Port::Implementation::look(TimePoint now, PortLook seen) {
  PortQos& qos = m_judging->qos;
  if (m_host.qos != nullptr) {
    for (const auto& wanted : m_host.qos->takeWanted(m_stream)) {
      qos.act(wanted);
      if (wanted.action.weight && m_sendingEnd) m_sendingEnd->setWeight(*wanted.action.weight);
    }
    seen.handled = seen.handled || m_host.qos->handled(m_stream);
  }
  const auto events = qos.look(now, seen);
  if (!events.empty()) m_qosSentence = qos.sentence();
  if (m_host.qos == nullptr) return;
  for (const auto& each : events) m_host.qos->publish(each);
}

/// The period that the writer goes by, and its next one.
void Port::Implementation::hearPeriods(const StateMessage& state) {
  if (!m_judging) return;
  const StreamContract& contract = m_contract;
  const auto allowed = [&](Duration period) {
    return std::clamp(period, periodOf(contract), longestPeriodOf(contract));
  };
  const auto orElse = [](Duration period, Duration other) {
    return period > Duration::zero() ? period : other;
  };
  const Duration settled = orElse(state.period, periodOf(contract));
  const Duration next = orElse(state.next, settled);
  const HeardPeriods heard{allowed(settled), allowed(next)};
  if (heard != m_judging->heard) {
    m_judging->heard = heard;
    m_readLoop->setRates(rateAt(contract, heard.judged()), rateAt(contract, heard.next));
    m_judging->qos.follow(heard.next);
    amend(heard.enforced());
  }
  if (next == m_judging->known) return;
  m_judging->known = next;
  sayReport(now());
}

/// At the reader.
void Port::Implementation::sayReport(TimePoint now) {
  const StreamFigures figures = m_readLoop->figures();
  ReportMessage report{figures.received, figures.lost, figures.late, figures.jitter,
                       std::max(Duration::zero(), figures.delay)};
  if (m_judging) {
    report.period = m_judging->known;
    report.judgement = judgementHere(now);
    if (m_host.qos != nullptr && m_host.qos->handled(m_stream))
      report.share = partsOf(m_judging->qos.limit());
  }
  say(report);
}

void Port::Implementation::sayState() {
  if (!m_writeLoop) return;
  StateMessage state{senderState(), m_writeLoop->buffers()};
  if (m_judging) {
    state.period = m_judging->agreed.settled();
    if (!m_judging->agreed.isSettled()) state.next = m_judging->agreed.next();
  }
  say(state);
}

/// The rate of the port's task. A refusal is an event of the scheduler: the task goes on without a
/// reservation.
void Port::Implementation::amend(Duration period) {
  StreamContract contract = m_contract;
  contract.rate = rateAt(contract, period);
  (void)m_thread->task().amend({.lbap = taskContractOf(contract, m_terms.type, m_terms.name).lbap});
}

void Port::Implementation::queryQos(PortQuery& query) const {
  query.rate = m_contract.rate;
  query.stream = m_stream;
  query.qosSentence = m_qosSentence;
  if (!m_judging) return;
  query.isViolated = m_judging->qos.isViolated();
  query.rate = rateAt(m_contract, writes() ? m_judging->agreed.inForce() : m_judging->qos.period());
}

}  // namespace tactus::net
