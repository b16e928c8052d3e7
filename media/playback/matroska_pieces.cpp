// SPDX-License-Identifier: Apache-2.0
#include "media/playback/matroska_pieces.h"

namespace tactus::media::testing {
namespace {

constexpr std::string_view kSegment = "\x18\x53\x80\x67";

}  // namespace

std::string big(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text.push_back(static_cast<char>(value >> 8 * i));
  return text;
}

std::string elementHead(std::string_view id, std::uint64_t size) {
  return std::string(id) + big(size | std::uint64_t{1} << 56, 8);
}

std::string element(std::string_view id, const std::string& body) {
  return elementHead(id, body.size()) + body;
}

std::string attachment(const std::string& name, const std::string& type, const std::string& bytes) {
  return element("\x61\xa7", element("\x46\x6e", name) + element("\x46\x60", type) +
                                 element("\x46\x5c", bytes) + element("\x46\xae", big(7, 8)));
}

std::string chapter(std::uint64_t number, std::uint64_t begin, std::uint64_t end, const std::string& title) {
  const std::string shown = element("\x85", title) + element("\x43\x7c", "eng");
  return element("\xb6", element("\x73\xc4", big(number, 8)) + element("\x91", big(begin, 8)) +
                             element("\x92", big(end, 8)) + element("\x80", shown));
}

/// What names the tracks in a seek head begins with "53 ab 84". The film's size is not told any more.
std::string withElements(std::string film, const std::string& elements) {
  auto at = film.find(matroska::kTracks);
  while (at != std::string::npos && at > 0 && film[at - 1] == '\x84')
    at = film.find(matroska::kTracks, at + 1);
  film.insert(at, elements);
  return film.replace(film.find(kSegment) + kSegment.size(), 8, big(~std::uint64_t{0} >> 7, 8));
}

}  // namespace tactus::media::testing
