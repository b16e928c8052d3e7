// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: messages of the room's protocol made by RapidCheck, all members within their ranges.

#include "conference/room/client_message.h"
#include "conference/room/server_message.h"

namespace tactus::conference::testing {

/// To be called within a property.
[[nodiscard]] ClientMessage anyClientMessage();
[[nodiscard]] ServerMessage anyServerMessage();

}  // namespace tactus::conference::testing
