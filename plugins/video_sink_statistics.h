// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
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

/// The same while the sink's thread counts; what is scaled is counted elsewhere. Thread-safe: yes.
/// Real-time-safe: yes.
class VideoSinkCounters {
 public:
  void arrive() noexcept { m_framesIn.fetch_add(1, kRelaxed); }
  void submit() noexcept { m_submitted.fetch_add(1, kRelaxed); }
  void drop(DropReason reason) noexcept {
    m_dropped[static_cast<std::size_t>(reason)].fetch_add(1, kRelaxed);
  }
  [[nodiscard]] VideoSinkStatistics read() const noexcept;

 private:
  // relaxed: counters with one writer, read for statistics only.
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  std::atomic<std::uint64_t> m_framesIn{0}, m_submitted{0};
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(DropReason::Count_)> m_dropped{};
};

}  // namespace tactus::plugins
