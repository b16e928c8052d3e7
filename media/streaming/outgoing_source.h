// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/net/stream/stream_contract.h"
#include "core/periodic/result.h"
#include "media/streaming/outgoing_stream.h"

namespace tactus::media {

/// What people name as a source: the path of a film. The errors are those of OutgoingFilm::open(). Blocking.
/// Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<std::unique_ptr<OutgoingStream>> openSource(const std::string& item,
                                                                 net::TransportKind transport);
}  // namespace tactus::media
