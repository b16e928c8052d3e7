// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/sdp/sdp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "media/room/track_feed.h"

namespace tactus::media {

/// One m= section of a publisher's offer, as far as we use it: each value has been checked, and nothing else
/// of the section is kept.
struct OfferedMedia {
  TrackFormat format = {};                                     ///< the first offered that we take
  int payload = 0;                                             ///< of `format`
  std::optional<int> retransmission = {};                      ///< payload type of its RTX (RFC 4588)
  std::optional<int> transportWideId = {};                     ///< extension id of the TWCC numbers
  std::vector<std::string> feedback = {};                      ///< rtcp-fb of `payload` that we know
  std::string mid = {};                                        ///< RFC 5888
  std::string user = {}, password = {};                        ///< of ICE (RFC 8839)
  std::string fingerprint = {};                                ///< "sha-256 AA:BB..." (RFC 8122)
  std::string setup = {};                                      ///< DTLS role (RFC 4145)
  std::vector<std::string> candidates = {};                    ///< values of a=candidate: UDP, addresses only
  std::vector<std::pair<std::uint32_t, std::string>> sources;  ///< SSRC and CNAME (RFC 5576)
  std::optional<std::pair<std::uint32_t, std::uint32_t>> retransmissionOf = {};  ///< FID group
};

/// The section as far as we use it; what it lacks is taken from the session (RFC 8839, 5.4; RFC 8122, 5).
/// Errors: one sentence that names what is wrong. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<OfferedMedia> readOfferedMedia(const GstSDPMessage& session, const GstSDPMedia& media);

}  // namespace tactus::media
