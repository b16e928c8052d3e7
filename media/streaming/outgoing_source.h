// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/net/stream/stream_contract.h"
#include "core/periodic/result.h"
#include "media/streaming/outgoing_stream.h"
#include "media/streaming/stream_sender.h"

namespace tactus::media {

/// What people name as a source: a film (a path), "camera" or "mic"; ./camera is a file of that name. The
/// errors are those of OutgoingFilm::open() and OutgoingCapture::open(). Blocking. Thread-safe: yes.
/// Real-time-safe: no.
[[nodiscard]] Result<std::unique_ptr<OutgoingStream>> openSource(const std::string& item,
                                                                 net::TransportKind transport);
/// What it has. Thread-safe: yes (pure).
[[nodiscard]] SentKind kindOf(std::string_view item) noexcept;

}  // namespace tactus::media
