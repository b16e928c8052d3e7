// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// Whether a picture that needs no other begins with this payload of an RTP packet: of VP8 (RFC 7741, 4.2 and
/// 4.3); of H.264 (RFC 6184, 5), where it begins with its parameter sets or with the first IDR slice. False
/// for bytes that are neither. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] bool beginsVp8Keyframe(std::span<const std::byte> payload) TACTUS_REALTIME;
[[nodiscard]] bool beginsH264Keyframe(std::span<const std::byte> payload) TACTUS_REALTIME;

}  // namespace tactus::media
