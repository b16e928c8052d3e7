// SPDX-License-Identifier: Apache-2.0
#include "plugins/sink_formats.h"

#include <string>

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

}  // namespace tactus::plugins
