// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/net/port/port_loop.h"
#include "core/net/port/unseen_spans.h"
#include "core/net/stream/playout.h"
#include "core/net/stream/stream_meter.h"
#include "core/periodic/kernel/priority_inheritance_mutex.h"

namespace tactus::net {

/// The loop of a read port (RTSS 4.1 and 4.2): what came is taken from the receiving end, each buffer passes
/// LBAP_enforce (a peer that sends more than its contract waits, and on UDP loses) and is given to the
/// handler: as soon as it is whole and the next in order, or once a period (isochronous). Without a rate
/// there is nothing to enforce: the buffers of a turn (kLongestTurn) are one packet of the task.
///
/// The meter judges nobody for what the loop did not see. Buffers that came while a handler ran, or the loop
/// was halted, may have come at any instant of that time; numbers that are missing at the end of a halt were
/// not lost by the network; and there is no silence while the loop does not wait for data. Nor does it judge
/// the handler for buffers that waited for an earlier one, which was lost.
class ReadLoop final : public PortLoop {
 public:
  /// `handler` and `end` outlive the loop.
  ReadLoop(const StreamContract& contract, const ReadHandler& handler, ReceivingEnd& end,
           periodic::TimePoint now);
  ReadLoop(const StreamContract&, ReadHandler&&, ReceivingEnd&, periodic::TimePoint) = delete;
  /// A buffer that waits when the loop is interrupted is delivered by the next run. An isochronous stream
  /// begins anew with it.
  [[nodiscard]] std::optional<LoopEnded> run(periodic::Task& task, LoopWake& wake) override;

  /// The sender's word on the control connection. Thread-safe: yes.
  void heartbeat(SenderState state, std::uint64_t buffers, periodic::TimePoint now);
  /// The sender goes by another period, of a stream with a rate: it is judged by `judged`, and an isochronous
  /// handler is called at `called`. Thread-safe: yes.
  void setRates(const periodic::Rate& judged, const periodic::Rate& called);
  /// Thread-safe: yes.
  [[nodiscard]] StreamFigures figures() const;
  /// Thread-safe: yes.
  [[nodiscard]] StreamJudgement judgement(periodic::TimePoint now) const;
  /// Thread-safe: yes.
  [[nodiscard]] StreamFault fault(periodic::TimePoint now) const;
  /// Whether the loop waits for data and nothing comes. Thread-safe: yes.
  [[nodiscard]] bool isSilent(periodic::TimePoint now) const;

 private:
  enum class Delivered : std::uint8_t { Nothing, Some, End, Interrupted };

  void begin(periodic::TimePoint now);
  void receive(periodic::TimePoint now);
  periodic::TimePoint look(periodic::Task& task, LoopWake& wake);
  [[nodiscard]] Delivered deliver(periodic::Task& task, LoopWake& wake);
  [[nodiscard]] Delivered deliverWhole(periodic::Task& task, LoopWake& wake);
  [[nodiscard]] Delivered deliverTurn(periodic::Task& task, LoopWake& wake);
  [[nodiscard]] Delivered deliverDue(periodic::Task& task, LoopWake& wake);
  void followRate(periodic::TimePoint now);
  void take(periodic::TimePoint now);
  void fetch(periodic::TimePoint now);
  [[nodiscard]] periodic::TimePoint earliest(const AssembledBuffer& buffer) const;
  void passOver();
  void hand(periodic::TimePoint heldUntil, periodic::TimePoint begun);
  void letGo();
  [[nodiscard]] StreamMeter meterLocked(periodic::TimePoint now) const;
  void account(const AssembledBuffer& buffer, periodic::TimePoint heldUntil, periodic::TimePoint begun);

  const bool m_hasRate;
  const periodic::Duration m_patience;  // of the end, for a buffer that is not there
  const ReadHandler& m_handler;
  ReceivingEnd& m_end;

  // Of the port's thread.
  std::optional<Playout> m_playout;       // of an isochronous stream
  std::optional<AssembledBuffer> m_held;  // waits for its turn
  std::uint32_t m_expected = 0;           // number of the next buffer
  periodic::TimePoint m_inOrder = {};     // until then buffers waited for one that was given up
  std::uint64_t m_came = 0;               // ReceivingEnd::came(), as last seen
  periodic::TimePoint m_looked;           // until then data that came woke the loop
  UnseenSpans m_unseen;
  periodic::TimePoint m_started = {};                  // of the present run
  std::optional<periodic::TimePoint> m_caughtUp = {};  // what waited at the start had been taken by then
  bool m_judges = false;  // something has come since, from which on missing numbers are the network's

  // Whether data that come wake the loop. relaxed: nothing is published through it.
  std::atomic<bool> m_looks{false};
  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows, for moments
  StreamMeter m_meter;
  periodic::Duration m_judgedPeriod{0}, m_calledPeriod{0};  // of the rates set last
  std::optional<periodic::Rate> m_newRate = {};             // of up-calls; the loop has not taken it yet
};

}  // namespace tactus::net
