// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/load_model.h"

#include <QDateTime>
#include <QMetaObject>
#include <algorithm>
#include <cmath>
#include <limits>

#include "media/sharing/governed_stream.h"
#include "ui/models/player_model.h"
#include "ui/models/text.h"
#include "ui/models/window_model.h"
#include "ui/windows/plot_item.h"
#include "ui/windows/viewer.h"

namespace tactus::ui {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostHistory = 200;
// Told apart by most who do not see all colours (Okabe, Ito).
constexpr const char* kColours[] = {"#56b4e9", "#e69f00", "#009e73", "#f0e442",
                                    "#cc79a7", "#d55e00", "#0072b2", "#b0b0b0"};

QString text(Health health) {
  return health == Health::Good       ? QStringLiteral("good")
         : health == Health::Strained ? QStringLiteral("strained")
                                      : QStringLiteral("bad");
}

double part(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

void keep(std::deque<double>& values, double value) {
  values.push_back(value);
  while (values.size() > PlotItem::kSeconds) values.pop_front();
}

}  // namespace

Health rateHealth(double part) noexcept {
  return part < 0.80 ? Health::Bad : part < 0.95 ? Health::Strained : Health::Good;
}

Health lossHealth(double part) noexcept {
  return part > 0.05 ? Health::Bad : part > 0.01 ? Health::Strained : Health::Good;
}

LoadModel::LoadModel(periodic::Scheduler& scheduler, media::QosEvents& events, Viewers viewers)
    : m_scheduler(scheduler), m_events(events), m_viewers(std::move(viewers)) {
  m_timer.setInterval(1000);
  connect(&m_timer, &QTimer::timeout, this, &LoadModel::refresh);
  m_subscription = m_events.subscribe(
      "load window",
      [this](const media::QosEvent& event) {
        const QString line =
            QDateTime::currentDateTime().toString("hh:mm:ss  ") + QString::fromStdString(event.sentence);
        QMetaObject::invokeMethod(
            this,
            [this, line] {
              m_history.prepend(line);
              while (m_history.size() > kMostHistory) m_history.removeLast();
              Q_EMIT historyChanged();
            },
            Qt::QueuedConnection);
      },
      media::QosEvents::Role::Watches);
}

LoadModel::~LoadModel() {
  m_events.unsubscribe(m_subscription);
}

void LoadModel::setWatched(bool watched) {
  if (watched == m_watched) return;
  m_watched = watched;
  if (watched) {
    // What happened meanwhile is no figure of one second.
    for (auto& [viewer, film] : m_byViewer) film.seen = false;
    (void)m_processors.use();
    m_last = periodic::MonotonicClock::now();
    m_timer.start();
    refresh();
  } else {
    m_timer.stop();
  }
  Q_EMIT changed();
}

QVariantList LoadModel::series(std::deque<double> Film::*values) const {
  QVariantList list;
  for (const auto& [viewer, film] : m_byViewer) {
    QVariantList numbers;
    for (const double value : film.*values) numbers.append(value);
    list.append(QVariantMap{{"name", film.name}, {"colour", film.colour}, {"values", numbers}});
  }
  return list;
}

QVariantMap LoadModel::describe(Film& film, Viewer& viewer, double seconds) {
  using plugins::DropReason;
  auto& model = viewer.model();
  const auto statistics = model.player()->statistics();
  const auto dropped = [&](DropReason reason) {
    return statistics.dropped[static_cast<std::size_t>(reason)];
  };
  Counts now;
  now.shown = statistics.presented;
  now.lost =
      dropped(DropReason::LateAtDecoder) + dropped(DropReason::LateAtSink) + dropped(DropReason::DecodeError);
  now.late = dropped(DropReason::Replaced);
  for (const auto& task : statistics.stages) {
    now.cpu += std::chrono::duration<double>(task.statistics.cpuTime).count();
    if (task.contract.stage != periodic::Stage::VideoDisplay) continue;
    now.late += task.statistics.misses;
    now.laxities += task.statistics.laxity.count;
    now.laxitySum += periodic::inMilliseconds(task.statistics.laxity.mean) *
                     static_cast<double>(task.statistics.laxity.count);
  }
  const Counts before = film.seen ? film.last : now;
  film.last = now;
  const std::uint64_t shown = media::countedSince(now.shown, before.shown);
  const std::uint64_t lost = media::countedSince(now.lost, before.lost);
  const std::uint64_t late = media::countedSince(now.late, before.late);
  const bool playing = model.playing();
  const bool known = std::exchange(film.seen, true) && seconds > 0.5;
  const double rate = known ? static_cast<double>(shown) / seconds : kUnknown;
  keep(film.rates, playing ? rate : kUnknown);
  const std::uint64_t laxities = media::countedSince(now.laxities, before.laxities);
  keep(film.laxities, known && laxities > 0 && now.laxities >= before.laxities
                          ? (now.laxitySum - before.laxitySum) / static_cast<double>(laxities)
                          : kUnknown);
  keep(film.loads, known ? std::max(0.0, now.cpu - before.cpu) / seconds * 100 : kUnknown);

  const auto* claim = viewer.claim();
  const auto state = claim != nullptr ? claim->state() : std::nullopt;
  const double nominal = statistics.nominalRate;
  const double wanted = nominal * (state ? state->thinning.frequency : 1);
  const bool keyframes = state && state->thinning.keyframesOnly;
  film.name = claim != nullptr ? QString::fromStdString(claim->terms().name) : model.title();
  QVariantMap row{{"name", film.name}, {"colour", film.colour}};
  row["priority"] = claim != nullptr ? claim->priority() : QString();
  row["rate"] = !playing || !known ? QStringLiteral("\u2013")
                : nominal > 0      ? tr("%1 of %2").arg(rate, 0, 'f', 1).arg(nominal, 0, 'g', 4)
                                   : QString::number(rate, 'f', 1);
  row["rateHealth"] =
      text(!playing || !known || wanted <= 0 || keyframes ? Health::Good : rateHealth(rate / wanted));
  row["decode"] = known ? tr("%1 % lost").arg(part(lost, shown + lost) * 100, 0, 'f', 1) : QString();
  row["decodeHealth"] = text(lossHealth(part(lost, shown + lost)));
  row["display"] = known ? tr("%1 % late").arg(part(late, shown + late) * 100, 0, 'f', 1) : QString();
  row["displayHealth"] = text(lossHealth(part(late, shown + late)));
  const bool buffering = model.state() == QLatin1String("buffering");
  row["source"] = buffering ? tr("waiting, %1 %").arg(model.buffering()) : tr("in time");
  row["sourceHealth"] = text(buffering ? Health::Bad : Health::Good);
  row["cpu"] = known ? tr("%1 %").arg(film.loads.back(), 0, 'f', 0) : QString();
  row["says"] =
      state ? QString::fromStdString(state->refusal ? state->refusal->sentence : state->sentence) : QString();
  return row;
}

void LoadModel::refresh() {
  const periodic::TimePoint now = periodic::MonotonicClock::now();
  const double seconds = std::chrono::duration<double>(now - m_last).count();
  m_last = now;
  m_films.clear();
  for (auto& [viewer, film] : m_byViewer) film.present = false;
  for (auto* viewer : m_viewers()) {
    auto& film = m_byViewer[viewer];
    if (film.colour.isEmpty()) film.colour = QLatin1String(kColours[m_nextColour++ % std::size(kColours)]);
    film.present = true;
    m_films.append(describe(film, *viewer, seconds));
  }
  std::erase_if(m_byViewer, [](const auto& each) { return !each.second.present; });

  const auto use = m_processors.use();
  const auto policy = m_scheduler.policy();
  std::map<int, double> reserved;
  for (const int cpu : policy.cpus) reserved[cpu] = 0;
  m_tasks.clear();
  for (const auto& task : m_scheduler.report()) {
    const auto& figures = task.statistics;
    for (const auto& each : task.parts) reserved[each.cpu] += periodic::shareOf({&each, 1});
    const bool placed = task.reserved && !task.parts.empty();
    m_tasks.append(QVariantMap{
        {"name", QString::fromStdString(task.contract.name)},
        {"share",
         placed ? QString::number(shareOf(task.parts) * 100, 'f', 1) + " %" : QStringLiteral("\u2013")},
        {"cpu", placed ? QString::number(task.parts.front().cpu) : QStringLiteral("\u2013")},
        {"period", QString::number(periodic::inMilliseconds(task.contract.lbap.rate.period()), 'f', 1)},
        {"processing", figures.processing
                           ? QString::number(periodic::inMilliseconds(figures.processing->typical), 'f', 2)
                           : QStringLiteral("\u2013")},
        {"kernel", text(nameOf(task.kernelClass)) +
                       (task.priority > 0 ? QStringLiteral(" %1").arg(task.priority) : QString())},
        {"laxity", figures.laxity.count > 0
                       ? QString::number(periodic::inMilliseconds(figures.laxity.p1), 'f', 1)
                       : QStringLiteral("\u2013")},
        {"misses", QString::number(figures.misses)},
        {"refusal", QString::fromStdString(task.refusal)}});
  }
  QStringList shares;
  for (const auto& [cpu, share] : reserved)
    if (cpu >= 0) shares.append(tr("%1: %2 % reserved").arg(cpu).arg(share * 100, 0, 'f', 0));
  m_machine = tr("Processors %1 % busy   %2   kernel class %3")
                  .arg(use.all * 100, 0, 'f', 0)
                  .arg(shares.join(QStringLiteral(", ")), text(nameOf(m_scheduler.gate().granted())));
  Q_EMIT changed();
}

}  // namespace tactus::ui
