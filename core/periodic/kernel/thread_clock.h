// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// The calling thread's kernel thread id. Thread-safe: yes. Real-time-safe: yes, from the second call on.
[[nodiscard]] pid_t currentThreadId() noexcept;

/// CPU time of a thread of this process; nullopt when it has ended. Thread-safe: yes. Real-time-safe: yes
/// (one system call).
[[nodiscard]] std::optional<Duration> cpuTimeOf(pid_t tid) noexcept;

/// How long a thread of this process has been runnable without a processor since it began
/// (/proc/self/task/TID/schedstat); zero when it has ended, and where the kernel does not say. Thread-safe:
/// yes. Real-time-safe: no (reads a file).
[[nodiscard]] Duration waitTimeOf(pid_t tid) noexcept;

/// The threads of this process; empty where /proc cannot be read. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] std::vector<pid_t> threadsOfProcess();

}  // namespace tactus::periodic
