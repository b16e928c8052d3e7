// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/net/port/port_loop.h"

namespace tactus::net {

/// The loop of a write port (RTSS 4.1 and 4.2): LBAP_enforce, up-call of the handler into room of the sending
/// end, send. With a rate each buffer leaves as it is made, and what the end keeps of it while the next is
/// not due; without, buffers are made as long as there is room, and leave together: those of a turn
/// (kLongestTurn) are one packet of the task. `made` of a buffer is when its handler was called, on the clock
/// of the task.
///
/// The contract says whether there is a rate; the task's own says which, so that Task::amend() changes it
/// while the loop runs. A loop that was interrupted goes on with the next number.
class WriteLoop final : public PortLoop {
 public:
  /// `handler` and `end` outlive the loop.
  WriteLoop(const StreamContract& contract, std::uint64_t session, const WriteHandler& handler,
            SendingEnd& end)
      : m_contract(contract), m_handler(handler), m_end(end) {
    m_header.session = session;
  }
  WriteLoop(const StreamContract&, std::uint64_t, WriteHandler&&, SendingEnd&) = delete;
  [[nodiscard]] std::optional<LoopEnded> run(periodic::Task& task, LoopWake& wake) override;
  /// Buffers given to the end, and their payload. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t buffers() const noexcept { return m_buffers.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return m_bytes.load(std::memory_order_relaxed); }

 private:
  enum class Made : std::uint8_t { Buffer, Nothing, End };
  [[nodiscard]] Made make(periodic::TimePoint now);
  [[nodiscard]] Made makeTurn(periodic::Task& task, LoopWake& wake);
  void sendMeanwhile(periodic::Task& task, LoopWake& wake);

  const StreamContract m_contract;
  const WriteHandler& m_handler;
  SendingEnd& m_end;
  StreamHeader m_header;
  bool m_ending = false;  // the end was sent; what is left leaves
  // relaxed: counters with one writer; nothing is published through them.
  std::atomic<std::uint64_t> m_buffers{0}, m_bytes{0};
};

}  // namespace tactus::net
