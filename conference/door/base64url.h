// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::conference {

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5).
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] std::string toBase64Url(std::span<const std::uint8_t> bytes);

/// The bytes, if `text` is what toBase64Url() makes of them: other letters, padding, a length that no bytes
/// have, and bits left over that are not zero are refused.
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> fromBase64Url(std::string_view text);

}  // namespace tactus::conference
