// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tactus::net {

/// `text` fit for a terminal and a window: valid UTF-8 (RFC 3629) without control characters, at most `most`
/// bytes, cut between characters. A control character becomes a space, a byte that is no UTF-8 a '?'.
/// Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] std::string shownText(std::string_view text, std::size_t most);

}  // namespace tactus::net
