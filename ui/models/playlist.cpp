// SPDX-License-Identifier: Apache-2.0
#include "ui/models/playlist.h"

#include <utility>

namespace tactus::ui {

void Playlist::replace(QStringList items) {
  m_items = std::move(items);
  m_index = -1;
}

bool Playlist::moveTo(int index) {
  if (index < 0 || index >= size()) return false;
  m_index = index;
  return true;
}

Playlist::AtEnd Playlist::atEnd() const {
  if (m_loop) return AtEnd::Again;
  return hasNext() ? AtEnd::Next : AtEnd::Stop;
}

}  // namespace tactus::ui
