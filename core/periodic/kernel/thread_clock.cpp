// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/kernel/thread_clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
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

Duration waitTimeOf(pid_t tid) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", tid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return Duration{0};
  char text[96] = {};
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  long long used = 0;
  long long waited = 0;  // "USED WAITED TIMES", in ns
  if (length <= 0 || std::sscanf(text, "%lld %lld", &used, &waited) != 2) return Duration{0};
  return Duration(waited);
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
