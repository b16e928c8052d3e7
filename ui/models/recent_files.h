// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace tactus::ui {

/// What was opened lately and where it was left, in one JSON file. A damaged file is set aside, not an error.
class RecentFiles {
 public:
  explicit RecentFiles(QString path);
  /// $XDG_STATE_HOME/tactus/recent.json
  [[nodiscard]] static QString defaultPath();

  [[nodiscard]] QStringList items() const;
  void add(const QString& uri);
  /// Seconds at which to go on; 0 when it was not kept.
  [[nodiscard]] double position(const QString& uri) const;
  void setPosition(const QString& uri, double seconds);
  void clear();

 private:
  struct Entry {
    QString uri;
    double position = 0;
  };
  void load();
  void save() const;
  QString m_path;
  std::vector<Entry> m_entries;  // newest first
};

}  // namespace tactus::ui
