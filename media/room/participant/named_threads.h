// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/task/scheduler.h"

namespace tactus::media {

/// Threads of GStreamer's RTP that announce themselves to nobody, and are found by name: "timer" of a jitter
/// buffer, which gives up lost packets, and "rtpsession-rtcp", which asks for them again. Each becomes a
/// task. Where several calls run, a thread is the task of the one that sees it first. Thread-safe: no.
class NamedThreads {
 public:
  /// `scheduler` outlives this. `label` of the tasks; `stage`: Send or Receive.
  NamedThreads(periodic::Scheduler& scheduler, std::string label, periodic::Stage stage)
      : m_scheduler(scheduler), m_label(std::move(label)), m_stage(stage) {}

  /// Adopts those that are new, and lets go of those that ended. Reads a file a thread of the process.
  void look();
  [[nodiscard]] std::vector<periodic::TaskReport> report() const;

 private:
  [[nodiscard]] std::unique_ptr<periodic::Task> adopt(pid_t thread, std::string_view name);

  periodic::Scheduler& m_scheduler;
  const std::string m_label;
  const periodic::Stage m_stage;
  std::map<pid_t, std::unique_ptr<periodic::Task>> m_tasks;
};

}  // namespace tactus::media
