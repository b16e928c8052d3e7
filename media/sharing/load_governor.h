// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/qos/qos_events.h"
#include "core/periodic/task/scheduler.h"
#include "media/sharing/display_server.h"
#include "media/sharing/governed_window.h"
#include "media/sharing/load_law.h"
#include "media/sharing/processor_times.h"
#include "media/sharing/stream_teller.h"

namespace tactus::media {

using periodic::QosEvents;

/// Decides which windows give way, how much, and says why (RTSS, sections 4 and 5.2). The thin shell around
/// LoadLaw: a few times a second it reads what every window and the machine used, asks the law, and queues
/// what the streams are to be told. Whoever calls it changes plain state and waits for no stream;
/// StreamTeller calls the streams with no lock held, so that a stream, or whom it tells, may call the
/// governor.
///
/// Without a handler for its events, the period of a window that violates its contract is lengthened by 10
/// ms, again and again while that lasts, and then shortened step by step (RTSS, section 4.2). What handlers
/// want is carried out at the next look.
class LoadGovernor {
 public:
  struct Settings {
    double processors = 1;  ///< that the windows may use together
    Duration interval = std::chrono::milliseconds(200);
    Duration recovery = std::chrono::seconds(3);  ///< without a miss, and the violation is over
    LoadConstants constants = {};
    std::function<ProcessorUse()> busy = {};  ///< empty = /proc/stat
    /// Processor time that this program has used; empty = its clock.
    std::function<Duration()> own = {};
    /// What draws the windows: processor time that it has used, and waited for. Empty = nothing does.
    std::function<std::optional<ServerTimes>()> server = {};
    /// Where the governor's own thread is a task: it must decide even where nobody else gets a processor.
    /// Null = it has normal priority. Must outlive the governor.
    periodic::Scheduler* scheduler = nullptr;
  };
  /// `events` must outlive the governor. Starts no thread: start() does, or the caller steps.
  LoadGovernor(Settings settings, QosEvents& events);
  ~LoadGovernor();
  LoadGovernor(const LoadGovernor&) = delete;
  LoadGovernor& operator=(const LoadGovernor&) = delete;

  void start();
  /// Whether a window is one more that must fit beside the others, each time it gets another film; or is to
  /// play in any case, and all give way.
  enum class Entry { Admitted, Asks };
  /// `stream` must live until remove(), and is told at once how it is served. InvalidArgument as validate()
  /// says.
  [[nodiscard]] Result<std::uint64_t> add(GovernedStream& stream, WindowTerms terms,
                                          Entry entry = Entry::Admitted);
  /// Changes the terms that the patch names. A window that was refused and fits by its new terms goes on.
  /// InvalidArgument, which changes nothing, as validate() says; NotFound.
  [[nodiscard]] Result<void> amend(std::uint64_t window, const TermsPatch& patch);
  /// The refused window goes on all the same, and all give way. An unknown number does nothing.
  void admitAnyway(std::uint64_t window);
  /// The stream is not called any more. Waits for a call of it that is under way, unless it comes from within
  /// that call. An unknown number does nothing.
  void remove(std::uint64_t window);
  [[nodiscard]] std::vector<WindowState> windows() const;
  [[nodiscard]] std::optional<WindowState> window(std::uint64_t id) const;
  /// One look and, where needed, a new plan. By the thread of start(), or by a test; one at a time.
  void step(periodic::TimePoint now);

 private:
  using Figures = std::map<std::uint64_t, LoadFigures>;

  [[nodiscard]] MachineReading readMachine(Duration passed);
  void measureLocked(const Figures& figures, Duration passed, periodic::TimePoint now);
  [[nodiscard]] std::vector<WindowReading> readingsLocked() const;
  void actLocked(const std::vector<QosEvents::Wanted>& wanted);
  void admitLocked(periodic::TimePoint now);
  void judgeAdmissionLocked(GovernedWindow& window, periodic::TimePoint now);
  void applyLocked(const LoadPlan& plan, periodic::TimePoint now);
  void serveLocked();
  [[nodiscard]] StreamService serviceLocked(const GovernedWindow& window) const;
  void judgeLocked(GovernedWindow& window, periodic::TimePoint now);
  void run();

  const Settings m_settings;
  QosEvents& m_events;
  StreamTeller m_streams;
  // step() only.
  LoadLaw m_law;
  periodic::TimePoint m_lastStep{};
  Duration m_ownTime{0};
  ServerTimes m_serverTimes;

  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows; held for moments
  std::map<std::uint64_t, GovernedWindow> m_windows;   // the younger, the higher the number
  std::uint64_t m_next = 1;
  ProcessorUse m_busy;
  bool m_many = true;         // as the last plan said
  bool m_othersFill = false;  // as well
  bool m_quit = false;
  std::condition_variable_any m_wake;
  std::thread m_thread;
};

}  // namespace tactus::media
