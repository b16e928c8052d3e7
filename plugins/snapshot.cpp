// SPDX-License-Identifier: Apache-2.0
#include "plugins/snapshot.h"

#include <gst/video/video.h>

#include "plugins/video_converter.h"

namespace tactus::plugins {

Result<Rgb32Picture> snapshotOf(GstSample* sample, Orientation orientation) {
  GstVideoInfo info{};
  if (sample == nullptr || gst_sample_get_buffer(sample) == nullptr ||
      gst_sample_get_caps(sample) == nullptr ||
      !gst_video_info_from_caps(&info, gst_sample_get_caps(sample))) {
    return Error{ErrorCode::Unavailable, "There is no picture yet."};
  }
  VideoConverter converter;
  if (auto ready = converter.configure(info, orientation); !ready.ok()) return ready.error();
  Rgb32Picture picture;
  picture.width = converter.width();
  picture.height = converter.height();
  picture.stride = static_cast<int>(alignedRow(picture.width));
  picture.pixels = allocatePicture(alignedRow(picture.width), picture.height);
  GstVideoFrame frame;
  if (!picture.pixels || !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ))
    return Error{ErrorCode::System, "There is no memory for pictures of this size."};
  converter.convert(frame, {picture.pixels.get(), picture.width, picture.height, picture.stride});
  gst_video_frame_unmap(&frame);
  return picture;
}

}  // namespace tactus::plugins
