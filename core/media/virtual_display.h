// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/periodic/scheduler.h"
#include "plugins/video_target.h"

namespace tactus::media {

/// The screen of headless mode: takes BGRx pictures as the software tile does, and a render thread (a task of
/// stage Render) copies each to a frame buffer, so that the same stages run as with a window.
[[nodiscard]] Result<std::shared_ptr<plugins::VideoTarget>> createVirtualDisplay(
    periodic::Scheduler& scheduler);

}  // namespace tactus::media
