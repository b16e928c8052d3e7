// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/track_ids.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tactus::media {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

bool namesTrack(std::string_view line) {
  if (line.starts_with("a=msid:") || line.starts_with("a=msid-semantic")) return true;
  return line.starts_with("a=ssrc:") && line.find(" msid:") != std::string_view::npos;
}

}  // namespace

std::string withTrackIds(const std::string& offer, const std::vector<std::string>& cids) {
  std::string text;
  std::size_t media = 0;
  std::string_view rest = offer;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(kLineEnd), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + kLineEnd.size(), rest.size()));
    if (namesTrack(line)) continue;
    text += line;
    text += kLineEnd;
    if (!line.starts_with("m=")) continue;
    if (media < cids.size()) text += "a=msid:- " + cids[media] + std::string(kLineEnd);
    ++media;
  }
  return text;
}

}  // namespace tactus::media
