// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tactus::conference {

/// The secret of an invitation, as it stands in the link: at least 128 random bits in base64url. Whoever
/// knows it is invited. Plain data. Thread-safe: no.
class Token {
 public:
  /// Nothing unless `text` is base64url of 128 to 512 bits.
  [[nodiscard]] static std::optional<Token> parse(std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept { return m_text; }
  /// Whether `text` is this token, in a time that depends on the two lengths alone.
  /// Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] bool equals(std::string_view text) const noexcept;

 private:
  explicit Token(std::string text) : m_text(std::move(text)) {}

  std::string m_text;
};

}  // namespace tactus::conference
