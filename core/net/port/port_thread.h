// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/net/port/port_loop.h"
#include "core/periodic/admission/admission_refusal.h"
#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/result.h"
#include "core/periodic/task/owned_thread.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// The task of a port, with its thread, from the port's creation to its deletion (RTSS 4.2). It sleeps while
/// no loop runs. Thread-safe: go(), halt() and takeEnded() from one thread at a time; the rest: yes.
/// Real-time-safe: no.
class PortThread {
 public:
  /// With a reservation where the contract's service class has one. `ended` is called on the port's thread
  /// when a loop ended by itself: it hands the news on, and neither waits nor calls this object.
  [[nodiscard]] static Result<std::unique_ptr<PortThread>, periodic::AdmissionRefusal> create(
      periodic::Scheduler& scheduler, periodic::TaskContract contract, std::function<void()> ended);
  ~PortThread();
  PortThread(const PortThread&) = delete;
  PortThread& operator=(const PortThread&) = delete;

  /// `loop` runs from now on. Either none ever did, or the last one ended by itself, or halt() said true
  /// since. It outlives the next halt() that says true. What an earlier loop ended with is forgotten.
  void go(PortLoop& loop);
  /// The loop's run ends: waits for that, but not longer than `atMost`. False: it has not ended, and ends
  /// once the handler returns; ask again. True as well where none runs.
  [[nodiscard]] bool halt(periodic::Duration atMost);
  /// Why the last loop ended by itself; once.
  [[nodiscard]] std::optional<LoopEnded> takeEnded();
  [[nodiscard]] periodic::Task& task() noexcept { return m_thread->task(); }

 private:
  explicit PortThread(std::unique_ptr<LoopWake> wake, std::function<void()> ended) noexcept
      : m_wake(std::move(wake)), m_tells(std::move(ended)) {
    m_idle.raise();
  }
  void run(periodic::Task& task);

  const std::unique_ptr<LoopWake> m_wake;
  const std::function<void()> m_tells;
  periodic::PriorityInheritanceMutex m_mutex;  // guards what follows; taken when a loop begins or ends
  PortLoop* m_loop = nullptr;                  // is to run
  std::optional<LoopEnded> m_ended;
  // Raised while the thread has no loop, also one that it has not begun; changes under the mutex, and ends
  // halt()'s wait.
  periodic::Interrupt m_idle;

  std::unique_ptr<periodic::OwnedThread> m_thread;  // declared last: it goes first
};

}  // namespace tactus::net
