// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/spooled_source.h"

#include <algorithm>

namespace tactus::plugins::av {

int SpooledSource::read(std::span<std::uint8_t> into) {
  if (m_position == m_bytes.size()) {
    const int count = m_from->read(into);
    if (count <= 0) return count;
    m_bytes.insert(m_bytes.end(), into.begin(), into.begin() + count);
    m_position = m_bytes.size();
    return count;
  }
  const auto count = std::min(into.size(), m_bytes.size() - m_position);
  std::copy_n(m_bytes.begin() + static_cast<std::ptrdiff_t>(m_position), count, into.begin());
  m_position += count;
  return static_cast<int>(count);
}

bool SpooledSource::seek(std::int64_t position) {
  if (position < 0 || position > static_cast<std::int64_t>(m_bytes.size())) return false;
  m_position = static_cast<std::size_t>(position);
  return true;
}

}  // namespace tactus::plugins::av
