// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/stray_threads.h"

#include <utility>

namespace tactus::periodic {

std::vector<pid_t> StrayThreads::fresh(std::span<const pid_t> alive, const std::set<pid_t>& ofTasks) {
  std::vector<pid_t> found;
  std::set<pid_t> seen;
  for (const pid_t tid : alive) {
    if (ofTasks.contains(tid)) continue;
    if (!m_seen.contains(tid)) found.push_back(tid);
    seen.insert(tid);
  }
  m_seen = std::move(seen);
  return found;
}

}  // namespace tactus::periodic
