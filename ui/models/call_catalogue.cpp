// SPDX-License-Identifier: Apache-2.0
#include "ui/models/call_catalogue.h"

#include <QCoreApplication>
#include <cstring>

#include "ui/models/call_actions.h"
#include "ui/models/key_table.h"

namespace tactus::ui {

QString CallCatalogue::text(const QString& name) {
  const auto* action = callActionNamed(name);
  return action != nullptr ? textOf(*action) : QString();
}

/// What the other buttons show depends on the call.
QString CallCatalogue::icon(const QString& name) {
  return name.startsWith(QLatin1String("priority-")) && callActionNamed(name) != nullptr ? name : QString();
}

QString CallCatalogue::keys(const QString& name) {
  const auto* action = callActionNamed(name);
  return action != nullptr ? shownKeys(keysOf(*action)).join(QStringLiteral(", ")) : QString();
}

QVariantList CallCatalogue::sheet() {
  QVariantList groups;
  QVariantList rows;
  const CallAction* before = nullptr;
  const auto finishGroup = [&] {
    if (before == nullptr) return;
    const QString title = QCoreApplication::translate("CallAction", before->group);
    groups.append(QVariantMap{{"title", title}, {"rows", rows}});
    rows.clear();
  };
  for (const auto& action : callActions()) {
    if (before != nullptr && std::strcmp(before->group, action.group) != 0) finishGroup();
    const QString keys = shownKeys(keysOf(action)).join(QStringLiteral(", "));
    rows.append(QVariantMap{{"keys", keys}, {"help", textOf(action)}});
    before = &action;
  }
  finishGroup();
  return groups;
}

}  // namespace tactus::ui
