// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/periodic/task/stage.h"
#include "core/periodic/time/rate.h"
#include "media/stage/frame_kind.h"

namespace tactus::media {

/// What a decoder's input caps say of its stream.
struct EncodedFormat {
  std::optional<periodic::Rate> rate;  ///< pictures per second; absent: sound, or unknown
  /// Presentation times are in decoding order: sound, and codecs that show pictures in the order of decoding.
  bool inDecodingOrder = false;
  int width = 1, height = 1;  ///< 1 ... 32767, whatever the file claims
  std::string name;           ///< "video/x-h264", with the size of pictures: "video/x-h264 1280x720"
  std::string codec;          ///< libav's name; empty where GStreamer read the film
  FrameCoding coding;

  [[nodiscard]] std::int64_t pixels() const noexcept { return std::int64_t{width} * height; }
  /// Of one decoded picture: 4:2:0 in 8 bits, as nearly all films are.
  [[nodiscard]] std::uint64_t pictureBytes() const noexcept {
    return static_cast<std::uint64_t>(pixels()) * 3 / 2;
  }
  /// `stage`: of the decoder. Thread-safe: yes (pure). Real-time-safe: no (allocates).
  [[nodiscard]] static EncodedFormat of(const GstCaps* caps, periodic::Stage stage);
};

}  // namespace tactus::media
