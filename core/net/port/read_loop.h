// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/net/port/port_loop.h"
#include "core/net/stream/playout.h"
#include "core/net/stream/stream_meter.h"
#include "core/periodic/kernel/priority_inheritance_mutex.h"

namespace tactus::net {

/// The loop of a read port: what came is taken from the receiving end, each buffer passes LBAP_enforce (a
/// peer that sends more than its contract waits, and on UDP loses) and is given to the handler: as soon as it
/// is whole and the next in order, or once a period (isochronous).
class ReadLoop final : public PortLoop {
 public:
  /// `handler` and `end` outlive the loop.
  ReadLoop(const StreamContract& contract, const ReadHandler& handler, ReceivingEnd& end,
           periodic::TimePoint now);
  [[nodiscard]] std::optional<LoopEnded> run(periodic::Task& task, LoopWake& wake) override;

  /// The sender's word on the control connection. Thread-safe: yes.
  void heartbeat(SenderState state, std::uint64_t buffers, periodic::TimePoint now);
  /// Thread-safe: yes.
  [[nodiscard]] StreamFigures figures() const;
  [[nodiscard]] StreamFault fault(periodic::TimePoint now) const;
  /// Whether nothing comes. Thread-safe: yes.
  [[nodiscard]] bool isSilent(periodic::TimePoint now) const;

 private:
  /// Deliver what there is; true: the end of the stream came.
  [[nodiscard]] bool deliverWhole(periodic::Task& task, LoopWake& wake);
  [[nodiscard]] bool deliverDue(periodic::Task& task, LoopWake& wake);
  void fetch(periodic::TimePoint now);
  void letGo();
  void account(const AssembledBuffer& buffer, periodic::TimePoint due, periodic::TimePoint begun);
  [[nodiscard]] periodic::TimePoint due() const;

  const StreamContract m_contract;
  const ReadHandler& m_handler;
  ReceivingEnd& m_end;

  std::optional<Playout> m_playout;                    // of an isochronous stream
  std::optional<AssembledBuffer> m_held;               // waits for its turn
  std::uint32_t m_expected = 0;                        // number of the next buffer
  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards the meter
  StreamMeter m_meter;
};

}  // namespace tactus::net
