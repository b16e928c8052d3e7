// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/sdp/sdp.h>

#include <optional>
#include <string>
#include <string_view>

#include "media/room/track_feed.h"

namespace tactus::media {

/// A format of an m= section, with its number.
struct NumberedFormat {
  int payload = 0;
  TrackFormat format = {};
};

/// The first format of the section that rooms carry: VP8, H.264 in constrained baseline profile, or Opus.
/// Absent if it offers none. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] std::optional<NumberedFormat> firstKnownFormat(const GstSDPMedia& media);
/// Payload type of the format that repeats packets of `payload` (RFC 4588, 8.1).
[[nodiscard]] std::optional<int> retransmissionOf(const GstSDPMedia& media, int payload);
/// True if any receiver of constrained baseline can decode it (RFC 6184, table 5). `parameters`: value of
/// fmtp.
[[nodiscard]] bool isConstrainedBaseline(std::string_view parameters);
/// What follows "PAYLOAD " in the section's attribute of this name; absent if there is none.
[[nodiscard]] std::optional<std::string> valueFor(const GstSDPMedia& media, const char* attribute,
                                                  int payload);
/// A number in decimal, of which nothing is left over; absent if it is none or larger than `largest`.
[[nodiscard]] std::optional<unsigned> readNumber(std::string_view text, unsigned largest);

}  // namespace tactus::media
