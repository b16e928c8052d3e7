// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QString>
#include <string_view>

namespace tactus::ui {

[[nodiscard]] inline QString text(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// $XDG_STATE_HOME/tactus/NAME
[[nodiscard]] inline QString stateFile(const char* name) {
  const QString home = qEnvironmentVariable("XDG_STATE_HOME", QDir::homePath() + "/.local/state");
  return home + "/tactus/" + QLatin1String(name);
}

}  // namespace tactus::ui
