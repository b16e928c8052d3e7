// SPDX-License-Identifier: Apache-2.0
#include "plugins/sink_formats.h"

#include <string>

#include "plugins/clock_time.h"
#include "plugins/video_converter.h"

namespace tactus::plugins {

GstCaps* sinkCaps(bool planar) {
  const std::string formats = planar ? "{ I420, NV12, BGRx }" : VideoConverter::formats();
  const std::string text = "video/x-raw, format=(string)" + formats +
                           ", width=(int)[1, 32767], height=(int)[1, 32767], framerate=(fraction)[0/1, max]";
  return gst_caps_from_string(text.c_str());
}

bool planarTakes(GstVideoFormat format) noexcept {
  return format == GST_VIDEO_FORMAT_I420 || format == GST_VIDEO_FORMAT_NV12 ||
         format == GST_VIDEO_FORMAT_BGRx;
}

periodic::Duration frameDuration(const GstVideoInfo& info, GstBuffer* buffer) noexcept {
  if (const auto told = durationOf(GST_BUFFER_DURATION(buffer))) return *told;
  const int numerator = GST_VIDEO_INFO_FPS_N(&info);
  if (numerator <= 0) return std::chrono::milliseconds(40);
  return periodic::Duration(static_cast<std::int64_t>(
      gst_util_uint64_scale_int(GST_SECOND, GST_VIDEO_INFO_FPS_D(&info), numerator)));
}

}  // namespace tactus::plugins
