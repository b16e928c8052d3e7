// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "media/stage/encoded_format.h"

namespace tactus::media {

/// Bytes that a stream of pictures takes at most, all stages together: packets read ahead, pictures that the
/// decoder keeps to refer to and to show in order, those that wait for the screen, and those converted for
/// it. `threads` decode; `queued` pictures fit between decoder and screen. Thread-safe: yes (pure).
[[nodiscard]] std::uint64_t memoryOf(const EncodedFormat& format, int threads, int queued) noexcept;

}  // namespace tactus::media
