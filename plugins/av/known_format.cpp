// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/known_format.h"

#include "plugins/pixel_formats.h"

namespace tactus::plugins::av {

FramePtr KnownFormat::of(FramePtr picture) {
  const auto format = static_cast<AVPixelFormat>(picture->format);
  if (formatOf(format) != GST_VIDEO_FORMAT_UNKNOWN && picture->linesize[0] > 0) return picture;
  FramePtr converted(av_frame_alloc());
  if (!converted) return nullptr;
  converted->format = nearestFormat(format);
  converted->width = picture->width;
  converted->height = picture->height;
  m_scaler.reset(sws_getCachedContext(
      m_scaler.release(), picture->width, picture->height, format, picture->width, picture->height,
      static_cast<AVPixelFormat>(converted->format), SWS_POINT, nullptr, nullptr, nullptr));
  if (!m_scaler || av_frame_get_buffer(converted.get(), 0) < 0 ||
      av_frame_copy_props(converted.get(), picture.get()) < 0)
    return nullptr;
  const int lines = sws_scale(m_scaler.get(), picture->data, picture->linesize, 0, picture->height,
                              converted->data, converted->linesize);
  return lines == picture->height ? std::move(converted) : nullptr;
}

}  // namespace tactus::plugins::av
