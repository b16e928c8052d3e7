// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QStringList>
#include <QVariantList>

namespace tactus::ui {

/// The table of a call's actions for QML, which knows it as "actions" in a call's window, as ActionCatalogue
/// is in the others. GUI thread.
class CallCatalogue : public QObject {
  Q_OBJECT
  Q_PROPERTY(QVariantList sheet READ sheet CONSTANT)

 public:
  using QObject::QObject;
  // Of the action of that name; empty where there is none.
  Q_INVOKABLE static QString text(const QString& name);
  Q_INVOKABLE static QString icon(const QString& name);
  Q_INVOKABLE static QString keys(const QString& name);
  /// As of ActionCatalogue.
  [[nodiscard]] static QVariantList sheet();
};

}  // namespace tactus::ui
