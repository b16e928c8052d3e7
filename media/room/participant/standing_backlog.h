// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace tactus::media {

/// What stands in a queue of samples that is filled in bursts and emptied piece by piece: the least that has
/// waited over a time is needed by nobody, and only makes all that follows late (as CoDel has it, RFC 8289).
/// Pure. Thread-safe: no. Real-time-safe: yes.
class StandingBacklog {
 public:
  /// `piece`: samples that are taken at once; where fewer wait, none is. `time`: in samples.
  StandingBacklog(std::size_t piece, std::size_t time) noexcept : m_piece(piece), m_time(time) {}

  /// So many came, and then so many were asked for. Returns how many of those that come next are to be left
  /// out: what stands but for one piece, once it is two at least.
  [[nodiscard]] std::size_t passed(std::size_t came, std::size_t asked) noexcept {
    m_waits += came;
    for (m_asked += asked; m_asked >= m_piece; m_asked -= m_piece)
      if (m_waits >= m_piece) m_waits -= m_piece;
    m_least = m_passed == 0 ? m_waits : std::min(m_least, m_waits);
    m_passed += asked;
    if (m_passed < m_time) return 0;
    m_passed = 0;
    return m_least >= 2 * m_piece ? m_least - m_piece : 0;
  }
  [[nodiscard]] std::size_t waits() const noexcept { return m_waits; }

 private:
  const std::size_t m_piece, m_time;
  std::size_t m_waits = 0, m_asked = 0;
  std::size_t m_least = 0, m_passed = 0;  // since the last time was over
};

}  // namespace tactus::media
