// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

namespace tactus::ui {

/// The files that a window plays one after another, which of them plays, and what comes at its end. A plain
/// value. The present one is at index(), or there is none (-1) and the list is empty or was just replaced.
class Playlist {
 public:
  /// What comes when the present item has played to its end.
  enum class AtEnd { Again, Next, Stop };

  void replace(QStringList items);
  /// False, and nothing changes, where there is no such item.
  bool moveTo(int index);
  void setLoop(bool loop) { m_loop = loop; }

  [[nodiscard]] int size() const { return static_cast<int>(m_items.size()); }
  [[nodiscard]] int index() const { return m_index; }
  [[nodiscard]] bool hasNext() const { return m_index + 1 < size(); }
  /// Empty where there is none.
  [[nodiscard]] QString current() const { return m_items.value(m_index); }
  [[nodiscard]] QString next() const { return m_items.value(m_index + 1); }
  /// The present item begins again at its end.
  [[nodiscard]] bool loop() const { return m_loop; }
  [[nodiscard]] AtEnd atEnd() const;

 private:
  QStringList m_items;
  int m_index = -1;
  bool m_loop = false;
};

}  // namespace tactus::ui
