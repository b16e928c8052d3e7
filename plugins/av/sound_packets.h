// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/periodic/time/time.h"
#include "plugins/av/av_handle.h"

namespace tactus::plugins::av {

// What packets of sound say of themselves that containers do not. Thread-safe: yes (pure).

/// The rate of the sound whose header the packet is; 0 = it is none. Chained Ogg counts each part in its own
/// rate, and libavformat all in the first one's.
[[nodiscard]] int headerRate(const AVPacket& packet, AVCodecID codec);
/// MP4 says by the duration of AAC's last packet what is to be heard of it; libavcodec heeds it as padding
/// alone, which this makes of it. (Other codecs decode no more than that.)
void notePadding(AVPacket& packet, const AVStream& stream);
/// `counted` without the padding of its encoder, which some containers count and others do not.
[[nodiscard]] periodic::Duration lengthOf(const AVPacket& packet, const AVCodecParameters& sound,
                                          periodic::Duration counted);

}  // namespace tactus::plugins::av
