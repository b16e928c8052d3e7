// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the tests of the loops of ports in one thread: time passes when the loop waits, 1 ms each time.

#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/port/port_loop.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"
#include "core/periodic/task/scheduler.h"

namespace tactus::net {

/// Sleeps jump to their end.
class PortClock final : public periodic::TimeSource {
 public:
  periodic::TimePoint now() noexcept override {
    if (whenRead) whenRead();
    return m_now;
  }
  periodic::Duration threadCpu() noexcept override { return periodic::Duration::zero(); }
  periodic::Wake sleepUntil(periodic::TimePoint instant,
                            const periodic::Interrupt& interrupt) noexcept override {
    if (whenAsleep) whenAsleep();
    if (interrupt.raised()) return periodic::Wake::Interrupted;
    spinUntil(instant);
    return periodic::Wake::OnTime;
  }
  void spinUntil(periodic::TimePoint instant) noexcept override { m_now = std::max(m_now, instant); }

  /// Since the test began.
  [[nodiscard]] periodic::Duration passed() const noexcept { return m_now - kBegin; }
  void pass(periodic::Duration time) noexcept { m_now += time; }

  static constexpr periodic::TimePoint kBegin{std::chrono::seconds(1000)};
  std::function<void()> whenRead = {}, whenAsleep = {};

 private:
  periodic::TimePoint m_now = kBegin;
};

/// A descriptor that is always readable, so that a wait for it ends at once.
inline Descriptor readableDescriptor() {
  return Descriptor(eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
}

/// Has room for `places` buffers. A buffer leaves with so many calls of flush().
class VirtualSendingEnd final : public SendingEnd {
 public:
  VirtualSendingEnd(PortClock& clock, std::size_t largest, std::size_t places = 2, int slow = 1)
      : m_clock(clock), m_room(largest), m_places(places), m_slow(slow) {}

  std::span<std::byte> room() TACTUS_REALTIME override {
    return m_waiting.size() < m_places ? std::span(m_room) : std::span<std::byte>();
  }
  void send(const StreamHeader& header) TACTUS_REALTIME override {
    sent.push_back(header);
    m_waiting.push_back(m_slow);
  }
  void flush() TACTUS_REALTIME override {
    ++flushes;
    if (breaksAt && flushes >= *breaksAt) {
      isBroken = true;
      m_waiting.clear();
    }
    if (m_waiting.empty()) return;
    if (m_slow == 1) {
      m_waiting.clear();
    } else if (--m_waiting.front() == 0) {
      m_waiting.pop_front();
    }
    if (m_waiting.empty()) emptyAt.push_back(m_clock.passed());
  }
  EndWait wait() const TACTUS_REALTIME override {
    m_clock.pass(std::chrono::milliseconds(1));
    if (whenWaited) whenWaited();
    return {m_readable.get(), POLLIN};
  }
  bool isEmpty() const TACTUS_REALTIME override { return m_waiting.empty(); }
  std::optional<EndBroken> broken() const override {
    return isBroken ? std::optional(EndBroken{"It broke."}) : std::nullopt;
  }
  SendingFigures figures() const TACTUS_REALTIME override { return {}; }

  std::vector<StreamHeader> sent = {};
  std::vector<periodic::Duration> emptyAt = {};  // when all had left
  int flushes = 0;
  bool isBroken = false;
  std::optional<int> breaksAt = {};  // with so many calls of flush()
  std::function<void()> whenWaited = {};

 private:
  PortClock& m_clock;
  std::vector<std::byte> m_room;
  std::size_t m_places;
  int m_slow;
  std::deque<int> m_waiting;
  Descriptor m_readable = readableDescriptor();
};

/// Buffers that come when the test says; after the last of them whoever waits is interrupted.
class VirtualReceivingEnd final : public ReceivingEnd {
 public:
  explicit VirtualReceivingEnd(PortClock& clock) : m_clock(clock) {}

  /// Buffer `number` was made at `made` and comes at `at`, both since the test began; so do buffers and ends
  /// that come in the order of these calls.
  void comes(std::uint32_t number, periodic::Duration made, periodic::Duration at, bool end = false) {
    m_coming.push_back(
        {{number, made, {}, end, end ? std::span<const std::byte>() : std::span(m_bytes)}, at});
  }
  /// A part of a buffer that is never whole.
  void partComes(periodic::Duration at) { m_parts.push_back(at); }

  void receive(periodic::TimePoint now) TACTUS_REALTIME override {
    for (; !m_parts.empty() && PortClock::kBegin + m_parts.front() <= now; m_parts.pop_front()) ++m_came;
    for (; !m_coming.empty() && PortClock::kBegin + m_coming.front().second <= now; m_coming.pop_front()) {
      m_here.push_back(m_coming.front().first);
      m_here.back().arrived = now;
      ++m_came;
    }
    while (m_here.size() > keeps) m_here.pop_back();
  }
  std::optional<AssembledBuffer> next(periodic::TimePoint now) TACTUS_REALTIME override {
    if (m_held || m_here.empty()) return std::nullopt;
    const AssembledBuffer& first = m_here.front();
    if (first.number != m_next && now < first.arrived + patience) return std::nullopt;
    m_held = true;
    m_next = first.number + 1;
    return m_here.front();
  }
  void release() TACTUS_REALTIME override {
    if (!std::exchange(m_held, false)) return;
    m_here.pop_front();
    ++released;
  }
  EndWait wait() const TACTUS_REALTIME override {
    m_clock.pass(std::chrono::milliseconds(1));
    if (whenWaited) whenWaited();
    return {m_readable.get(), POLLIN};
  }
  std::optional<EndBroken> broken() const override {
    return isBroken ? std::optional(EndBroken{"It broke."}) : std::nullopt;
  }
  AssemblyFigures figures() const TACTUS_REALTIME override { return {}; }
  std::uint64_t came() const TACTUS_REALTIME override { return m_came; }

  periodic::Duration patience{0};  // a buffer waits so long for one before it
  std::size_t keeps = SIZE_MAX;    // what comes while so many are here is lost
  std::size_t released = 0;
  bool isBroken = false;
  std::function<void()> whenWaited = {};

 private:
  PortClock& m_clock;
  std::vector<std::byte> m_bytes = std::vector<std::byte>(100);
  std::deque<std::pair<AssembledBuffer, periodic::Duration>> m_coming;
  std::deque<periodic::Duration> m_parts;
  std::deque<AssembledBuffer> m_here;
  bool m_held = false;
  std::uint32_t m_next = 0;
  std::uint64_t m_came = 0;
  Descriptor m_readable = readableDescriptor();
};

/// A task of this thread.
class VirtualPort {
 public:
  VirtualPort(const StreamContract& contract, PortType type)
      : task(m_scheduler.adopt(taskContractOf(contract, type, "port"), periodic::currentThreadId()).value()) {
  }

  /// As a port's thread is halted, and goes.
  void halt() {
    wake->raise();
    task->interrupt();
  }
  void resume() {
    wake->clear();
    task->resume();
  }
  [[nodiscard]] std::optional<LoopEnded> run(PortLoop& loop) { return loop.run(*task, *wake); }
  /// The same after halt().
  [[nodiscard]] std::optional<LoopEnded> runAgain(PortLoop& loop) {
    resume();
    return run(loop);
  }

  PortClock clock = {};

 private:
  std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::TraceLog m_trace;
  periodic::Scheduler m_scheduler{clock, *m_gate, m_trace, false};

 public:
  std::unique_ptr<LoopWake> wake = LoopWake::create().value();
  std::unique_ptr<periodic::Task> task;
};

}  // namespace tactus::net
