// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/periodic/task/task.h"
#include "plugins/gst_handle.h"
#include "plugins/picture_filter.h"
#include "plugins/picture_overlay.h"
#include "plugins/snapshot.h"
#include "plugins/video_sink_statistics.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// Registers `tactusvideosink`, `tactusaudiosink` and `tactuslbap` in this process. Idempotent, thread-safe.
/// The same elements are in libgsttactus.so for gst-launch-1.0 and gst-inspect-1.0.
void registerElements();

/// `tactusvideosink` is a GstVideoSink. In wantsRgb32() mode it converts with swscale in prepare(), ahead of
/// the clock wait, so that only the hand-over happens at the display instant. A frame that arrives in PAUSED
/// is shown at once. Without a target it opens none: frames are counted and given up as Hidden. A target that
/// wants no RGB32 gets I420, NV12 or BGRx buffers; their GstVideoMeta has the strides. The film's orientation
/// tags are followed. The target is shared because the streaming thread may still hold it while a window
/// closes. Any thread.
void setVideoTarget(GstElement* sink, std::shared_ptr<VideoTarget> target);
/// The display stage's task: the sink calls pass() when a frame arrives and complete(due + one period) once
/// shown. Shared because the streaming thread may be inside it while the player swaps it. Null = none. Any
/// thread.
void setVideoSinkTask(GstElement* sink, std::shared_ptr<periodic::Task> task);
[[nodiscard]] VideoSinkStatistics videoSinkStatistics(GstElement* sink);
/// As it came from the decoder, and how it is shown.
struct ShownPicture {
  SamplePtr sample;  ///< null before the first
  Orientation orientation;
  LaidOver above;
};
/// The picture shown last. Any thread. Real-time-safe: no.
[[nodiscard]] ShownPicture shownPicture(GstElement* sink);
/// The picture shown last. Unavailable before the first. Any thread. Real-time-safe: no.
[[nodiscard]] Result<Rgb32Picture> snapshot(GstElement* sink);
/// Pictures that it gives up are dropped before they are converted, while the film plays. Shared with who
/// drops before decoding. Null = all are shown. Any thread.
void setPictureFilter(GstElement* sink, std::shared_ptr<PictureFilter> filter);
/// Draws what lies over the pictures. Shared with who gives it its orders. Null = nothing lies there. Any
/// thread.
void setPictureOverlay(GstElement* sink, std::shared_ptr<PictureOverlay> overlay);
/// Rotation; takes effect with the next frame and lasts until the next stream or orientation tag. Any thread.
void setOrientation(GstElement* sink, Orientation orientation);
/// Where a frame begins and ends, in ns of stream time. The first one after an exact seek begins at the
/// seek's target; its end is always its own.
struct FrameSpan {
  std::int64_t begin, end;
};
/// Called on the display thread with each frame shown; must be real-time-safe.
void setFrameShownCallback(GstElement* sink, std::function<void(FrameSpan)> callback);
/// Called on the display thread with the group id of a stream that begins, once the last picture of the one
/// before has had its time, and before the first of this one is prepared.
void setStreamCallback(GstElement* sink, std::function<void(guint)> callback);

}  // namespace tactus::plugins
