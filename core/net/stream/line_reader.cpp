// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/line_reader.h"

#include <algorithm>

namespace tactus::net {

std::size_t LineReader::push(std::string_view bytes) {
  if (m_error) return bytes.size();
  const std::size_t taken = std::min(bytes.size(), m_bytes.size() - m_size);
  std::copy_n(bytes.data(), taken, m_bytes.data() + m_size);
  m_size += taken;
  return taken;
}

Result<std::optional<std::string>> LineReader::pop() {
  if (m_error) return *m_error;
  for (std::size_t i = 0; i < m_size; ++i) {
    if (m_bytes[i] == '\n') {
      std::string line(m_bytes.data(), i);
      std::copy(m_bytes.data() + i + 1, m_bytes.data() + m_size, m_bytes.data());
      m_size -= i + 1;
      return std::optional<std::string>(std::move(line));
    }
    if (m_bytes[i] < ' ' || m_bytes[i] > '~') {
      m_error = Error{ErrorCode::Corrupt,
                      "A line of the control connection has a byte that is no printable ASCII."};
      return *m_error;
    }
  }
  if (m_size == m_bytes.size()) {
    m_error = Error{ErrorCode::Corrupt, "A line of the control connection is longer than " +
                                            std::to_string(kLongestLine) + " bytes."};
    return *m_error;
  }
  return std::optional<std::string>();
}

}  // namespace tactus::net
