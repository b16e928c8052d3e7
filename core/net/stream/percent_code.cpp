// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/percent_code.h"

namespace tactus::net {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";

/// No std::isalnum: the locale does not matter.
constexpr bool isUnreserved(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

/// -1: no hexadecimal digit.
constexpr int digitOf(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string percentEncoded(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    if (isUnreserved(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '%';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<std::string> percentDecoded(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (isUnreserved(text[i])) {
      bytes += text[i];
      continue;
    }
    if (text[i] != '%' || text.size() - i < 3) return std::nullopt;
    const int high = digitOf(text[i + 1]);
    const int low = digitOf(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return bytes;
}

}  // namespace tactus::net
