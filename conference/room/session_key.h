// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "conference/room/sid.h"

namespace tactus::conference {

/// Whether two secrets are equal; takes as long wherever they differ. How long they are may be found out.
/// Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] constexpr bool sameSecret(std::string_view one, std::string_view other) noexcept {
  if (one.size() != other.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  return difference == 0;
}

/// The secret of one participant's stay in a room: base64url of at least 128 random bits. Whoever has it
/// speaks for the participant, so it is neither logged nor shown, and no other participant learns it.
/// Thread-safe: no (as a value). Real-time-safe: no (allocates).
class SessionKey {
 public:
  static constexpr std::size_t kShortest = 22;  ///< characters: 128 bits
  static constexpr std::size_t kLongest = 64;   ///< characters

  /// No key: equals no key that parse() gives.
  SessionKey() = default;
  /// nullopt: `text` is no key.
  [[nodiscard]] static std::optional<SessionKey> parse(std::string_view text) {
    if (text.size() < kShortest || text.size() > kLongest || !isBase64Url(text)) return std::nullopt;
    return SessionKey(std::string(text));
  }
  /// The secret itself.
  [[nodiscard]] const std::string& secret() const noexcept { return m_secret; }
  [[nodiscard]] bool empty() const noexcept { return m_secret.empty(); }

  friend bool operator==(const SessionKey& one, const SessionKey& other) noexcept {
    return sameSecret(one.m_secret, other.m_secret);
  }

 private:
  explicit SessionKey(std::string secret) : m_secret(std::move(secret)) {}
  std::string m_secret;
};

}  // namespace tactus::conference
