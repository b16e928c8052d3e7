// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/shown_text.h"

namespace tactus::net {
namespace {

unsigned byteAt(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

/// Bytes of the UTF-8 character that `text` begins with; 0: it begins with none. Table 3-7 of Unicode: no
/// overlong form, no surrogate, nothing above U+10FFFF.
std::size_t characterLength(std::string_view text) {
  const unsigned first = byteAt(text, 0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  unsigned least = 0x80;
  unsigned largest = 0xBF;
  if (first == 0xE0) least = 0xA0;
  if (first == 0xED) largest = 0x9F;
  if (first == 0xF0) least = 0x90;
  if (first == 0xF4) largest = 0x8F;
  const unsigned second = byteAt(text, 1);
  if (second < least || second > largest) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (std::size_t i = 2; i < length; ++i)
    if ((byteAt(text, i) & 0xC0) != 0x80) return 0;
  return length;
}

/// Of ASCII, and U+0080 to U+009F, which terminals obey as well.
bool isControl(std::string_view character) {
  const unsigned first = byteAt(character, 0);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && byteAt(character, 1) < 0xA0);
}

}  // namespace

std::string shownText(std::string_view text, std::size_t most) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = characterLength(text);
    std::string_view character = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(character.size());
    if (length == 0) {
      character = "?";
    } else if (isControl(character)) {
      character = " ";
    }
    if (shown.size() + character.size() > most) break;
    shown += character;
  }
  return shown;
}

}  // namespace tactus::net
