// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/net/port/port_handlers.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"
#include "core/periodic/result.h"
#include "core/periodic/task/task.h"

namespace tactus::net {

/// After so long the buffers of a stream without a rate are a new packet of the port's task. It is well below
/// the deadline of such a task, kPeriodWithoutRate.
inline constexpr periodic::Duration kLongestTurn = std::chrono::milliseconds(1);

/// Ends waits of a port's loop from another thread. Thread-safe: yes. Real-time-safe: all but create().
class LoopWake {
 public:
  [[nodiscard]] static Result<std::unique_ptr<LoopWake>> create();
  ~LoopWake();
  LoopWake(const LoopWake&) = delete;
  LoopWake& operator=(const LoopWake&) = delete;

  /// Waits end at once from now on.
  void raise() noexcept;
  /// Waits last again.
  void clear() noexcept;
  [[nodiscard]] bool isRaised() const noexcept { return m_raised.load(std::memory_order_acquire); }
  /// Waits for what an end waits for, or until raise(), or until `until`. May return earlier (a signal).
  void wait(const EndWait& end, periodic::TimePoint until = periodic::TimePoint::max()) noexcept;

 private:
  explicit LoopWake(int descriptor) noexcept : m_descriptor(descriptor) {}
  int m_descriptor;                   // an eventfd: readable while raised
  std::atomic<bool> m_raised{false};  // the same, to be asked often
};

/// Why a port's loop ended by itself.
struct LoopEnded {
  bool byStream = false;      ///< the end of the stream came, or was sent
  std::string sentence = {};  ///< else: what went wrong, for a person
};
/// Inside a catch: what the handler of a port threw, which ends its loop. The packet of `task` is given up.
/// Thread-safe: no (the task's thread). Real-time-safe: no (allocates).
[[nodiscard]] LoopEnded handlerThrew(periodic::Task& task);

/// What a port's task does while the port is live (RTSS 4.2: it runs the data handler and the protocol).
/// run() is called on the task's thread and returns once `wake` is raised and the task interrupted, in this
/// order, or when the stream ends.
class PortLoop {
 public:
  virtual ~PortLoop() = default;
  PortLoop() = default;
  PortLoop(const PortLoop&) = delete;
  PortLoop& operator=(const PortLoop&) = delete;
  /// Nullopt: interrupted, and run() may be called again.
  [[nodiscard]] virtual std::optional<LoopEnded> run(periodic::Task& task, LoopWake& wake) = 0;
};

}  // namespace tactus::net
