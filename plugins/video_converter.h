// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <string>

#include "core/periodic/result.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// Turns decoded pictures of any common layout into upright BGRx by swscale's fast converters (within two
/// levels of the exact value; the accurate ones cost fifty times as much). Thread-safe: no.
class VideoConverter {
 public:
  /// The formats convert() takes, as a caps string list: "{ I420, NV12, ... }".
  [[nodiscard]] static std::string formats();

  /// Prepares for pictures of this format. Unsupported if swscale cannot read it. Not real-time-safe.
  [[nodiscard]] Result<void> configure(const GstVideoInfo& info, Orientation orientation);
  /// Size of the upright picture. After configure().
  [[nodiscard]] int width() const noexcept;
  [[nodiscard]] int height() const noexcept;
  /// `into` has the upright size. Real-time-safe after configure(): no allocation, no lock.
  void convert(const GstVideoFrame& frame, const Rgb32View& into) noexcept;

  VideoConverter() noexcept;
  ~VideoConverter();
  VideoConverter(const VideoConverter&) = delete;
  VideoConverter& operator=(const VideoConverter&) = delete;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace tactus::plugins
