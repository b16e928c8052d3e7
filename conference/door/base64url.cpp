// SPDX-License-Identifier: Apache-2.0
#include "conference/door/base64url.h"

namespace tactus::conference {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string toBase64Url(std::span<const std::uint8_t> bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const std::uint8_t byte : bytes) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 6; count -= 6) text += kAlphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kAlphabet[bits << (6 - count) & 63];
  return text;
}

std::optional<std::vector<std::uint8_t>> fromBase64Url(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char letter : text) {
    const auto value = kAlphabet.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> count & 255));
  }
  const std::uint32_t left = bits & ((1u << count) - 1);
  if (count == 6 || left != 0) return std::nullopt;
  return bytes;
}

}  // namespace tactus::conference
