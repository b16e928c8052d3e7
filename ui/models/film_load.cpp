// SPDX-License-Identifier: Apache-2.0
#include "ui/models/film_load.h"

#include <QCoreApplication>
#include <algorithm>
#include <limits>

#include "core/periodic/task/memory_share.h"
#include "ui/models/plot_axis.h"

namespace tactus::ui {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
/// Looks closer together than this (s) show no figures: one picture more or less would be a large part.
constexpr double kShortestLook = 0.5;

QString text(Health health) {
  return health == Health::Good       ? QStringLiteral("good")
         : health == Health::Strained ? QStringLiteral("strained")
                                      : QStringLiteral("bad");
}

QString tr(const char* text) {
  return QCoreApplication::translate("FilmLoad", text);
}

double part(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

void append(std::deque<double>& values, double value) {
  values.push_back(value);
  while (values.size() > kPlotSeconds) values.pop_front();
}

}  // namespace

Health rateHealth(double part) noexcept {
  return part < 0.80 ? Health::Bad : part < 0.95 ? Health::Strained : Health::Good;
}

Health lossHealth(double part) noexcept {
  return part > 0.05 ? Health::Bad : part > 0.01 ? Health::Strained : Health::Good;
}

FilmHistory::Counts FilmHistory::countsOf(const media::PlayerStatistics& statistics) {
  using plugins::DropReason;
  const auto dropped = [&](DropReason reason) {
    return statistics.dropped[static_cast<std::size_t>(reason)];
  };
  Counts counts;
  counts.shown = statistics.presented;
  counts.lost =
      dropped(DropReason::LateAtDecoder) + dropped(DropReason::LateAtSink) + dropped(DropReason::DecodeError);
  counts.late = dropped(DropReason::Replaced);
  for (const auto& task : statistics.stages) {
    counts.cpu += periodic::inSeconds(task.statistics.cpuTime);
    if (task.contract.stage != periodic::Stage::VideoDisplay) continue;
    counts.late += task.statistics.misses;
    counts.laxities += task.statistics.laxity.count;
    counts.laxitySum += periodic::inMilliseconds(task.statistics.laxity.mean) *
                        static_cast<double>(task.statistics.laxity.count);
  }
  return counts;
}

/// Counters begin at 0 again with another film: then nothing is known of the laxity.
FilmHistory::Counts FilmHistory::between(const Counts& before, const Counts& now) {
  Counts passed;
  passed.shown = media::countedSince(now.shown, before.shown);
  passed.lost = media::countedSince(now.lost, before.lost);
  passed.late = media::countedSince(now.late, before.late);
  if (now.laxities >= before.laxities) {
    passed.laxities = now.laxities - before.laxities;
    passed.laxitySum = now.laxitySum - before.laxitySum;
  }
  passed.cpu = std::max(0.0, now.cpu - before.cpu);
  return passed;
}

void FilmHistory::keep(const Counts& passed, bool known, bool playing, double seconds) {
  append(m_rates, known && playing ? static_cast<double>(passed.shown) / seconds : kUnknown);
  append(m_laxities,
         known && passed.laxities > 0 ? passed.laxitySum / static_cast<double>(passed.laxities) : kUnknown);
  append(m_loads, known ? passed.cpu / seconds * 100 : kUnknown);
}

QVariantMap FilmHistory::look(const FilmLoad& now, double seconds) {
  const Counts counts = countsOf(now.statistics);
  const bool known = m_last.has_value() && seconds > kShortestLook;
  const Counts passed = between(m_last.value_or(counts), counts);
  m_last = counts;
  m_name = now.name;
  keep(passed, known, now.playing, seconds);
  return row(now, passed, known);
}

QVariantMap FilmHistory::row(const FilmLoad& now, const Counts& passed, bool known) const {
  const bool rated = known && now.playing;
  const double rate = m_rates.back();
  const double nominal = now.statistics.nominalRate;
  const double wanted = nominal * (now.window ? now.window->thinning.frequency : 1);
  const bool keyframes = now.window && now.window->thinning.lastRung;
  const double lost = part(passed.lost, passed.shown + passed.lost);
  const double late = part(passed.late, passed.shown + passed.late);
  QVariantMap row{{"name", now.name}, {"colour", m_colour}, {"priority", now.priority}};
  row["rate"] = !rated        ? QStringLiteral("\u2013")
                : nominal > 0 ? tr("%1 of %2").arg(rate, 0, 'f', 1).arg(nominal, 0, 'g', 4)
                              : QString::number(rate, 'f', 1);
  row["rateHealth"] = text(!rated || wanted <= 0 || keyframes ? Health::Good : rateHealth(rate / wanted));
  row["decode"] = known ? tr("%1 % lost").arg(lost * 100, 0, 'f', 1) : QString();
  row["decodeHealth"] = text(lossHealth(lost));
  row["display"] = known ? tr("%1 % late").arg(late * 100, 0, 'f', 1) : QString();
  row["displayHealth"] = text(lossHealth(late));
  row["source"] = now.buffering ? tr("waiting, %1 %").arg(*now.buffering) : tr("in time");
  row["sourceHealth"] = text(now.buffering ? Health::Bad : Health::Good);
  row["memory"] =
      now.statistics.memory > 0
          ? QString::fromStdString(periodic::bytesInWords(static_cast<double>(now.statistics.memory)))
          : QStringLiteral("\u2013");
  row["cpu"] = known ? tr("%1 %").arg(m_loads.back(), 0, 'f', 0) : QString();
  const auto* window = now.window ? &*now.window : nullptr;
  row["buffer"] = window != nullptr && window->playout
                      ? tr("%1 of %2 ms")
                            .arg(periodic::inMilliseconds(*window->playout), 0, 'f', 0)
                            .arg(periodic::inMilliseconds(window->longestPlayout), 0, 'f', 0)
                      : QString();
  row["says"] = window == nullptr
                    ? QString()
                    : QString::fromStdString(window->refusal ? window->refusal->sentence : window->sentence);
  return row;
}

QVariantMap FilmHistory::series(const std::deque<double>& values) const {
  return {{"name", m_name}, {"colour", m_colour}, {"values", QVariantList(values.begin(), values.end())}};
}

}  // namespace tactus::ui
