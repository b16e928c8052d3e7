// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tactus::conference {

/// Whether `text` is UTF-8 (RFC 3629). Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] bool isUtf8(std::string_view text) noexcept;

/// A name as it is shown to others: without control characters, marks that turn the direction of writing
/// and characters without width, which make one name look like another; spaces at its ends are gone, several
/// in a row are one. May be empty. `text` is UTF-8. Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] std::string plainName(std::string_view text);

/// A line of chat as it is shown to others: as plainName(), but line feeds and tabs stay, and so do spaces.
/// Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] std::string plainText(std::string_view text);

}  // namespace tactus::conference
