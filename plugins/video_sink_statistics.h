// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "plugins/video_converter.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// Counters of one sink. Snapshot; any thread.
struct VideoSinkStatistics {
  std::uint64_t framesIn = 0;   ///< buffers that reached the sink
  std::uint64_t submitted = 0;  ///< handed to the target in time
  std::array<std::uint64_t, static_cast<std::size_t>(DropReason::Count_)> dropped{};
  /// Pictures scaled fast, well and best, by the time that was left.
  std::array<std::uint64_t, static_cast<std::size_t>(ScaleQuality::Count_)> scaled{};

  VideoSinkStatistics& operator+=(const VideoSinkStatistics& more) noexcept;
  VideoSinkStatistics& operator-=(const VideoSinkStatistics& less) noexcept;
};

}  // namespace tactus::plugins
