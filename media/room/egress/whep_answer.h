// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "media/room/egress/rtp_writer.h"
#include "media/room/egress/whep_offer.h"
#include "media/room/track_feed.h"

namespace tactus::media {

/// One track as a subscriber takes it.
struct AgreedTrack {
  std::size_t section = 0;  ///< of the offer's media
  WhepCodec codec = {};
  RtpStreamTerms stream = {};                         ///< SSRC 0 as long as nobody chose one
  std::optional<RtpStreamTerms> retransmission = {};  ///< RFC 4588; nullopt: the subscriber wants none
};

/// Finds a media section and a codec for each track, in their order; a section is for one track. Unsupported:
/// for one there is none, and the message says which. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] Result<std::vector<AgreedTrack>> agree(const WhepOffer& offer,
                                                     std::span<const TrackFormat> tracks);

/// What an answer says of our side of the transport.
struct AnswerTransport {
  std::string iceUser = {}, icePassword = {};
  CertificateFingerprint fingerprint = {};
  bool active = false;                       ///< we begin the handshake
  std::vector<std::string> candidates = {};  ///< "candidate:..."
  std::string name = {};                     ///< CNAME and stream: what is played in time with each other
};

/// The answer (RFC 8829, 5.3): sections without a track are rejected. Thread-safe: yes (pure).
/// Real-time-safe: no.
[[nodiscard]] std::string writeWhepAnswer(const WhepOffer& offer, std::span<const AgreedTrack> tracks,
                                          const AnswerTransport& transport);

}  // namespace tactus::media
