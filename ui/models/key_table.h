// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <Qt>
#include <optional>

namespace tactus::ui {

/// Which row of a table a key means. A key of one character is what the key types, all else is a key by
/// itself, as QKeySequence writes it; with Ctrl, or with Shift where there is such a row, a key is pressed.
/// Thread-safe: as a value.
class KeyTable {
 public:
  void add(const QStringList& keys, int row);
  [[nodiscard]] std::optional<int> rowOf(int key, Qt::KeyboardModifiers modifiers, const QString& text) const;

 private:
  QHash<QString, int> m_typed;
  QHash<int, int> m_pressed;  // by Qt::Key with its modifiers
};

/// As people read them: arrows as such, and no multimedia keys, which have their own sign on them.
[[nodiscard]] QStringList shownKeys(const QStringList& keys);

}  // namespace tactus::ui
