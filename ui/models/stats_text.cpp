// SPDX-License-Identifier: Apache-2.0
#include "ui/models/stats_text.h"

#include "ui/models/text.h"

namespace tactus::ui {
namespace {

using plugins::DropReason;

QString taskLine(const periodic::TaskReport& task) {
  const auto& figures = task.statistics;
  const double cpu = figures.packets > 0
                         ? periodic::inMilliseconds(figures.cpuTime) / static_cast<double>(figures.packets)
                         : 0;
  // A laxity is read from its bad end: 99 % of the packets had at least the second figure.
  return QStringLiteral("%1 %2 %3 %4 %5 %6 %7\n")
      .arg(QString::fromStdString(task.contract.name).left(22), -22)
      .arg(figures.misses, 6)
      .arg(periodic::inMilliseconds(figures.laxity.p50), 7, 'f', 1)
      .arg(periodic::inMilliseconds(figures.laxity.p1), 7, 'f', 1)
      .arg(periodic::inMilliseconds(figures.laxity.minimum), 7, 'f', 1)
      .arg(cpu, 7, 'f', 2)
      .arg(task.reserved ? QString::number(shareOf(task.parts) * 100, 'f', 1) + u'%' : QStringLiteral("none"),
           7);
}

}  // namespace

QString statsText(const media::PlayerStatistics& player, const std::vector<periodic::TaskReport>& window,
                  const periodic::KernelClassGate& gate, const QString& output) {
  QString text =
      QStringLiteral("%1 of %2 fps   %3 shown   %4\n")
          .arg(player.presentedRate, 0, 'f', 1)
          .arg(player.nominalRate > 0 ? QString::number(player.nominalRate, 'g', 4) : QStringLiteral("?"))
          .arg(player.presented)
          .arg(QString::fromStdString(player.engine + (player.device.empty() ? "" : " " + player.device)));
  text += QStringLiteral("stage                  misses   lax50   lax99   worst  CPU/fr    resv\n");
  for (const auto& task : player.stages) {
    if (task.statistics.packets > 0) text += taskLine(task);
  }
  for (const auto& task : window) text += taskLine(task);
  QString drops;
  for (std::size_t i = 0; i < player.dropped.size(); ++i) {
    if (player.dropped[i] == 0) continue;
    drops += QStringLiteral("dropped %1: %2\n")
                 .arg(player.dropped[i])
                 .arg(QLatin1String(nameOf(static_cast<DropReason>(i))));
  }
  text += drops.isEmpty() ? QStringLiteral("nothing dropped\n") : drops;
  if (player.memory > 0)
    text += QStringLiteral("memory promised: %1\n")
                .arg(QString::fromStdString(periodic::bytesInWords(static_cast<double>(player.memory))));
  if (!player.whyNoDevice.empty())
    text += QStringLiteral("software decodes: %1\n").arg(QString::fromStdString(player.whyNoDevice));
  if (!player.audioReason.empty())
    text += QStringLiteral("no sound: %1\n").arg(QString::fromStdString(player.audioReason));
  for (const auto& task : player.stages) {
    if (!task.refusal.empty()) text += QString::fromStdString(task.refusal) + u'\n';
  }
  const std::string_view kernel = nameOf(gate.granted());
  text += QStringLiteral("kernel class %1")
              .arg(QString::fromUtf8(kernel.data(), static_cast<qsizetype>(kernel.size())));
  for (const auto& refusal : gate.refusals())
    text += QStringLiteral("\n  %1").arg(QString::fromStdString(refusal.reason));
  return text + QStringLiteral("\n%1").arg(output);
}

}  // namespace tactus::ui
