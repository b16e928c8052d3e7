// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/result.h"
#include "media/room/ingest/offered_media.h"

namespace tactus::media {

/// What a publisher offers to send (RFC 9725, 4.2): checked, and without anything that we do not use. One
/// track of sound, one of pictures, or both, bundled. Pictures may come in two sizes: two media of the same
/// encoding, the larger first, the other half as wide and high.
struct PublishOffer {
  std::vector<OfferedMedia> media = {};

  /// An offer is smaller: Chromium's of both kinds has 6 kB. In bytes.
  static constexpr std::size_t kLargest = 64 * 1024;
  static constexpr std::size_t kMostMedia = 3;
};

/// Reads an offer from a stranger. Errors: Corrupt: it is no SDP; InvalidArgument: one sentence that says
/// what is wrong or missing. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<PublishOffer> readPublishOffer(std::string_view sdp);
/// The offer written anew, of checked values alone: nothing else of what the stranger wrote is read by the
/// media stack. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] std::string sdpOf(const PublishOffer& offer);

}  // namespace tactus::media
