// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTimer>
#include <QVariantList>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "core/periodic/task/scheduler.h"
#include "media/sharing/load_governor.h"
#include "media/sharing/qos_events.h"

namespace tactus::ui {

class Viewer;

/// How good or bad a figure is, by the thresholds of OBS Studio.
enum class Health { Good, Strained, Bad };
/// Frame rate shown, as part of what the plan wants shown: below 95 % strained, below 80 % bad.
[[nodiscard]] Health rateHealth(double part) noexcept;
/// Pictures late or lost, as part of all: above 1 % strained, above 5 % bad.
[[nodiscard]] Health lossHealth(double part) noexcept;

/// What the load window shows: every film with what decoding, display and source make of it, the last minute
/// of frame rate, laxity and processor time, all tasks with their reservations, and who gave way for whom.
/// Looks once a second while somebody watches, else not at all. GUI thread.
class LoadModel : public QObject {
  Q_OBJECT
  Q_PROPERTY(QVariantList films READ films NOTIFY changed)
  Q_PROPERTY(QVariantList rates READ rates NOTIFY changed)
  Q_PROPERTY(QVariantList laxities READ laxities NOTIFY changed)
  Q_PROPERTY(QVariantList loads READ loads NOTIFY changed)
  Q_PROPERTY(QVariantList tasks READ tasks NOTIFY changed)
  Q_PROPERTY(QStringList history READ history NOTIFY historyChanged)
  Q_PROPERTY(QString machine READ machine NOTIFY changed)
  Q_PROPERTY(bool watched MEMBER m_watched WRITE setWatched NOTIFY changed)

 public:
  using Viewers = std::function<std::vector<Viewer*>()>;
  LoadModel(periodic::Scheduler& scheduler, media::QosEvents& events, Viewers viewers);
  ~LoadModel() override;

  [[nodiscard]] QVariantList films() const { return m_films; }
  [[nodiscard]] QVariantList rates() const { return series(&Film::rates); }
  [[nodiscard]] QVariantList laxities() const { return series(&Film::laxities); }
  [[nodiscard]] QVariantList loads() const { return series(&Film::loads); }
  [[nodiscard]] QVariantList tasks() const { return m_tasks; }
  [[nodiscard]] QStringList history() const { return m_history; }
  [[nodiscard]] QString machine() const { return m_machine; }
  void setWatched(bool watched);
  void refresh();

 Q_SIGNALS:
  void changed();
  void historyChanged();

 private:
  struct Counts {
    std::uint64_t shown = 0, late = 0, lost = 0;  // lost: before the display
    std::uint64_t laxities = 0;
    double laxitySum = 0;  // ms
    double cpu = 0;        // s
  };
  struct Film {
    QString name, colour;
    Counts last;
    bool seen = false, present = false;
    std::deque<double> rates, laxities, loads;  // a second each
  };
  [[nodiscard]] QVariantList series(std::deque<double> Film::*values) const;
  QVariantMap describe(Film& film, Viewer& viewer, double seconds);

  periodic::Scheduler& m_scheduler;
  media::QosEvents& m_events;
  const Viewers m_viewers;
  std::uint64_t m_subscription = 0;
  std::map<Viewer*, Film> m_byViewer;  // keys are compared, never followed, once the viewer has gone
  media::ProcessorTimes m_processors;
  periodic::TimePoint m_last{};
  QVariantList m_films, m_tasks;
  QStringList m_history;  // newest first
  QString m_machine;
  bool m_watched = false;
  int m_nextColour = 0;
  QTimer m_timer;
};

}  // namespace tactus::ui
