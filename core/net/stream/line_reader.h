// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/periodic/result.h"

namespace tactus::net {

/// Bytes of a connection into lines of printable ASCII that end in '\n'. Holds kLongestLine bytes at most.
/// Thread-safe: no. Real-time-safe: no (lines are allocated).
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = 1024;  ///< bytes, with the '\n'

  /// Takes bytes as far as there is room and says how many: pop() all lines, then push the rest. After an
  /// error all are taken and forgotten.
  [[nodiscard]] std::size_t push(std::string_view bytes);
  /// The next line without its '\n'; nullopt: none is whole yet. Corrupt: a line is too long, or has a
  /// control character or a byte above 126; then the connection is no use, and the error stays.
  [[nodiscard]] Result<std::optional<std::string>> pop();

 private:
  std::array<char, kLongestLine> m_bytes{};
  std::size_t m_size = 0;
  std::optional<Error> m_error;
};

}  // namespace tactus::net
