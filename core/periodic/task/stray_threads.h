// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <set>
#include <span>
#include <vector>

namespace tactus::periodic {

/// Threads of the process that are no task's, each looked at once: a thread that a kept one starts is kept on
/// its processor, too, by the kernel's inheritance, and goes free. Who keeps itself on a processor later has
/// its reasons. Thread-safe: no. Real-time-safe: no (allocates).
class StrayThreads {
 public:
  /// Of the threads that are `alive`, those that are no task's and were not seen before. An id whose thread
  /// ended is forgotten: the kernel gives it to another thread later.
  [[nodiscard]] std::vector<pid_t> fresh(std::span<const pid_t> alive, const std::set<pid_t>& ofTasks);

 private:
  std::set<pid_t> m_seen;
};

}  // namespace tactus::periodic
