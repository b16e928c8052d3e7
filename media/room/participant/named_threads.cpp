// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/named_threads.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

namespace tactus::media {
namespace {

/// Names as the kernel has them (15 bytes), and what reports call the threads.
struct Known {
  std::string_view comm, shown;
};
constexpr std::array<Known, 2> kKnown{{{"timer", "lost packets"}, {"rtpsession-rtcp", "RTCP"}}};

std::map<pid_t, std::string_view> findKnown() {
  std::map<pid_t, std::string_view> found;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failure)) {
    std::ifstream file(entry.path() / "comm");
    std::string name;
    std::getline(file, name);
    const auto known =
        std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& each) { return each.comm == name; });
    if (known != kKnown.end())
      found.emplace(static_cast<pid_t>(std::atoi(entry.path().filename().c_str())), known->shown);
  }
  return found;
}

}  // namespace

std::unique_ptr<periodic::Task> NamedThreads::adopt(pid_t thread, std::string_view name) {
  periodic::TaskContract contract = periodic::contractOf(m_stage);
  contract.name = (m_label.empty() ? "" : m_label + ": ") + contract.name + " (" + std::string(name) + ")";
  contract.enforces = false;  // it sleeps until something is due
  contract.mayEnd = true;     // with its call, or earlier
  contract.early = periodic::EarlyPackets::Clocked;
  auto task = m_scheduler.adopt(std::move(contract), thread);
  return task.ok() ? std::move(task).value() : nullptr;
}

void NamedThreads::look() {
  const auto found = findKnown();
  for (auto each = m_tasks.begin(); each != m_tasks.end();)
    each = found.contains(each->first) ? std::next(each) : m_tasks.erase(each);
  std::set<pid_t> taken;
  for (const auto& task : m_scheduler.report()) taken.insert(task.tid);
  for (const auto& [thread, name] : found) {
    if (taken.contains(thread)) continue;
    if (auto task = adopt(thread, name)) m_tasks.emplace(thread, std::move(task));
  }
}

std::vector<periodic::TaskReport> NamedThreads::report() const {
  std::vector<periodic::TaskReport> reports;
  for (const auto& [thread, task] : m_tasks) reports.push_back(task->report());
  return reports;
}

}  // namespace tactus::media
