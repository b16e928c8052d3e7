// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/owned_thread.h"

#include <pthread.h>
#include <sys/prctl.h>

#include <cstdint>
#include <future>
#include <system_error>
#include <utility>

namespace tactus::periodic {
namespace {

constexpr std::size_t kLongestName = 15;   // of a thread, in the kernel
constexpr std::int64_t kInterrupted = -1;  // what Task::abandon() gets

}  // namespace

Result<std::unique_ptr<OwnedThread>> OwnedThread::start(Scheduler& scheduler, TaskContract contract,
                                                        std::function<void(Task&)> loop) {
  const std::string name = contract.name.substr(0, kLongestName);
  auto adopted = scheduler.adopt(std::move(contract), 0);
  if (!adopted.ok()) return adopted.error();
  std::unique_ptr<OwnedThread> owned(new OwnedThread(std::move(adopted).value(), std::move(loop)));
  if (auto launched = owned->launch(name); !launched.ok()) return launched.error();
  return owned;
}

Result<std::unique_ptr<OwnedThread>, AdmissionRefusal> OwnedThread::reserve(Scheduler& scheduler,
                                                                            TaskContract contract,
                                                                            std::function<void(Task&)> loop) {
  const std::string name = contract.name.substr(0, kLongestName);
  auto reserved = scheduler.reserve(std::move(contract));
  if (!reserved.ok()) return reserved.error();
  std::unique_ptr<OwnedThread> owned(new OwnedThread(std::move(reserved).value(), std::move(loop)));
  if (auto launched = owned->launch(name); !launched.ok()) return AdmissionRefusal::of(launched.error());
  return owned;
}

Result<void> OwnedThread::launch(const std::string& name) {
  std::promise<void> bound;
  try {
    m_thread = std::thread([this, &bound, name] {
      pthread_setname_np(pthread_self(), name.c_str());
      // A thread of a real-time class has no slack anyway. Cannot fail: the kernel takes any positive number.
      (void)prctl(PR_SET_TIMERSLACK, 1);
      m_task->bind(currentThreadId());
      bound.set_value();
      m_loop(*m_task);
      m_task->bind(0);
    });
  } catch (const std::system_error& failure) {
    return Error{ErrorCode::System, "A thread could not be started: " + std::string(failure.what())};
  }
  bound.get_future().wait();
  return {};
}

bool OwnedThread::begin(Task& task, std::optional<TimePoint> arrival) TACTUS_REALTIME {
  if (!task.enforce({}, ByteCount{0}, arrival).interrupted) return true;
  task.abandon(kInterrupted);
  return false;
}

OwnedThread::~OwnedThread() {
  m_task->end();
  if (m_thread.joinable()) m_thread.join();
}

}  // namespace tactus::periodic
