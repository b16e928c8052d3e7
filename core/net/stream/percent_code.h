// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tactus::net {

/// `bytes` as letters, digits and "-._~", each other byte as '%' and two hexadecimal digits (RFC 3986, 2.1 to
/// 2.3). Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] std::string percentEncoded(std::string_view bytes);

/// The bytes that `text` stands for; nullopt: a character that has to be encoded, or a '%' without two
/// digits. What is encoded without need is accepted. Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] std::optional<std::string> percentDecoded(std::string_view text);

}  // namespace tactus::net
