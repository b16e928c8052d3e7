// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

#include "media/room/participant/outgoing_track.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// The formats of pictures that a receiver offers, the one preferred first, with those of their repetitions.
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] plugins::CapsPtr pictureFormats(const std::vector<VideoEncoding>& encodings);
/// The same of sound.
[[nodiscard]] plugins::CapsPtr soundFormats();
/// "VP8", "H264", "OPUS": of the packets that leave by this pad; empty: not known. Thread-safe: yes.
/// Real-time-safe: no.
[[nodiscard]] std::string encodingOf(GstPad* pad);

}  // namespace tactus::media
