// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only for tests.

#include <memory>

#include "core/net/link/link_task.h"
#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/task/scheduler.h"
#include "core/periodic/trace/trace.h"

namespace tactus::net {

/// A scheduler without privilege or watchdog, on the kernel's clock.
class TestScheduler {
 public:
  [[nodiscard]] periodic::Scheduler& get() noexcept { return m_scheduler; }

 private:
  periodic::KernelTime m_time;
  std::unique_ptr<periodic::KernelClassGate> m_gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::TraceLog m_trace;
  periodic::Scheduler m_scheduler{m_time, *m_gate, m_trace, false};
};

/// A link of its own.
class TestLink {
 public:
  explicit TestLink(BitRate rate)
      : m_link(LinkTask::start(m_scheduler.get(), {.name = "link", .rate = rate}).value()) {}
  [[nodiscard]] LinkTask* get() const noexcept { return m_link.get(); }
  [[nodiscard]] LinkTask* operator->() const noexcept { return m_link.get(); }

 private:
  TestScheduler m_scheduler;
  std::unique_ptr<LinkTask> m_link;
};

}  // namespace tactus::net
