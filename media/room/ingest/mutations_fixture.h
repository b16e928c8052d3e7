// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>

namespace tactus::media {

/// One change of a kind that breaks parsers: bytes, numbers, lines that are missing, double, long or moved.
inline std::string mutated(std::string sdp, std::mt19937& random) {
  const auto below = [&random](std::size_t limit) { return random() % std::max<std::size_t>(1, limit); };
  const auto lineAt = [&sdp](std::size_t at) {
    const auto begin = sdp.rfind('\n', at) + 1;  // npos + 1 is 0
    return std::pair{begin, std::min(sdp.find('\n', begin), sdp.size() - 1) + 1 - begin};
  };
  const std::size_t at = below(sdp.size());
  const auto [begin, length] = lineAt(at > 0 ? at - 1 : 0);
  switch (below(9)) {
    case 0:
      sdp[at] = static_cast<char>(random());
      break;
    case 1:
      sdp.erase(at, below(40));
      break;
    case 2:
      sdp.insert(at, std::string(1 + below(3000), static_cast<char>('0' + below(75))));
      break;
    case 3:
      sdp.erase(begin, length);
      break;
    case 4:
      sdp.insert(begin, sdp.substr(begin, length));
      break;
    case 5:
      sdp.insert(begin, sdp.substr(below(sdp.size()), below(200)));
      break;
    case 6:
      sdp.resize(at);
      break;
    case 7:
      sdp.insert(at, "-2147483649 4294967296 %s%n ::: ;;= \r\r");
      break;
    default:
      sdp.insert(begin, "m=video 0 UDP/TLS/RTP/SAVPF\n");
  }
  return sdp.empty() ? "v" : sdp;
}

}  // namespace tactus::media
