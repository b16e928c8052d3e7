// SPDX-License-Identifier: Apache-2.0
#include "ui/models/loop_section.h"

#include <algorithm>

namespace tactus::ui {
namespace {

constexpr double kShortest = 0.1;

}  // namespace

LoopSection::Marked LoopSection::mark(double position) {
  if (m_start < 0) {
    m_start = position;
    return Marked::Start;
  }
  if (m_end < 0) {
    m_end = std::max(position, m_start + kShortest);
    return Marked::End;
  }
  clear();
  return Marked::Nothing;
}

}  // namespace tactus::ui
