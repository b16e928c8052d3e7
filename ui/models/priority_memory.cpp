// SPDX-License-Identifier: Apache-2.0
#include "ui/models/priority_memory.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>
#include <QUrl>
#include <algorithm>

#include "ui/models/text.h"

namespace tactus::ui {
namespace {

constexpr int kMostFilms = 500;

QJsonObject toJson(const media::WindowTerms& terms) {
  QJsonObject object{{"priority", text(nameOf(terms.priority))}};
  if (terms.leastFrequency) object["f_min"] = *terms.leastFrequency;
  if (terms.weight) object["weight"] = *terms.weight;
  if (terms.service) object["class"] = static_cast<int>(*terms.service);
  QJsonArray cpus;
  for (const int cpu : terms.cpus) cpus.append(cpu);
  if (!cpus.isEmpty()) object["cpus"] = cpus;
  return object;
}

std::optional<media::WindowTerms> fromJson(const QJsonObject& object) {
  const auto priority = media::priorityOf(object["priority"].toString().toStdString());
  if (!priority) return std::nullopt;
  media::WindowTerms terms;
  terms.priority = *priority;
  if (object.contains("f_min")) terms.leastFrequency = object["f_min"].toDouble();
  if (object.contains("weight")) terms.weight = object["weight"].toDouble();
  using periodic::ServiceClass;
  for (const auto each : {ServiceClass::Guaranteed, ServiceClass::Statistical, ServiceClass::BestEffort})
    if (object["class"].toInt(-1) == static_cast<int>(each)) terms.service = each;
  for (const auto& cpu : object["cpus"].toArray()) terms.cpus.push_back(cpu.toInt(-1));
  if (!validate(terms).ok()) return std::nullopt;
  return terms;
}

}  // namespace

QString PriorityMemory::defaultPath() {
  return stateFile("priorities.json");
}

QString PriorityMemory::roleOf(const QString& uri) {
  const QString scheme = QUrl(uri).scheme();
  return scheme.isEmpty() || scheme == "file" ? QStringLiteral("film") : QStringLiteral("stream");
}

QJsonObject PriorityMemory::read() const {
  QFile file(m_path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QJsonDocument::fromJson(file.readAll()).object();
}

void PriorityMemory::write(const QJsonObject& all) const {
  QDir().mkpath(QFileInfo(m_path).path());
  QSaveFile file(m_path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(QJsonDocument(all).toJson());
  file.commit();
}

std::optional<media::WindowTerms> PriorityMemory::recall(const QString& uri) const {
  const QJsonObject all = read();
  for (const auto& film : all["films"].toArray())
    if (film.toObject()["uri"].toString() == uri) return fromJson(film.toObject());
  return fromJson(all["roles"].toObject()[roleOf(uri)].toObject());
}

void PriorityMemory::keep(const QString& uri, const media::WindowTerms& terms) {
  if (uri.isEmpty()) return;
  QJsonObject all = read();
  QJsonArray films;  // newest first
  QJsonObject newest = toJson(terms);
  newest["uri"] = uri;
  films.append(newest);
  for (const auto& film : all["films"].toArray())
    if (film.toObject()["uri"].toString() != uri && films.size() < kMostFilms) films.append(film);
  all["films"] = films;
  write(all);
}

void PriorityMemory::keepForRole(const QString& role, const media::WindowTerms& terms) {
  QJsonObject all = read();
  QJsonObject roles = all["roles"].toObject();
  roles[role] = toJson(terms);
  all["roles"] = roles;
  write(all);
}

}  // namespace tactus::ui
