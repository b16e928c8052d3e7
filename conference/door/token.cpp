// SPDX-License-Identifier: Apache-2.0
#include "conference/door/token.h"

#include <openssl/crypto.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "conference/door/base64url.h"

namespace tactus::conference {
namespace {

constexpr std::size_t kRandomBytes = 24;
constexpr std::size_t kFewestBytes = 16;
constexpr std::size_t kMostBytes = 64;

}  // namespace

Result<Token> Token::random() {
  std::array<std::uint8_t, kRandomBytes> bytes{};
  ssize_t got = 0;
  do {
    got = getrandom(bytes.data(), bytes.size(), 0);  // up to 256 bytes come whole, or not at all
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(bytes.size()))
    return Error{ErrorCode::System,
                 std::string("The kernel gives no random numbers: ") + std::strerror(errno)};
  return Token(toBase64Url(bytes));
}

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
