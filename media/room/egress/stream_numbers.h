// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to media/room/egress.

#include "media/room/egress/rtp_rewriter.h"
#include "media/room/egress/whep_answer.h"

namespace tactus::media {

/// Random first numbers of a stream (RFC 3550, 5.1). Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] RtpPosition firstPosition();
/// Gives the streams of a track random SSRCs. Thread-safe: yes. Real-time-safe: no.
void chooseSsrcs(AgreedTrack& track);

}  // namespace tactus::media
