// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/net/link/link_task.h"

namespace tactus::plugins {

/// The link of this name, which all elements of the process that name it share; made for the first of them,
/// and gone with the last. It carries 1 Gbit/s until somebody knows better. For pipelines that nobody
/// composes (gst-launch-1.0); a program of ours gives its elements a link by setLink(). Errors: those of
/// LinkTask::start(). Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<std::shared_ptr<net::LinkTask>> sharedLink(const std::string& name);

}  // namespace tactus::plugins
