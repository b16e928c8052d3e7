// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/result.h"
#include "media/room/track_feed.h"

namespace tactus::media {

/// A codec that a receiver offers to take (RFC 8866, 6.6 and 6.15).
struct WhepCodec {
  std::uint8_t payloadType = 0;
  std::string encoding = {};
  std::uint32_t clockRate = 0;
  std::uint32_t channels = 0;                           ///< 0: not said
  std::string parameters = {};                          ///< of fmtp
  std::vector<std::string> feedback = {};               ///< of rtcp-fb: "nack pli"
  std::optional<std::uint8_t> retransmissionType = {};  ///< payload type of RFC 4588
};

/// One media section of an offer.
struct WhepMedia {
  std::string media = {};  ///< "audio", "video", "application"
  std::string protocol = {};
  std::string mid = {};
  bool receives = false;  ///< recvonly or sendrecv, and not rejected
  std::vector<WhepCodec> codecs = {};
  std::optional<std::uint8_t> transportNumberId = {};  ///< of the TWCC extension
  std::optional<std::uint8_t> midId = {};              ///< of the MID extension
};

/// The hash of a peer's certificate (RFC 8122, 5).
struct CertificateFingerprint {
  std::string hash = {};  ///< "sha-256"
  std::vector<std::uint8_t> bytes = {};
  friend bool operator==(const CertificateFingerprint&, const CertificateFingerprint&) = default;
};

/// Who of two peers begins the DTLS handshake (RFC 8842).
enum class DtlsSetup : std::uint8_t {
  Either,  ///< actpass: the answerer chooses
  Active,  ///< the offerer does
  Passive  ///< the answerer does
};

/// What a subscriber offers to receive (RFC 9725 and draft-ietf-wish-whep; JSEP, RFC 8829), as far as an
/// answer needs it: media in one bundle, on one port with its RTCP.
struct WhepOffer {
  std::string iceUser = {}, icePassword = {};
  CertificateFingerprint fingerprint = {};
  DtlsSetup setup = DtlsSetup::Either;
  std::vector<std::string> candidates = {};  ///< UDP, as "candidate:..."
  std::vector<WhepMedia> media = {};
};

/// An offer is no longer than this.
inline constexpr std::size_t kLongestWhepOffer = 64 * 1024;

/// Corrupt: it is no session description. Unsupported: it is one that no answer is possible to; the message
/// says what is missing. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] Result<WhepOffer> readWhepOffer(std::string_view description);

}  // namespace tactus::media
