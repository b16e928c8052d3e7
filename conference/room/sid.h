// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tactus::conference {

/// Letters, digits, '-' and '_': the characters of base64url (RFC 4648, 5). Thread-safe: yes.
[[nodiscard]] constexpr bool isBase64Url(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

/// The identifier that a room's server gives to something: a prefix that says what it is, then 1 to 61
/// characters of base64url. The names are LiveKit's ("PA_...", "TR_...").
/// Thread-safe: no (as a value). Real-time-safe: no (allocates).
template <typename Kind>
class Sid {
 public:
  static constexpr std::size_t kLongest = 64;  ///< bytes

  /// Identifies nothing; differs from each identifier that parse() gives.
  Sid() = default;
  /// nullopt: `text` is no identifier of this kind.
  [[nodiscard]] static std::optional<Sid> parse(std::string_view text) {
    if (text.size() <= Kind::kPrefix.size() || text.size() > kLongest) return std::nullopt;
    if (!text.starts_with(Kind::kPrefix) || !isBase64Url(text)) return std::nullopt;
    return Sid(std::string(text));
  }
  [[nodiscard]] const std::string& text() const noexcept { return m_text; }
  [[nodiscard]] bool empty() const noexcept { return m_text.empty(); }

  friend auto operator<=>(const Sid&, const Sid&) = default;

 private:
  explicit Sid(std::string text) : m_text(std::move(text)) {}
  std::string m_text;
};

struct ParticipantKind {
  static constexpr std::string_view kPrefix = "PA_";
};
struct TrackSidKind {
  static constexpr std::string_view kPrefix = "TR_";
};
struct InvitationKind {
  static constexpr std::string_view kPrefix = "IN_";
};

using ParticipantSid = Sid<ParticipantKind>;
using TrackSid = Sid<TrackSidKind>;
using InvitationSid = Sid<InvitationKind>;

}  // namespace tactus::conference
