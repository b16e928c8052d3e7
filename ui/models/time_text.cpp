// SPDX-License-Identifier: Apache-2.0
#include "ui/models/time_text.h"

#include <algorithm>

namespace tactus::ui {

QString timeText(double seconds) {
  const auto whole = static_cast<qint64>(std::max(0.0, seconds));
  const QString tail =
      QStringLiteral("%1:%2").arg(whole / 60 % 60, 2, 10, QChar('0')).arg(whole % 60, 2, 10, QChar('0'));
  return whole >= 3600 ? QString::number(whole / 3600) + ":" + tail : tail;
}

}  // namespace tactus::ui
