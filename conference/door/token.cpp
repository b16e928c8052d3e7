// SPDX-License-Identifier: Apache-2.0
#include "conference/door/token.h"

#include <openssl/crypto.h>

#include <cstddef>

#include "conference/door/base64url.h"

namespace tactus::conference {
namespace {

constexpr std::size_t kFewestBytes = 16;
constexpr std::size_t kMostBytes = 64;

}  // namespace

std::optional<Token> Token::parse(std::string_view text) {
  if (text.size() > kMostBytes * 2) return std::nullopt;
  const auto bytes = fromBase64Url(text);
  if (!bytes || bytes->size() < kFewestBytes || bytes->size() > kMostBytes) return std::nullopt;
  return Token(std::string(text));
}

bool Token::equals(std::string_view text) const noexcept {
  return text.size() == m_text.size() && CRYPTO_memcmp(text.data(), m_text.data(), m_text.size()) == 0;
}

}  // namespace tactus::conference
