// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever link a user pastes, and whatever bytes come on a WebSocket, in whatever pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "conference/door/room_link.h"
#include "conference/door/web_socket_frames.h"

namespace {

using namespace tactus::conference;

constexpr std::size_t kLargestMessage = 4096;

void require(bool holds) {
  if (!holds) std::abort();
}

void parseLink(std::string_view text) {
  const auto link = RoomLink::parse(text);
  if (!link.ok()) return require(!link.error().message.empty());
  const auto again = RoomLink::parse(link.value().text());
  require(again.ok() && again.value().text() == link.value().text());
}

void readFrames(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  const std::size_t piece = 1 + bytes.front();
  WebSocketReader reader(kLargestMessage);
  bool over = false;
  for (bytes = bytes.subspan(1); !bytes.empty(); bytes = bytes.subspan(std::min(piece, bytes.size()))) {
    reader.push(bytes.first(std::min(piece, bytes.size())));
    while (const auto event = reader.next()) {
      require(!over && event->text.size() <= kLargestMessage);
      over = event->kind == WebSocketEvent::Kind::Fault;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  parseLink({reinterpret_cast<const char*>(data), size});
  readFrames({data, size});
  return 0;
}
