// SPDX-License-Identifier: Apache-2.0
#include "ui/models/key_table.h"

#include <QKeySequence>

namespace tactus::ui {

void KeyTable::add(const QStringList& keys, int row) {
  for (const QString& key : keys) {
    if (key.size() == 1) {
      m_typed.insert(key, row);
    } else {
      m_pressed.insert(QKeySequence::fromString(key, QKeySequence::PortableText)[0].toCombined(), row);
    }
  }
}

std::optional<int> KeyTable::rowOf(int key, Qt::KeyboardModifiers modifiers, const QString& text) const {
  const auto pressed = [this](int combined) {
    const auto found = m_pressed.constFind(combined);
    return found != m_pressed.constEnd() ? std::optional(*found) : std::nullopt;
  };
  if (modifiers.testFlag(Qt::ControlModifier)) return pressed(Qt::CTRL | key);
  if (modifiers.testFlag(Qt::AltModifier) || modifiers.testFlag(Qt::MetaModifier)) return std::nullopt;
  if (modifiers.testFlag(Qt::ShiftModifier))
    if (const auto shifted = pressed(Qt::SHIFT | key)) return shifted;
  if (const auto plain = pressed(key)) return plain;
  const auto typed = m_typed.constFind(text);
  return typed != m_typed.constEnd() ? std::optional(*typed) : std::nullopt;
}

QStringList shownKeys(const QStringList& keys) {
  QStringList shown;
  for (QString key : keys) {
    if (key.contains(QLatin1StringView("Media "))) continue;
    key.replace(QLatin1StringView("Left"), QStringLiteral("\u2190"));
    key.replace(QLatin1StringView("Right"), QStringLiteral("\u2192"));
    key.replace(QLatin1StringView("PgUp"), QStringLiteral("Pg\u2191"));
    key.replace(QLatin1StringView("PgDown"), QStringLiteral("Pg\u2193"));
    if (key == QLatin1StringView("Up")) key = QStringLiteral("\u2191");
    if (key == QLatin1StringView("Down")) key = QStringLiteral("\u2193");
    shown.append(key);
  }
  return shown;
}

}  // namespace tactus::ui
