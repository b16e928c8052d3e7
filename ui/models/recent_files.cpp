// SPDX-License-Identifier: Apache-2.0
#include "ui/models/recent_files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <algorithm>

#include "ui/models/text.h"

namespace tactus::ui {
namespace {

constexpr std::size_t kMost = 20;

}  // namespace

RecentFiles::RecentFiles(QString path) : m_path(std::move(path)) {
  load();
}

QString RecentFiles::defaultPath() {
  return stateFile("recent.json");
}

void RecentFiles::load() {
  QFile file(m_path);
  if (!file.open(QIODevice::ReadOnly)) return;
  QJsonParseError error{};
  const auto document = QJsonDocument::fromJson(file.readAll(), &error);
  if (error.error != QJsonParseError::NoError || !document.isArray()) {
    file.close();
    QFile::remove(m_path + ".damaged");
    QFile::rename(m_path, m_path + ".damaged");
    return;
  }
  for (const auto& value : document.array()) {
    const auto object = value.toObject();
    const QString uri = object["uri"].toString();
    if (uri.isEmpty() || m_entries.size() >= kMost) continue;
    m_entries.push_back({uri, std::max(0.0, object["position"].toDouble())});
  }
}

void RecentFiles::save() const {
  QDir().mkpath(QFileInfo(m_path).path());
  QSaveFile file(m_path);
  if (!file.open(QIODevice::WriteOnly)) return;  // a read-only home loses the list, nothing else
  QJsonArray list;
  for (const auto& entry : m_entries)
    list.append(QJsonObject{{"uri", entry.uri}, {"position", entry.position}});
  file.write(QJsonDocument(list).toJson());
  file.commit();
}

QStringList RecentFiles::items() const {
  QStringList list;
  for (const auto& entry : m_entries) list.append(entry.uri);
  return list;
}

void RecentFiles::add(const QString& uri) {
  if (uri.isEmpty()) return;
  const double kept = position(uri);
  std::erase_if(m_entries, [&](const Entry& entry) { return entry.uri == uri; });
  m_entries.insert(m_entries.begin(), {uri, kept});
  if (m_entries.size() > kMost) m_entries.resize(kMost);
  save();
}

double RecentFiles::position(const QString& uri) const {
  const auto found =
      std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) { return entry.uri == uri; });
  return found == m_entries.end() ? 0 : found->position;
}

void RecentFiles::setPosition(const QString& uri, double seconds) {
  for (auto& entry : m_entries) {
    if (entry.uri == uri) entry.position = std::max(0.0, seconds);
  }
  save();
}

void RecentFiles::clear() {
  m_entries.clear();
  save();
}

}  // namespace tactus::ui
