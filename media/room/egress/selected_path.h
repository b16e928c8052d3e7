// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to media/room/egress.

#include <nice/agent.h>

#include <memory>

#include "media/room/egress/egress_channel.h"

namespace tactus::media {

/// The path of the pair that ICE has selected, with a socket of its own; null: none is selected. On the
/// agent's thread. Real-time-safe: no.
[[nodiscard]] std::shared_ptr<EgressPath> selectedPath(NiceAgent* agent, guint stream, guint component);

}  // namespace tactus::media
