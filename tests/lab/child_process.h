// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::lab {

/// How a child ended, and what it and its own children used.
struct ChildEnd {
  int status = 0;  ///< exit status, or 128 + the signal
  periodic::Duration cpu{};
  double memory = 0;  ///< most that it had resident, in MiB
};

/// A process of the lab's; it never outlives its owner, nor the lab (PR_SET_PDEATHSIG). For single-threaded
/// use: the signal comes when the thread ends that started it. Real-time-safe: no.
class ChildProcess {
 public:
  struct Options {
    std::map<std::string, std::string> environment;  ///< on top of ours
    std::string outputFile;                          ///< of stdout and stderr; empty = nowhere
    int keptDescriptor = -1;                         ///< stays open in the child
  };
  /// Starts a program found by PATH. Errors: NotFound, System.
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& arguments, Options options);
  /// A copy of this process that runs `body` and ends.
  [[nodiscard]] static Result<ChildProcess> fork(const std::function<void()>& body);

  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const noexcept { return m_pid; }
  /// CLOCK_MONOTONIC just before exec.
  [[nodiscard]] periodic::TimePoint started() const noexcept { return m_started; }
  /// How it ended, if it has; again the same afterwards.
  [[nodiscard]] std::optional<ChildEnd> poll();
  /// Waits for the end; nothing after `limit`.
  [[nodiscard]] std::optional<ChildEnd> wait(periodic::Duration limit);
  /// SIGTERM, and SIGKILL after `patience`.
  ChildEnd stop(periodic::Duration patience);
  /// Processor time of the process itself until now; zero once it is gone.
  [[nodiscard]] periodic::Duration cpu() const;

 private:
  pid_t m_pid = -1;
  periodic::TimePoint m_started{};
  std::optional<ChildEnd> m_end;
};

/// Whether PATH has the program.
[[nodiscard]] bool programExists(const std::string& name);

}  // namespace tactus::lab
