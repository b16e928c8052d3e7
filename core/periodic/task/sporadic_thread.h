// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/periodic/task/owned_thread.h"

namespace tactus::periodic {

/// When an iteration of a SporadicThread wants to run again. Thread-safe: yes (pure). Real-time-safe: yes.
class NextRelease {
 public:
  /// At this instant of the task's TimeSource, or at once where it has passed; wake() comes before it.
  [[nodiscard]] static constexpr NextRelease at(TimePoint instant) noexcept { return {instant, false}; }
  /// At the next wake(), not before.
  [[nodiscard]] static constexpr NextRelease onWake() noexcept { return {TimePoint::max(), false}; }
  /// Never: the loop ends.
  [[nodiscard]] static constexpr NextRelease never() noexcept { return {TimePoint::max(), true}; }

 private:
  friend class SporadicThread;
  constexpr NextRelease(TimePoint instant, bool over) noexcept : m_instant(instant), m_over(over) {}
  TimePoint m_instant;
  bool m_over;
};

/// A sporadic task that owns its thread (Mok 1983; Sprunt, Sha and Lehoczky 1989): it runs when an event or
/// an instant releases it, and sleeps in between. The framework owns the loop; the callback is one iteration
/// and must not throw. The first iteration is released at the start, and may begin before start() returns.
///
/// Each run is a packet of the contract: enforce(), iteration, complete(). The rate R is the highest, and the
/// LBAP takes the place of the minimum separation: whoever wakes how often, within any t at most W + tR runs
/// are released. A run that comes too early for that waits in enforce(), and all wake() calls until it begins
/// are in it. So a storm of events gets what admission promised to the task, and no more; where workahead is
/// to run below the critical class, the contract says so (EarlyPackets). A release by instant arrives at its
/// instant, so that a late start counts in response time and laxity; a release by wake() arrives when the
/// thread takes note of it. An iteration that asks for an instant that has passed asks for now: no credit is
/// earned. The contract's `spin` refines waits in enforce(), not those for an instant.
///
/// While `task().interrupt()` is in force the thread sleeps and keeps its release; wake() calls are kept as
/// one.
class SporadicThread {
 public:
  /// Starts the thread and returns once it is bound. InvalidArgument for a contract that is out of range;
  /// System where there can be no more threads. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<SporadicThread>> start(Scheduler& scheduler,
                                                                     TaskContract contract,
                                                                     std::function<NextRelease()> iterate);
  /// Ends a wait at once, lets the current iteration finish, joins.
  ~SporadicThread();
  SporadicThread(const SporadicThread&) = delete;
  SporadicThread& operator=(const SporadicThread&) = delete;

  /// Releases the next iteration now. None is lost, and many before an iteration begins are one: what the
  /// caller did before is seen by an iteration that begins after. During an iteration: one more follows. An
  /// iteration may call it, too. Thread-safe: yes. Real-time-safe: yes (wait-free; calls the kernel only
  /// while the thread sleeps).
  void wake() noexcept { m_wake->raise(); }
  /// Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] Task& task() noexcept { return m_thread->task(); }

 private:
  SporadicThread(std::unique_ptr<Interrupt> wake, std::unique_ptr<OwnedThread> thread) noexcept
      : m_wake(std::move(wake)), m_thread(std::move(thread)) {}
  static void run(Task& task, Interrupt& wake, const std::function<NextRelease()>& iterate);

  std::unique_ptr<Interrupt> m_wake;  // made before the thread and gone after it
  std::unique_ptr<OwnedThread> m_thread;
};

}  // namespace tactus::periodic
