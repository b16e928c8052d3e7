// SPDX-License-Identifier: Apache-2.0
#include "ui/models/call_memory.h"

#include <pwd.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include "ui/models/text.h"

namespace tactus::ui {
namespace {

std::optional<std::string> sourceOf(const QJsonValue& value) {
  return value.isString() ? std::optional(value.toString().toStdString()) : std::nullopt;
}

/// As the account says it, else as one logs in.
QString nameOfUser() {
  const passwd* account = getpwuid(getuid());
  if (account == nullptr) return {};
  const QString whole = QString::fromLocal8Bit(account->pw_gecos).section(',', 0, 0).trimmed();
  return whole.isEmpty() ? QString::fromLocal8Bit(account->pw_name) : whole;
}

}  // namespace

QString CallMemory::defaultPath() {
  return stateFile("call.json");
}

CallChoice CallMemory::recall() const {
  QFile file(m_path);
  QJsonObject object;
  if (file.open(QIODevice::ReadOnly)) object = QJsonDocument::fromJson(file.readAll()).object();
  CallChoice choice{object["name"].toString().trimmed(), sourceOf(object["camera"]),
                    sourceOf(object["microphone"]), object["originalSound"].toBool()};
  if (choice.name.isEmpty()) choice.name = nameOfUser();
  return choice;
}

void CallMemory::keep(const CallChoice& choice) const {
  QJsonObject object{{"name", choice.name}};
  if (choice.camera) object["camera"] = text(*choice.camera);
  if (choice.microphone) object["microphone"] = text(*choice.microphone);
  if (choice.originalSound) object["originalSound"] = true;
  QDir().mkpath(QFileInfo(m_path).path());
  QSaveFile file(m_path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(QJsonDocument(object).toJson());
  (void)file.commit();
}

}  // namespace tactus::ui
