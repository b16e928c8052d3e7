// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/kernel/thread_clock.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace tactus::periodic {

pid_t currentThreadId() noexcept {
  static thread_local const pid_t tid = static_cast<pid_t>(syscall(SYS_gettid));
  return tid;
}

std::optional<Duration> cpuTimeOf(pid_t tid) noexcept {
  // The kernel's encoding of "scheduler clock of this thread" (include/linux/posix-timers.h,
  // MAKE_THREAD_CPUCLOCK).
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(tid) << 3) | 6u);
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

std::vector<pid_t> threadsOfProcess() {
  std::vector<pid_t> threads;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return threads;
  while (const dirent* entry = readdir(folder))
    if (const pid_t tid = std::atoi(entry->d_name); tid > 0) threads.push_back(tid);
  closedir(folder);
  return threads;
}

}  // namespace tactus::periodic
