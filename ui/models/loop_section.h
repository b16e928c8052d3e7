// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::ui {

/// The part of a film that is played again and again, from A to B; mpv's A-B loop. Times in seconds. A plain
/// value.
class LoopSection {
 public:
  enum class Marked { Start, End, Nothing };

  /// Marks A, then B, then neither; tells what was marked. B lies at least 0.1 s after A.
  Marked mark(double position);
  void clear() { *this = {}; }

  [[nodiscard]] double start() const { return m_start; }  ///< -1 = not marked
  [[nodiscard]] double end() const { return m_end; }
  /// B is reached, and it goes on at A.
  [[nodiscard]] bool goesBackAt(double position) const { return m_end > m_start && position >= m_end; }

 private:
  double m_start = -1, m_end = -1;
};

}  // namespace tactus::ui
