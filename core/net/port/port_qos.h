// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_judgement.h"
#include "core/periodic/qos/qos_event.h"
#include "core/periodic/qos/qos_events.h"
#include "core/periodic/qos/stream_qos.h"
#include "core/periodic/time/rate.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// What events say of a fault. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] periodic::QosCause causeOf(StreamFault fault) noexcept;
/// The rate of a stream, which has one, at a period. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] periodic::Rate rateAt(const StreamContract& contract, periodic::Duration period) noexcept;

/// What a port learns at a look, once a second.
struct PortLook {
  StreamJudgement judgement = {};
  bool handled = false;  ///< a handler is attached, here or at the other port: it acts instead of the default
  double limit = 1;      ///< highest share of the contract's rate, by a handler of the other port; (0, 1]
};

/// The quality of a port's stream: what is told of it, and at a writer, what is done about it (RTSS, sections
/// 4.1 and 4.2). The period in force is, with T that of the contract and n the steps of the default,
///
///   T' = max(T, T + n * 10 ms, T / handlers' share), at most that of the contract's least rate
///
/// A violation is over once the judged window passes without a miss that was not tolerated. Owns no clock.
/// Thread-safe: no. Real-time-safe: no (allocates).
class PortQos {
 public:
  /// A step shorter is tried after 4 s at least: 2 s until both ports go by it, and a window of judgement.
  static constexpr periodic::PeriodStretch::Constants kStretch{.shortest = std::chrono::seconds(4),
                                                               .longest = std::chrono::seconds(64)};

  /// `stream`: the number in events. The contract is a valid one, with a rate.
  PortQos(std::string name, PortType type, std::uint64_t stream, const StreamContract& contract,
          const periodic::PeriodStretch::Constants& stretch = kStretch);

  /// Judges, at a writer acts, and returns what is to be published. Call while the stream is live.
  [[nodiscard]] std::vector<periodic::QosEvent> look(periodic::TimePoint now, const PortLook& seen);
  /// A handler's answer: `frequency` is the highest share of the contract's rate. At a reader it is for the
  /// writer to follow.
  void act(const periodic::QosEvents::Wanted& wanted);
  /// At a reader: the writer goes by this period.
  void follow(periodic::Duration period) noexcept { m_period = period; }

  /// T'; at a reader what the writer said.
  [[nodiscard]] periodic::Duration period() const noexcept { return m_period; }
  [[nodiscard]] bool isViolated() const noexcept { return m_qos.isViolated(); }
  /// Highest share of the rate by handlers of this port; 1: any.
  [[nodiscard]] double limit() const noexcept { return m_qos.handlersFrequency(); }
  /// Of the last event; empty: there was none.
  [[nodiscard]] const std::string& sentence() const noexcept { return m_sentence; }

 private:
  [[nodiscard]] periodic::Duration wantedPeriod(double limit) const noexcept;
  [[nodiscard]] periodic::QosEvent event(periodic::QosEvent::Kind kind, periodic::TimePoint now,
                                         const StreamJudgement& judgement) const;
  [[nodiscard]] std::string sentenceOf(periodic::QosEvent::Kind kind, const StreamJudgement& judgement) const;
  [[nodiscard]] std::string periodSentence() const;

  const std::string m_name;
  const PortType m_type;
  const std::uint64_t m_stream;
  const periodic::Duration m_contracted, m_longest;
  periodic::StreamQos m_qos;
  periodic::Duration m_period, m_before;  // in force; before the last look
  std::string m_handler;                  // who limits the rate; empty: nobody here
  bool m_byHandler = false;               // the period is as long as a handler wants it
  std::string m_sentence;
};

}  // namespace tactus::net
