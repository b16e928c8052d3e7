// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTimer>
#include <QVariantList>
#include <functional>
#include <map>
#include <vector>

#include "core/periodic/qos/qos_events.h"
#include "core/periodic/task/scheduler.h"
#include "media/sharing/load_governor.h"
#include "ui/models/film_load.h"
#include "ui/models/network_history.h"

namespace tactus::ui {

/// What the load window shows: a row of figures for every film, the last minute of frame rate, laxity and
/// processor time, all tasks with their reservations, streams and the link, and which film gave way for
/// which. Looks once a second while the window is open, else not at all. GUI thread.
class LoadModel : public QObject {
  Q_OBJECT
  Q_PROPERTY(QVariantList films READ films NOTIFY changed)
  Q_PROPERTY(QVariantList rates READ rates NOTIFY changed)
  Q_PROPERTY(QVariantList laxities READ laxities NOTIFY changed)
  Q_PROPERTY(QVariantList loads READ loads NOTIFY changed)
  Q_PROPERTY(QVariantList tasks READ tasks NOTIFY changed)
  Q_PROPERTY(QStringList history READ history NOTIFY historyChanged)
  Q_PROPERTY(QString machine READ machine NOTIFY changed)
  Q_PROPERTY(QString memory READ memory NOTIFY changed)
  Q_PROPERTY(QString link READ link NOTIFY changed)
  Q_PROPERTY(QVariantList linkClasses READ linkClasses NOTIFY changed)
  Q_PROPERTY(QVariantList streams READ streams NOTIFY changed)
  Q_PROPERTY(bool watched MEMBER m_watched WRITE setWatched NOTIFY changed)

 public:
  using Films = std::function<std::vector<FilmLoad>()>;
  /// `films` tells what all films do now; `scheduler` and `events` must outlive the model.
  LoadModel(periodic::Scheduler& scheduler, periodic::QosEvents& events, Films films);
  ~LoadModel() override;
  /// Tells what streams and the link do now; without it there are none. It outlives the model.
  using Network = std::function<media::NetworkLoad()>;
  void setNetwork(Network network) { m_tellNetwork = std::move(network); }

  [[nodiscard]] QVariantList films() const { return m_films; }
  [[nodiscard]] QVariantList rates() const { return series(&FilmHistory::rates); }
  [[nodiscard]] QVariantList laxities() const { return series(&FilmHistory::laxities); }
  [[nodiscard]] QVariantList loads() const { return series(&FilmHistory::loads); }
  [[nodiscard]] QVariantList tasks() const { return m_tasks; }
  [[nodiscard]] QStringList history() const { return m_history; }
  [[nodiscard]] QString machine() const { return m_machine; }
  /// "Memory: 412 MB promised, 5.1 GB left"
  [[nodiscard]] QString memory() const { return m_memory; }
  [[nodiscard]] QString link() const { return m_network.link(); }
  [[nodiscard]] QVariantList linkClasses() const { return m_network.classes(); }
  [[nodiscard]] QVariantList streams() const { return m_network.streams(); }
  void setWatched(bool watched);
  void refresh();

 Q_SIGNALS:
  void changed();
  void historyChanged();

 private:
  [[nodiscard]] QVariantList series(QVariantMap (FilmHistory::*values)() const) const;
  void lookAtFilms(double seconds);
  void lookAtTasks();
  void lookAtMemory();
  /// Any thread: the sentence stands first in the history.
  void remember(const std::string& sentence);

  periodic::Scheduler& m_scheduler;
  periodic::QosEvents& m_events;
  const Films m_tellFilms;
  Network m_tellNetwork;
  std::uint64_t m_qosSubscription = 0, m_schedulerSubscription = 0;
  std::map<const void*, FilmHistory> m_histories;  // by FilmLoad::film
  NetworkHistory m_network;
  media::ProcessorTimes m_processors;
  periodic::TimePoint m_last{};
  QVariantList m_films, m_tasks;
  QStringList m_history;  // newest first
  QString m_machine, m_memory;
  bool m_watched = false;
  int m_nextColour = 0;
  QTimer m_timer;
};

}  // namespace tactus::ui
