// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>
#include <optional>

#include "media/sharing/load_governor.h"

namespace tactus::ui {

/// What a user said of films and of kinds of windows before, in one JSON file that several processes may
/// share. A damaged file counts as empty, one that cannot be written loses the memory and nothing else. GUI
/// thread.
class PriorityMemory {
 public:
  explicit PriorityMemory(QString path) : m_path(std::move(path)) {}
  /// $XDG_STATE_HOME/tactus/priorities.json
  [[nodiscard]] static QString defaultPath();
  /// What kind of window shows this: "stream" for what comes over a network, else "film".
  [[nodiscard]] static QString roleOf(const QString& uri);

  /// The terms of this film, else of its kind of window; without a name.
  [[nodiscard]] std::optional<media::WindowTerms> recall(const QString& uri) const;
  void keep(const QString& uri, const media::WindowTerms& terms);
  void keepForRole(const QString& role, const media::WindowTerms& terms);

 private:
  [[nodiscard]] QJsonObject read() const;
  void write(const QJsonObject& all) const;
  QString m_path;
};

}  // namespace tactus::ui
