// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// What the threads of the display server have had of the processors.
struct ServerTimes {
  periodic::Duration used{0};
  periodic::Duration waited{0};  ///< runnable without a processor
  std::uint64_t turns = 0;       ///< times that one of them got a processor
};

/// The process at the other end of the display's Unix socket (Wayland, X11), as the kernel names it
/// (SO_PEERCRED). Nullopt without a display, with one on another machine, or in another PID namespace.
/// Thread-safe: yes. Real-time-safe: no (system calls).
[[nodiscard]] std::optional<pid_t> displayServerProcess();

/// From /proc/PID/task/TID/schedstat; nullopt where the process has ended or the kernel does not say.
/// Thread-safe: yes. Real-time-safe: no (reads files).
[[nodiscard]] std::optional<ServerTimes> serverTimesOf(pid_t process);

}  // namespace tactus::media
