// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "core/periodic/task/task.h"

namespace tactus::plugins {

/// Called in a stage's own thread, before its first packet and after its last. Without them, and where the
/// scheduler refused it, the thread has no task.
struct ThreadHooks {
  std::function<std::shared_ptr<periodic::Task>()> begin;  // shared with who keeps the tasks
  std::function<void()> end;
};

}  // namespace tactus::plugins
