// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/task/task.h"
#include "media/stage/stage_adopter.h"

namespace tactus::media {

/// The task of the thread that works at one place of a pipeline (a decoder's input, a sink) at present. The
/// thread may change, and a pooled thread may come back with the same id after its task was retired.
class BoundTask {
 public:
  explicit BoundTask(StageAdopter& adopter) noexcept : m_adopter(adopter) {}

  /// Whether the calling thread's task is the one held, so that bind() is not needed. Streaming thread.
  /// Real-time-safe: yes.
  [[nodiscard]] bool isHere() const noexcept;
  /// Makes the calling thread's task the one held; true if it is another one than before. Streaming thread.
  /// Real-time-safe: no (once per thread).
  bool bind(periodic::TaskContract contract);
  /// The task held; null before bind(), and where the scheduler refused it. Streaming thread. Real-time-safe:
  /// yes.
  [[nodiscard]] periodic::Task* here() const noexcept { return m_task.get(); }
  /// The same for other threads. Thread-safe: yes. Real-time-safe: yes (waits for a pointer copy).
  [[nodiscard]] std::shared_ptr<periodic::Task> get() const;

 private:
  StageAdopter& m_adopter;
  // relaxed: both are meant for the thread that stored them; to another thread they only say "not yours".
  std::atomic<pid_t> m_thread{0};
  std::atomic<std::uint64_t> m_retirements{0};         // the adopter's at bind()
  mutable periodic::PriorityInheritanceMutex m_mutex;  // the streaming thread writes m_task under it
  std::shared_ptr<periodic::Task> m_task;              // shared with the adopter
};

}  // namespace tactus::media
