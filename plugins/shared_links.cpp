// SPDX-License-Identifier: Apache-2.0
#include "plugins/shared_links.h"

#include <map>
#include <mutex>
#include <utility>

#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/task/scheduler.h"

namespace tactus::plugins {
namespace {

constexpr net::BitRate kUnknown = net::BitRate::perSecond(1'000'000'000);

/// A link with the scheduler of its task.
struct OwnLink {
  periodic::KernelTime time;
  std::unique_ptr<periodic::KernelClassGate> gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::Fifo, {});
  periodic::TraceLog trace;
  periodic::Scheduler scheduler{time, *gate, trace};
  std::unique_ptr<net::LinkTask> task = {};
};

}  // namespace

Result<std::shared_ptr<net::LinkTask>> sharedLink(const std::string& name) {
  // A plugin has no composition root: its elements find each other by name. What is kept holds nothing alive.
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<OwnLink>> links;
  const std::lock_guard lock(mutex);
  std::shared_ptr<OwnLink> own = links[name].lock();
  if (!own) {
    own = std::make_shared<OwnLink>();
    auto started = net::LinkTask::start(own->scheduler, {.name = "link '" + name + "'", .rate = kUnknown});
    if (!started.ok()) return started.error();
    own->task = std::move(started).value();
    links[name] = own;
  }
  net::LinkTask* task = own->task.get();
  return std::shared_ptr<net::LinkTask>(std::move(own), task);
}

}  // namespace tactus::plugins
