// SPDX-License-Identifier: Apache-2.0
#include "ui/models/action_catalogue.h"

#include <QCoreApplication>
#include <cstring>

#include "ui/models/actions.h"

namespace tactus::ui {
namespace {

/// Keys of two actions on one line; a modifier that both need is written once: "Ctrl+1  2".
QString joined(const QString& before, const QString& after) {
  const qsizetype modifier = before.indexOf('+') + 1;
  const bool shared = modifier > 1 && after.startsWith(before.first(modifier));
  return before + QStringLiteral("  ") + (shared ? after.sliced(modifier) : after);
}

}  // namespace

QString ActionCatalogue::text(const QString& name) {
  const auto* action = actionNamed(name);
  return action != nullptr ? textOf(*action) : QString();
}

QString ActionCatalogue::icon(const QString& name) {
  const auto* action = actionNamed(name);
  return action != nullptr ? QString::fromLatin1(action->icon) : QString();
}

QString ActionCatalogue::keys(const QString& name) {
  const auto* action = actionNamed(name);
  return action != nullptr ? shownKeysOf(*action).join(QStringLiteral(", ")) : QString();
}

QStringList ActionCatalogue::sequences(const QString& name) {
  const auto* action = actionNamed(name);
  return action != nullptr ? keysOf(*action) : QStringList();
}

QVariantList ActionCatalogue::sheet() {
  const auto translated = [](const char* text) { return QCoreApplication::translate("Action", text); };
  QVariantList groups;
  QVariantList rows;
  const Action* before = nullptr;
  const auto finishGroup = [&] {
    if (before != nullptr) groups.append(QVariantMap{{"title", translated(before->group)}, {"rows", rows}});
    rows.clear();
  };
  for (const auto& action : actions()) {
    QString keys = shownKeysOf(action).join(QStringLiteral(", "));
    if (keys.isEmpty()) continue;
    const bool sameGroup = before != nullptr && std::strcmp(before->group, action.group) == 0;
    if (!sameGroup) finishGroup();
    if (sameGroup && std::strcmp(before->help, action.help) == 0)
      keys = joined(rows.takeLast().toMap()["keys"].toString(), keys);
    rows.append(QVariantMap{{"keys", keys}, {"help", translated(action.help)}});
    before = &action;
  }
  finishGroup();
  return groups;
}

}  // namespace tactus::ui
