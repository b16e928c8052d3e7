// SPDX-License-Identifier: Apache-2.0
#include "plugins/picture_overlay.h"

#include <algorithm>
#include <cmath>

#include "plugins/picture_turn.h"

namespace tactus::plugins {
namespace {

constexpr guint kMostCopies = 8;  // of pictures in a target's hands

void blendRow(const std::uint8_t* over, std::uint8_t* under, int width) noexcept {
  for (int x = 0; x < width; ++x, over += 4, under += 4) {
    const unsigned rest = 255u - over[3];
    if (rest == 255) continue;
    for (int i = 0; i < 3; ++i) under[i] = static_cast<std::uint8_t>(over[i] + dividedBy255(under[i] * rest));
  }
}

/// The part as it lies in the picture before that is turned upright. The sizes are those of the stored
/// picture.
OverlayPart unturned(const OverlayPart& part, Orientation orientation, int width, int height) {
  const bool quarter = orientation.degrees % 180 != 0;
  const Orientation back = inverse(orientation);
  const Turn whole = turnOf(back, quarter ? height : width, quarter ? width : height, width);
  const auto stored = [&](int x, int y) { return whole.base + x * whole.stepX + y * whole.stepY; };
  const auto first = stored(part.left, part.top);
  const auto last = stored(part.left + part.width - 1, part.top + part.height - 1);
  OverlayPart result;
  result.left = static_cast<int>(std::min(first % width, last % width));
  result.top = static_cast<int>(std::min(first, last) / width);
  result.width = quarter ? part.height : part.width;
  result.height = quarter ? part.width : part.height;
  result.pixels.resize(part.pixels.size());
  turn(part.pixels.data(), std::ptrdiff_t{4} * part.width, part.width, part.height,
       {result.pixels.data(), result.width, result.height, 4 * result.width},
       turnOf(back, part.width, part.height, result.width));
  return result;
}

/// So many pixels of the picture for one of the part's.
struct Scale {
  double x = 1, y = 1;
};

GstVideoOverlayRectangle* rectangleOf(const OverlayPart& part, Scale scale) {
  const BufferPtr pixels(gst_buffer_new_memdup(part.pixels.data(), static_cast<gsize>(part.pixels.size())));
  const auto width = static_cast<guint>(part.width);
  const auto height = static_cast<guint>(part.height);
  (void)gst_buffer_add_video_meta(pixels.get(), GST_VIDEO_FRAME_FLAG_NONE,
                                  GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, width, height);
  const auto scaled = [](int length, double by) { return static_cast<int>(std::lround(length * by)); };
  return gst_video_overlay_rectangle_new_raw(pixels.get(), scaled(part.left, scale.x),
                                             scaled(part.top, scale.y),
                                             static_cast<guint>(std::max(1, scaled(part.width, scale.x))),
                                             static_cast<guint>(std::max(1, scaled(part.height, scale.y))),
                                             GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
}

}  // namespace

void blend(const Overlay& overlay, const Rgb32View& into) noexcept {
  for (const OverlayPart& part : overlay.parts) {
    if (part.left < 0 || part.top < 0 || part.left + part.width > into.width ||
        part.top + part.height > into.height)
      continue;  // drawn for a picture of another size
    const std::uint8_t* over = part.pixels.data();
    std::uint8_t* under =
        into.data + static_cast<std::ptrdiff_t>(part.top) * into.stride + std::ptrdiff_t{4} * part.left;
    for (int y = 0; y < part.height; ++y, over += std::ptrdiff_t{4} * part.width, under += into.stride)
      blendRow(over, under, part.width);
  }
}

bool PlanarBlender::prepare(const GstVideoInfo& info) {
  if (m_pool && gst_video_info_is_equal(&info, &m_info) != FALSE) return true;
  m_info = info;
  m_composition.reset();
  m_pool.reset(gst_video_buffer_pool_new());
  const CapsPtr caps(gst_video_info_to_caps(&m_info));
  GstStructure* config = gst_buffer_pool_get_config(m_pool.get());
  gst_buffer_pool_config_set_params(config, caps.get(), static_cast<guint>(m_info.size), 0, kMostCopies);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  const bool ready = gst_buffer_pool_set_config(m_pool.get(), config) != FALSE &&
                     gst_buffer_pool_set_active(m_pool.get(), TRUE) != FALSE;
  if (!ready) m_pool.reset();
  return ready;
}

void PlanarBlender::compose() {
  m_composition.reset(gst_video_overlay_composition_new(nullptr));
  const bool quarter = m_orientation.degrees % 180 != 0;
  // As stored, in the size that was drawn for.
  const int width = quarter ? m_above.height : m_above.width;
  const int height = quarter ? m_above.width : m_above.height;
  const Scale scale{static_cast<double>(m_info.width) / std::max(1, width),
                    static_cast<double>(m_info.height) / std::max(1, height)};
  for (const OverlayPart& part : m_above.overlay->parts) {
    GstVideoOverlayRectangle* rectangle = rectangleOf(
        m_orientation == Orientation{} ? part : unturned(part, m_orientation, width, height), scale);
    gst_video_overlay_composition_add_rectangle(m_composition.get(), rectangle);
    gst_video_overlay_rectangle_unref(rectangle);
  }
}

BufferPtr PlanarBlender::blended(const LaidOver& above, GstBuffer* picture, const GstVideoInfo& info,
                                 Orientation orientation) {
  if (!prepare(info)) return nullptr;
  if (above != m_above || orientation != m_orientation || !m_composition) {
    m_above = above;
    m_orientation = orientation;
    compose();
  }
  GstBufferPoolAcquireParams atOnce{};
  atOnce.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT;
  GstBuffer* raw = nullptr;
  if (gst_buffer_pool_acquire_buffer(m_pool.get(), &raw, &atOnce) != GST_FLOW_OK) return nullptr;
  BufferPtr copy(raw);
  GstVideoFrame from;
  GstVideoFrame to;
  if (gst_video_frame_map(&from, &info, picture, GST_MAP_READ) == FALSE) return nullptr;
  if (gst_video_frame_map(&to, &info, raw, GST_MAP_READWRITE) == FALSE) {
    gst_video_frame_unmap(&from);
    return nullptr;
  }
  (void)gst_video_frame_copy(&to, &from);
  (void)gst_video_overlay_composition_blend(m_composition.get(), &to);
  gst_video_frame_unmap(&to);
  gst_video_frame_unmap(&from);
  (void)gst_buffer_copy_into(raw, picture, GST_BUFFER_COPY_TIMESTAMPS, 0, static_cast<gsize>(-1));
  return copy;
}

}  // namespace tactus::plugins
