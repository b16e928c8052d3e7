// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace tactus::media {

/// How loud samples are: 0 (at most -50 dB of full scale, as the noise of a room is) to 1 (full scale),
/// linear in dB, by their mean square. No samples are silence. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] double loudnessOf(std::span<const std::int16_t> samples) noexcept;

}  // namespace tactus::media
