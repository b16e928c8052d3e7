// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/periodic/time/time.h"
#include "plugins/gst_handle.h"
#include "plugins/orientation.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// The product of two bytes as a share of 255, rounded.
[[nodiscard]] constexpr std::uint8_t dividedBy255(unsigned product) noexcept {
  return static_cast<std::uint8_t>((product + 128 + ((product + 128) >> 8)) >> 8);
}

/// A rectangle of an overlay: pixels B G R A in memory, colour multiplied by alpha, rows without padding.
struct OverlayPart {
  int left = 0, top = 0, width = 0, height = 0;  ///< in pixels of the upright picture
  std::vector<std::uint8_t> pixels;
};
/// What is laid over an upright picture. Parts lie inside it.
struct Overlay {
  std::vector<OverlayPart> parts;
};

/// An overlay, and the size of the upright picture that it was drawn for. Null: nothing lies there.
struct LaidOver {
  std::shared_ptr<const Overlay> overlay;  // shared with who draws it
  int width = 0, height = 0;
  friend bool operator==(const LaidOver&, const LaidOver&) = default;
};

/// The upright picture that an overlay is drawn for.
struct OverlayFrame {
  int width = 0, height = 0;
  double pixelAspect = 1;                 ///< width of a pixel / its height
  int sourceWidth = 0, sourceHeight = 0;  ///< of the film's pictures, upright
  friend bool operator==(const OverlayFrame&, const OverlayFrame&) = default;
};

/// Draws what lies over pictures, in a thread of its own, while the sink's thread converts them. One thread
/// calls it.
class PictureOverlay {
 public:
  virtual ~PictureOverlay() = default;
  /// Begins to draw for the picture that shows this instant of the film and is due at `due`; false if nothing
  /// is to be drawn, and take() need not be called. Real-time-safe: yes.
  [[nodiscard]] virtual bool request(periodic::Duration instant, const OverlayFrame& frame,
                                     periodic::TimePoint due) noexcept = 0;
  /// What was requested, or, where it is not ready at `latest` by this clock, what was drawn last. Null:
  /// nothing lies there. Real-time-safe: yes (waits).
  [[nodiscard]] virtual std::shared_ptr<const Overlay> take(periodic::TimeSource& time,
                                                            periodic::TimePoint latest) noexcept = 0;
};

/// Lays it over an upright picture of the frame's size. Real-time-safe: yes.
void blend(const Overlay& overlay, const Rgb32View& into) noexcept;

/// Lays overlays over copies of pictures, scaled where they were drawn for another size. Thread-safe: no.
class PlanarBlender {
 public:
  /// The copy, with the picture's times; null without memory. Real-time-safe: no (allocates, until its
  /// pool is filled).
  [[nodiscard]] BufferPtr blended(const LaidOver& above, GstBuffer* picture, const GstVideoInfo& info,
                                  Orientation orientation);

 private:
  [[nodiscard]] bool prepare(const GstVideoInfo& info);
  void compose();

  struct Decompose {
    void operator()(GstVideoOverlayComposition* composition) const noexcept {
      gst_video_overlay_composition_unref(composition);
    }
  };
  struct ClosePool {
    void operator()(GstBufferPool* pool) const noexcept {
      (void)gst_buffer_pool_set_active(pool, FALSE);
      gst_object_unref(pool);
    }
  };
  LaidOver m_above;  // what m_composition was made of
  Orientation m_orientation;
  std::unique_ptr<GstVideoOverlayComposition, Decompose> m_composition;
  std::unique_ptr<GstBufferPool, ClosePool> m_pool;
  GstVideoInfo m_info{};
};

}  // namespace tactus::plugins
