// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "conference/door/token.h"
#include "core/periodic/result.h"

namespace tactus::conference {

/// The link of an invitation: "https://HOST:PORT/r/TOKEN#sha256=FINGERPRINT". A browser opens it as it is,
/// and does not send what follows the "#"; Tactus accepts the certificate with that fingerprint and no other.
/// Plain data. Thread-safe: no.
struct RoomLink {
  std::string host;  ///< a name in small letters, or a numeric address, of IPv6 without brackets and zone
  std::uint16_t port = 443;
  Token token;
  /// SHA-256 of the certificate's DER in base64url; empty: the link has none, so that the host cannot be told
  /// from an impostor.
  std::string fingerprint;

  /// The link as it is given away. Thread-safe: yes.
  [[nodiscard]] std::string text() const;
  /// The link without fingerprint: what the paths of the room begin with. Thread-safe: yes.
  [[nodiscard]] std::string base() const;
  /// Spaces around it, capitals in scheme and host, percent-encoded letters, a "/" at the end, a missing port
  /// (443), a query and further parts of the fragment are tolerated. InvalidArgument: it is no link to a
  /// room; the sentence says what is wrong with it, and never repeats the token. Thread-safe: yes.
  /// Real-time-safe: no.
  [[nodiscard]] static Result<RoomLink> parse(std::string_view text);
};

}  // namespace tactus::conference
