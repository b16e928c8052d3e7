// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/periodic_thread.h"

#include <pthread.h>

#include <atomic>
#include <future>
#include <thread>

namespace tactus::periodic {

struct PeriodicThread::State {
  std::unique_ptr<Task> task;
  std::function<bool()> iterate;
  std::atomic<bool> stop{false};
  std::thread thread;
};

Result<std::unique_ptr<PeriodicThread>> PeriodicThread::start(Scheduler& scheduler, TaskContract contract,
                                                              std::function<bool()> iterate) {
  const std::string name = contract.name.substr(0, 15);  // the kernel's limit
  auto adopted = scheduler.adopt(std::move(contract), 0);
  if (!adopted.ok()) return adopted.error();
  auto state = std::make_unique<State>();
  state->task = std::move(adopted).value();
  state->iterate = std::move(iterate);
  std::promise<void> bound;
  state->thread = std::thread([&bound, name, shared = state.get()] {
    pthread_setname_np(pthread_self(), name.c_str());
    shared->task->bind(currentThreadId());
    bound.set_value();
    // relaxed: interrupt() orders the store before the wake-up that makes us look.
    while (!shared->stop.load(std::memory_order_relaxed)) {
      if (shared->task->enforce().interrupted) continue;
      if (!shared->iterate()) break;
      shared->task->complete();
    }
    shared->task->bind(0);
  });
  bound.get_future().wait();
  return std::unique_ptr<PeriodicThread>(new PeriodicThread(std::move(state)));
}

PeriodicThread::PeriodicThread(std::unique_ptr<State> state) noexcept : m_state(std::move(state)) {}

PeriodicThread::~PeriodicThread() {
  m_state->stop.store(true, std::memory_order_relaxed);
  m_state->task->interrupt();
  m_state->thread.join();
}

Task& PeriodicThread::task() noexcept {
  return *m_state->task;
}

}  // namespace tactus::periodic
