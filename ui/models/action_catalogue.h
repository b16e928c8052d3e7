// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QStringList>
#include <QVariantList>

namespace tactus::ui {

/// The table of actions for QML, which knows it as "actions". GUI thread.
class ActionCatalogue : public QObject {
  Q_OBJECT
  Q_PROPERTY(QVariantList sheet READ sheet CONSTANT)

 public:
  using QObject::QObject;
  // Of the action of that name; empty where there is none.
  Q_INVOKABLE static QString text(const QString& name);
  Q_INVOKABLE static QString icon(const QString& name);
  Q_INVOKABLE static QString keys(const QString& name);           ///< "f, F11"
  Q_INVOKABLE static QStringList sequences(const QString& name);  ///< for Shortcut
  /// The help sheet: maps of `title` and `rows`, which are maps of `keys` and `help`.
  [[nodiscard]] static QVariantList sheet();
};

}  // namespace tactus::ui
