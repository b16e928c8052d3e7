// SPDX-License-Identifier: Apache-2.0
#include "ui/models/load_model.h"

#include <QDateTime>
#include <QMetaObject>
#include <algorithm>
#include <iterator>

#include "ui/models/text.h"

namespace tactus::ui {
namespace {

constexpr int kMostHistory = 200;
// Told apart by most who do not see all colours (Okabe, Ito).
constexpr const char* kColours[] = {"#56b4e9", "#e69f00", "#009e73", "#f0e442",
                                    "#cc79a7", "#d55e00", "#0072b2", "#b0b0b0"};

QString orDash(bool known, const QString& figure) {
  return known ? figure : QStringLiteral("\u2013");
}

QVariantMap rowOf(const periodic::TaskReport& task) {
  using periodic::inMilliseconds;
  const auto& figures = task.statistics;
  const bool placed = task.reserved && !task.parts.empty();
  const double typical = figures.processing ? inMilliseconds(figures.processing->typical) : 0;
  return {{"name", QString::fromStdString(task.contract.name)},
          {"share", orDash(placed, QString::number(shareOf(task.parts) * 100, 'f', 1) + " %")},
          {"cpu", orDash(placed, placed ? QString::number(task.parts.front().cpu) : QString())},
          {"period", QString::number(inMilliseconds(task.contract.lbap.rate.period()), 'f', 1)},
          {"processing", orDash(figures.processing.has_value(), QString::number(typical, 'f', 2))},
          {"kernel", text(nameOf(task.kernelClass)) +
                         (task.priority > 0 ? QStringLiteral(" %1").arg(task.priority) : QString())},
          {"laxity",
           orDash(figures.laxity.count > 0, QString::number(inMilliseconds(figures.laxity.p1), 'f', 1))},
          {"misses", QString::number(figures.misses)},
          {"refusal", QString::fromStdString(task.refusal)}};
}

}  // namespace

LoadModel::LoadModel(periodic::Scheduler& scheduler, periodic::QosEvents& events, Films films)
    : m_scheduler(scheduler), m_events(events), m_tellFilms(std::move(films)) {
  m_timer.setInterval(1000);
  connect(&m_timer, &QTimer::timeout, this, &LoadModel::refresh);
  m_qosSubscription =
      m_events.watch("load window", [this](const periodic::QosEvent& event) { remember(event.sentence); });
  m_schedulerSubscription =
      m_scheduler.subscribe([this](const periodic::SchedulerEvent& event) { remember(event.sentence); });
}

LoadModel::~LoadModel() {
  m_scheduler.unsubscribe(m_schedulerSubscription);
  m_events.unsubscribe(m_qosSubscription);
}

void LoadModel::remember(const std::string& sentence) {
  const QString line = QDateTime::currentDateTime().toString("hh:mm:ss  ") + QString::fromStdString(sentence);
  QMetaObject::invokeMethod(
      this,
      [this, line] {
        m_history.prepend(line);
        while (m_history.size() > kMostHistory) m_history.removeLast();
        Q_EMIT historyChanged();
      },
      Qt::QueuedConnection);
}

void LoadModel::setWatched(bool watched) {
  if (watched == m_watched) return;
  m_watched = watched;
  if (watched) {
    for (auto& [film, history] : m_histories) history.forgetLook();
    m_network.forgetLook();
    (void)m_processors.use();
    m_last = periodic::MonotonicClock::now();
    m_timer.start();
    refresh();
  } else {
    m_timer.stop();
  }
  Q_EMIT changed();
}

QVariantList LoadModel::series(QVariantMap (FilmHistory::*values)() const) const {
  QVariantList list;
  for (const auto& [film, history] : m_histories) list.append((history.*values)());
  return list;
}

void LoadModel::refresh() {
  const periodic::TimePoint now = periodic::MonotonicClock::now();
  const double seconds = periodic::inSeconds(now - m_last);
  m_last = now;
  lookAtFilms(seconds);
  lookAtTasks();
  lookAtMemory();
  if (m_tellNetwork) m_network.look(m_tellNetwork(), seconds);
  Q_EMIT changed();
}

void LoadModel::lookAtFilms(double seconds) {
  const auto films = m_tellFilms();
  m_films.clear();
  for (const auto& film : films) {
    auto found = m_histories.find(film.film);
    if (found == m_histories.end()) {
      const QString colour = QLatin1String(kColours[m_nextColour++ % std::size(kColours)]);
      found = m_histories.emplace(film.film, FilmHistory(colour)).first;
    }
    m_films.append(found->second.look(film, seconds));
  }
  std::erase_if(m_histories, [&](const auto& each) {
    return std::none_of(films.begin(), films.end(),
                        [&](const FilmLoad& film) { return film.film == each.first; });
  });
}

void LoadModel::lookAtTasks() {
  std::map<int, double> reserved;
  for (const int cpu : m_scheduler.policy().cpus) reserved[cpu] = 0;
  m_tasks.clear();
  for (const auto& task : m_scheduler.report()) {
    for (const auto& each : task.parts) reserved[each.cpu] += periodic::shareOf({&each, 1});
    m_tasks.append(rowOf(task));
  }
  QStringList shares;
  for (const auto& [cpu, share] : reserved)
    if (cpu >= 0) shares.append(tr("%1: %2 % reserved").arg(cpu).arg(share * 100, 0, 'f', 0));
  m_machine = tr("Processors %1 % busy   %2   kernel class %3")
                  .arg(m_processors.use().all * 100, 0, 'f', 0)
                  .arg(shares.join(QStringLiteral(", ")), text(nameOf(m_scheduler.gate().granted())));
}

void LoadModel::lookAtMemory() {
  const auto inWords = [](double bytes) { return QString::fromStdString(periodic::bytesInWords(bytes)); };
  const auto memory = m_scheduler.memory()->standing();
  m_memory = tr("Memory: %1 promised").arg(inWords(memory.held));
  if (memory.left) m_memory += tr(", %1 left").arg(inWords(*memory.left));
}

}  // namespace tactus::ui
