// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::KernelTime;
using periodic::MonotonicClock;

Duration timeOf(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

/// In the child, between fork and exec. `parent` guards against a parent that died before the prctl.
void dieWith(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(127);
}

void redirect(const std::string& file) {
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int output =
      open(file.empty() ? "/dev/null" : file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (input < 0 || output < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) _exit(127);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& arguments, Options options) {
  if (!programExists(arguments.front())) {
    return Error{ErrorCode::NotFound, "There is no program '" + arguments.front() + "'."};
  }
  std::vector<char*> pointers;
  for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  ChildProcess child;
  const pid_t parent = getpid();
  child.m_started = MonotonicClock::now();
  child.m_pid = ::fork();
  if (child.m_pid < 0) return Error{ErrorCode::System, std::string("fork: ") + std::strerror(errno)};
  if (child.m_pid == 0) {
    dieWith(parent);
    redirect(options.outputFile);
    for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
    if (options.keptDescriptor >= 0) fcntl(options.keptDescriptor, F_SETFD, 0);
    execvp(pointers.front(), pointers.data());
    _exit(127);
  }
  return child;
}

Result<ChildProcess> ChildProcess::fork(const std::function<void()>& body) {
  ChildProcess child;
  const pid_t parent = getpid();
  child.m_started = MonotonicClock::now();
  child.m_pid = ::fork();
  if (child.m_pid < 0) return Error{ErrorCode::System, std::string("fork: ") + std::strerror(errno)};
  if (child.m_pid == 0) {
    dieWith(parent);
    body();
    _exit(0);
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)), m_started(other.m_started), m_end(other.m_end) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  if (m_pid > 0 && !m_end) stop(0s);
  m_pid = std::exchange(other.m_pid, -1);
  m_started = other.m_started;
  m_end = other.m_end;
  return *this;
}

ChildProcess::~ChildProcess() {
  if (m_pid > 0 && !m_end) stop(1s);
}

std::optional<ChildEnd> ChildProcess::poll() {
  if (m_pid <= 0 || m_end) return m_end;
  int status = 0;
  rusage usage{};
  const pid_t ended = wait4(m_pid, &status, WNOHANG, &usage);
  if (ended == 0) return std::nullopt;
  ChildEnd end;
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  end.cpu = timeOf(usage.ru_utime) + timeOf(usage.ru_stime);
  end.memory = static_cast<double>(usage.ru_maxrss) / 1024;
  m_end = end;
  return m_end;
}

std::optional<ChildEnd> ChildProcess::wait(Duration limit) {
  const auto end = MonotonicClock::now() + limit;
  while (!poll()) {
    if (MonotonicClock::now() >= end) return std::nullopt;
    KernelTime::sleepUntil(MonotonicClock::now() + 5ms);
  }
  return m_end;
}

ChildEnd ChildProcess::stop(Duration patience) {
  if (m_pid <= 0) return {};
  if (!poll()) kill(m_pid, SIGTERM);
  if (!wait(patience)) {
    kill(m_pid, SIGKILL);
    while (!wait(10s)) {
    }
  }
  return *m_end;
}

Duration ChildProcess::cpu() const {
  // utime and stime are fields 14 and 15; the name in field 2 may hold blanks, so counting begins behind it.
  std::ifstream in("/proc/" + std::to_string(m_pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto behind = text.rfind(')');
  if (behind == std::string::npos) return {};
  std::istringstream fields(text.substr(behind + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  long long user = 0;
  long long system = 0;
  if (!(fields >> user >> system)) return {};
  return Duration((user + system) * (1'000'000'000LL / sysconf(_SC_CLK_TCK)));
}

bool programExists(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace tactus::lab
