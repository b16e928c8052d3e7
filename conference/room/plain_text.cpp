// SPDX-License-Identifier: Apache-2.0
#include "conference/room/plain_text.h"

#include <cstddef>
#include <cstdint>

namespace tactus::conference {
namespace {

/// One character of UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;  ///< bytes; 0: there is none
};

/// The first character of `text`. Table 3-7 of Unicode: no overlong form, no surrogate, nothing above
/// U+10FFFF.
Character firstOf(std::string_view text) noexcept {
  const auto byteAt = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : std::uint32_t{0};
  };
  const std::uint32_t first = byteAt(0);
  if (first < 0x80) return {first, text.empty() ? std::size_t{0} : std::size_t{1}};
  if (first < 0xC2 || first > 0xF4) return {};
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byteAt(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byteAt(i) & 0x3F);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kSmallest[length] || code > 0x10FFFF || surrogate ? Character{} : Character{code, length};
}

bool isControl(std::uint32_t code) noexcept {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

/// Turns the direction of writing, or has no width. The joiners U+200C and U+200D stay: scripts need them.
bool isDisguise(std::uint32_t code) noexcept {
  return code == 0xAD || code == 0x61C || code == 0x180E || code == 0x200B || code == 0x200E ||
         code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) ||
         code == 0xFEFF;
}

bool isSpace(std::uint32_t code) noexcept {
  return code == 0x20 || (code >= 0x09 && code <= 0x0D) || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x202F || code == 0x205F || code == 0x3000;
}

}  // namespace

bool isUtf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const Character character = firstOf(text);
    if (character.length == 0) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

std::string plainName(std::string_view text) {
  std::string name;
  bool space = false;
  while (!text.empty()) {
    const Character character = firstOf(text);
    const std::size_t length = character.length == 0 ? 1 : character.length;
    if (isSpace(character.code)) {
      space = true;
    } else if (character.length > 0 && !isControl(character.code) && !isDisguise(character.code)) {
      if (space && !name.empty()) name += ' ';
      space = false;
      name += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return name;
}

std::string plainText(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const Character character = firstOf(text);
    const std::size_t length = character.length == 0 ? 1 : character.length;
    const bool kept = character.code == '\n' || character.code == '\t' ||
                      (!isControl(character.code) && !isDisguise(character.code));
    if (character.length > 0 && kept) plain += text.substr(0, length);
    text.remove_prefix(length);
  }
  return plain;
}

}  // namespace tactus::conference
