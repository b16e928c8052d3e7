// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever a participant says to a room, and a room to a participant.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "conference/room/client_message.h"
#include "conference/room/server_message.h"

namespace {

using namespace tactus::conference;

/// What was read is written so that the same is read.
template <typename Message>
void require(const tactus::Result<Message>& message, tactus::Result<Message> (*parse)(std::string_view)) {
  if (!message.ok()) {
    if (message.error().message.empty()) std::abort();
    return;
  }
  const auto again = parse(toJson(message.value()));
  if (!again.ok() || !(again.value() == message.value())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  require<ClientMessage>(parseClientMessage(json), parseClientMessage);
  require<ServerMessage>(parseServerMessage(json), parseServerMessage);
  return 0;
}
