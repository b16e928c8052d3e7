// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "plugins/video_target.h"

namespace tactus::media {

/// The screen of headless mode: takes BGRx pictures and copies each to a frame buffer in the display thread,
/// as a window puts them on its screen, so that the same stages run.
[[nodiscard]] std::shared_ptr<plugins::VideoTarget> createVirtualDisplay();

}  // namespace tactus::media
