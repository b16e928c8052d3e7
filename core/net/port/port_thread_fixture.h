// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the tests of ports' threads on the kernel's clock. Nothing depends on how fast a thread answers.

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/net/link/link_task_fixture.h"
#include "core/net/port/port_thread.h"
#include "core/net/stream/stream_contract.h"

namespace tactus::net {

inline constexpr auto kLongest = std::chrono::minutes(1);  // what happens at all happens within

/// Something that threads wait for. Its methods are thread-safe.
class Happening {
 public:
  void happen() {
    const std::lock_guard lock(m_mutex);
    ++m_count;
    m_changed.notify_all();
  }
  /// Until it has happened so often; false: it does not.
  [[nodiscard]] bool await(std::size_t times = 1) {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, kLongest, [&] { return m_count >= times; });
  }
  [[nodiscard]] std::size_t count() {
    const std::lock_guard lock(m_mutex);
    return m_count;
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::size_t m_count = 0;
};

/// Threads of ports, without privilege.
class PortScheduler {
 public:
  /// A thread that tells `ended`.
  [[nodiscard]] std::unique_ptr<PortThread> thread(const StreamContract& contract, PortType type,
                                                   Happening& ended) {
    return PortThread::create(
               m_scheduler.get(),
               taskContractOf(contract, type,
                              (type == PortType::Read ? "read " : "write ") + std::to_string(++m_made)),
               [&ended] { ended.happen(); })
        .value();
  }

 private:
  TestScheduler m_scheduler;
  int m_made = 0;
};

}  // namespace tactus::net
