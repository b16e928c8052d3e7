// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/net/stream/stream_contract.h"
#include "core/periodic/result.h"
#include "media/streaming/outgoing_stream.h"

namespace tactus::media {

/// What people name as a source: the path of a film, "camera" or "mic", and these with ":" and a device
/// ("camera:/dev/video1", "mic:alsa_input.usb"); ./camera is a file of that name. The errors are those of
/// OutgoingFilm::open() and OutgoingCapture::open(). Blocking. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<std::unique_ptr<OutgoingStream>> openSource(const std::string& item,
                                                                 net::TransportKind transport);
}  // namespace tactus::media
