// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/av/av_handle.h"
#include "plugins/gst_handle.h"

namespace tactus::plugins::av {

/// How packets travel from `tactusavsrc` to `tactusavdec`: caps "video/x-tactus-packets" or
/// "audio/x-tactus-packets", whose fields are codec (libavcodec's name), media-type (GStreamer's),
/// stream-format, width, height, framerate, rate, channels, codec_data, and parameters, which are the
/// stream's AVCodecParameters. A buffer is one AVPacket with all it has (side data, flags, signed times in
/// nanoseconds).

/// The caps of pictures and of sound, any of them. The caller owns the reference.
[[nodiscard]] GstCaps* packetCaps();

/// `rate`: pictures a second, 0/1 where the container does not say. Thread-safe: yes.
[[nodiscard]] CapsPtr capsOf(const AVCodecParameters& parameters, AVRational rate);
/// The parameters in the caps, borrowed from them; null in caps of another origin.
[[nodiscard]] const AVCodecParameters* parametersOf(const GstCaps* caps) noexcept;
/// Pictures a second in the caps; 0/1 where they do not say.
[[nodiscard]] AVRational rateOf(const GstCaps* caps) noexcept;

/// A buffer of the packet, whose times are already in nanoseconds; no byte is copied.
[[nodiscard]] BufferPtr bufferOf(PacketPtr packet);
/// The packet in the buffer, borrowed from it; null in buffers of another origin.
[[nodiscard]] const AVPacket* packetOf(GstBuffer* buffer) noexcept;

/// The film's tags from this packet on; null: they stay as they were.
void attachTags(AVPacket& packet, TagListPtr tags);
[[nodiscard]] TagListPtr tagsOf(const AVPacket& packet);

}  // namespace tactus::plugins::av
