// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/task/scheduler.h"
#include "media/sharing/governed_stream.h"

namespace tactus::media {

/// The tasks of one pipeline's streaming threads. A thread is adopted when GStreamer announces it
/// (synchronous STREAM_STATUS), as a source at first; the first packet that a decoder or sink sees in it says
/// what it really is. Thread-safe: yes.
class StageAdopter {
 public:
  StageAdopter(periodic::Scheduler& scheduler, std::string label)
      : m_scheduler(scheduler), m_label(std::move(label)) {}

  /// The scheduler's, by which the threads' packets have their turns.
  [[nodiscard]] periodic::TimeSource& time() const noexcept { return m_scheduler.time(); }

  /// Where the pipeline's streams ask for memory.
  [[nodiscard]] const std::shared_ptr<periodic::MemoryShare>& memory() const noexcept {
    return m_scheduler.memory();
  }

  /// STREAM_STATUS from the thread itself. Real-time-safe: no (once per thread).
  void onStreamStatus(GstMessage* message);
  /// Makes the calling thread a task of this contract, or returns the one it already is if the stage is the
  /// same. Null if the scheduler refused the contract. Real-time-safe: no (once per thread and stage).
  [[nodiscard]] std::shared_ptr<periodic::Task> takeOver(periodic::TaskContract contract);

  /// The calling thread is no task any more: before it ends, or goes back to a pool. Real-time-safe: no.
  void leave();

  /// How many threads have left: a thread id seen before the last of them may mean another thread now.
  /// Real-time-safe: yes.
  [[nodiscard]] std::uint64_t retirements() const noexcept {
    return m_retirements.load(std::memory_order_relaxed);  // relaxed: a returning thread counted itself
  }

  /// Whether the thread is one of these tasks'. Real-time-safe: no.
  [[nodiscard]] bool has(pid_t tid) const;

  /// All waits in enforce() end and stay ended (pause, seek, stop), or last again. Real-time-safe: yes.
  void interruptAll() noexcept;
  void resumeAll() noexcept;

  /// Counters of the tasks of one stage together, those of ended threads included. Real-time-safe: no.
  [[nodiscard]] periodic::TaskCounters counters(periodic::Stage stage) const;
  /// How long the threads of one stage's tasks have been runnable without a processor, their decoders' worker
  /// threads not included. Real-time-safe: no (reads a file a thread).
  [[nodiscard]] periodic::Duration waited(periodic::Stage stage) const;
  /// Governed stages are served so from now on, and all stages run on these processors; sound keeps its
  /// service. Holds for later threads as well. Not from a streaming thread.
  void setService(StreamService service);

  /// Figures of every task; those of ended threads are summed by name and stage.
  [[nodiscard]] std::vector<periodic::TaskReport> report() const;

 private:
  struct Adopted {
    std::shared_ptr<periodic::Task> task;  // shared with the gate or sink that enforces it
    periodic::Stage stage;
  };
  /// What the service asked for makes of a contract of this stage.
  [[nodiscard]] periodic::ContractPatch servicePatchLocked(periodic::Stage stage) const;
  void leaveLocked(pid_t tid);
  void retireLocked(const Adopted& adopted);
  [[nodiscard]] std::shared_ptr<periodic::Task> adoptLocked(periodic::TaskContract contract, pid_t tid);

  periodic::Scheduler& m_scheduler;
  std::string m_label;
  mutable periodic::PriorityInheritanceMutex m_mutex;  // streaming threads take it when they begin and end
  std::map<pid_t, Adopted> m_tasks;
  std::vector<periodic::TaskReport> m_ended;  // one for each name and stage
  std::atomic<std::uint64_t> m_retirements{0};
  bool m_interrupted = false;
  StreamService m_service;
};

}  // namespace tactus::media
