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
#include "core/periodic/qos/load_controller.h"
#include "core/periodic/task/scheduler.h"
#include "media/sharing/governed_stream.h"
#include "media/sharing/last_stage.h"
#include "media/sharing/processor_times.h"
#include "media/sharing/qos_events.h"
#include "media/sharing/window_admission.h"
#include "media/sharing/window_meter.h"
#include "media/sharing/window_terms.h"

namespace tactus::media {

/// How a window fares.
struct WindowState {
  std::uint64_t id = 0;
  WindowTerms terms;
  Thinning thinning;
  double nominalRate = 0, shownRate = 0;  ///< pictures a second; 0 = unknown
  double load = 0;                        ///< processors it would use at f = 1
  bool violating = false;
  QosCause cause = QosCause::None;
  std::string sentence;                  ///< why it shows less than it could; empty = it is whole
  bool asks = false;                     ///< it is not known yet whether there is room for it
  std::optional<WindowRefusal> refusal;  ///< it waits, paused
};

/// Decides which windows give way, how much, and says why (RTSS, sections 4 and 5.2: the share of each stream
/// by its contract and the load). Looks five times a second at what every window uses and misses, lets
/// periodic::LoadController find the room and thins out by priority; reservations and groups of pictures go
/// last, those of Background windows before those of Normal ones, never those of High ones.
///
/// Without a handler for its events, a window that misses deadlines for another reason than the processors
/// has its period stretched by 10 ms, until it recovers (RTSS, section 4.3).
class LoadGovernor {
 public:
  struct Settings {
    double processors = 1;   ///< that the windows may use together
    double promised = 0.88;  ///< share of them that admission may promise (RTSS, section 4)
    Duration interval = std::chrono::milliseconds(200);
    Duration recovery = std::chrono::seconds(3);  ///< without a miss, and the violation is over
    std::function<ProcessorUse()> busy = {};      ///< empty = /proc/stat
    /// Where the governor's own thread is a task: it must decide even where nobody else gets a processor.
    /// Null = it has normal priority. Must outlive the governor.
    periodic::Scheduler* scheduler = nullptr;
    /// Processor time that this program has used; empty = its clock.
    std::function<Duration()> own = {};
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
  /// `stream` must live until remove(). The terms are applied at once; InvalidArgument as validate() says.
  [[nodiscard]] Result<std::uint64_t> add(GovernedStream& stream, WindowTerms terms,
                                          Entry entry = Entry::Admitted);
  /// A window that was refused and fits by its new terms goes on.
  [[nodiscard]] Result<void> setTerms(std::uint64_t window, WindowTerms terms);
  /// The refused window goes on all the same, and all give way. An unknown number does nothing.
  void admitAnyway(std::uint64_t window);
  /// Waits for a step under way. An unknown number does nothing.
  void remove(std::uint64_t window);
  [[nodiscard]] std::vector<WindowState> windows() const;
  [[nodiscard]] std::optional<WindowState> window(std::uint64_t id) const;
  /// One look and, where needed, a new plan. By the thread of start(), or by a test.
  void step(periodic::TimePoint now);

 private:
  struct Window {
    GovernedStream* stream;
    WindowState state;
    WindowMeter meter;
    periodic::TimePoint lastTold{};
    double told = 1;       ///< f that the last event said
    double stretched = 1;  ///< f by the default handler
    bool yields = false;   ///< is in the last stage
    Entry entry = Entry::Admitted;

    /// In the last stage, unless it has promised more: an f_min above a half is a promise that keyframes
    /// alone would break.
    [[nodiscard]] bool keyframesOnly() const noexcept {
      return yields && state.terms.leastFrequency.value_or(0) <= 0.5;
    }
    /// Processors that it takes at its f_min.
    [[nodiscard]] double promised() const noexcept;
  };
  void measureLocked(Window& window, periodic::TimePoint now);
  /// Processors that the windows may fill.
  [[nodiscard]] double usable() const noexcept;
  [[nodiscard]] bool anyBeginsLocked() const;
  void leaveRoomLocked();
  [[nodiscard]] periodic::LoadController::Observation observationLocked() const;
  [[nodiscard]] WindowClaim claimLocked(const Window& window) const;
  void admitLocked(periodic::TimePoint now);
  [[nodiscard]] double usualFloorLocked() const;
  void chooseLastStageLocked(bool atFloor, bool missing, periodic::TimePoint now);
  void serveLocked(Window& window) const;
  void serveAllLocked();
  void reserveLocked(double planned);
  void judgeLocked(Window& window, periodic::TimePoint now);
  void explainLocked(Window& window) const;
  void tellLocked(Window& window, QosEvent::Kind kind, periodic::TimePoint now);
  void run();

  const Settings m_settings;
  QosEvents& m_events;
  double m_usable = 0.9;  // part of the processors that the windows may fill, guarded by m_mutex
  mutable periodic::PriorityInheritanceMutex
      m_mutex;  // guards everything below; held while streams are asked and told
  std::map<std::uint64_t, Window> m_windows;
  periodic::LoadController m_controller;
  std::uint64_t m_next = 1;
  periodic::TimePoint m_lastStep{};
  LastStage m_lastStage;
  ProcessorUse m_busy;
  double m_own = 0;             // processors
  double m_beside = 0;          // processors that the program takes beside its films, lately
  double m_used = 0;            // by the program, lately
  double m_idle = 0;            // that nobody used, lately
  bool m_tight = true;          // so much is planned that few reservations by a high quantile would fit
  bool m_othersFillIt = false;  // programs that are not ours use most of the processors
  Duration m_ownTime{0};
  bool m_quit = false;
  std::condition_variable_any m_wake;
  std::thread m_thread;
};

}  // namespace tactus::media
