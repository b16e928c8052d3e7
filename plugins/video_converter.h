// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <string>

#include "core/periodic/result.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// How well a picture is scaled: a monotonic computation (HeiTS, "LBAP_poll"), better the longer it may take.
enum class ScaleQuality { Fast, Good, Best, Count_ };

/// Turns decoded pictures of any common layout into upright BGRx by swscale's fast converters (within two
/// levels of the exact value; the accurate ones cost fifty times as much). Thread-safe: no.
class VideoConverter {
 public:
  /// The formats convert() takes, as a caps string list: "{ I420, NV12, ... }".
  [[nodiscard]] static std::string formats();

  /// Prepares for pictures of this format, fitted into `room` (their shape kept, pixels made square) or as
  /// large as they are. Unsupported if swscale cannot read it. Not real-time-safe.
  [[nodiscard]] Result<void> configure(const GstVideoInfo& info, Orientation orientation,
                                       PictureRoom room = {});
  /// Size of the upright picture. After configure().
  [[nodiscard]] int width() const noexcept;
  [[nodiscard]] int height() const noexcept;
  /// Whether it scales, so that there is a quality to choose.
  [[nodiscard]] bool scales() const noexcept;
  /// `into` has the upright size. Real-time-safe after configure(): no allocation, no lock.
  void convert(const GstVideoFrame& frame, const Rgb32View& into,
               ScaleQuality quality = ScaleQuality::Fast) noexcept;

  VideoConverter() noexcept;
  ~VideoConverter();
  VideoConverter(const VideoConverter&) = delete;
  VideoConverter& operator=(const VideoConverter&) = delete;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace tactus::plugins
