// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// The threads that work for a task (the bound one, and its workers) and the CPU time they used while they
/// did. A thread's last reading counts after it ended. Thread-safe: no (the table's lock). Real-time-safe:
/// no.
class TaskThreads {
 public:
  /// Binds another thread, or none with 0.
  void bind(pid_t tid);
  /// Replaces the workers.
  void setWorkers(std::span<const pid_t> tids);

  [[nodiscard]] pid_t bound() const noexcept { return m_bound.tid; }
  [[nodiscard]] const std::vector<pid_t>& workers() const noexcept { return m_workerIds; }
  /// The bound thread has ended.
  [[nodiscard]] bool ended() const noexcept;

  /// Reads the clocks of all threads.
  void read() noexcept;
  /// As last read, of all threads ever bound.
  [[nodiscard]] Duration cpuTime() const noexcept;

 private:
  struct Thread {
    pid_t tid = 0;
    Duration cpuAtBind{0};
    Duration cpuRead{0};
  };
  [[nodiscard]] static Thread begin(pid_t tid) noexcept;
  Thread m_bound;
  std::vector<Thread> m_workers;
  std::vector<pid_t> m_workerIds;
  Duration m_before{0};  // of threads bound earlier
};

}  // namespace tactus::periodic
