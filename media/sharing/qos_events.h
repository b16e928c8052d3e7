// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// What made a window give way or miss its deadlines.
enum class QosCause {
  None,
  Windows,        ///< other windows of ours use the processors
  OtherPrograms,  ///< somebody else does
  Source,         ///< disk or network deliver too slowly
  Display,        ///< pictures are ready in time and are drawn late
};
[[nodiscard]] std::string_view nameOf(QosCause cause) noexcept;  // "windows", "other programs", ...

/// Something that happened to a window's quality, for people and for programs.
struct QosEvent {
  enum class Kind {
    Violation,      ///< several deadlines were missed within a short time
    Recovered,      ///< none any more
    Thinned,        ///< fewer pictures are shown than the film has
    KeyframesOnly,  ///< the last stage: nothing but keyframes is decoded
    Whole,          ///< every picture is shown again
    Refused,        ///< there is no room for it beside the others: it waits
    Admitted,       ///< after it was refused
  } kind = Kind::Violation;
  std::uint64_t window = 0;
  std::string name;  ///< of the window
  QosCause cause = QosCause::None;
  double frequency = 1;  ///< share of the pictures that is shown from now on
  std::uint64_t misses = 0;
  periodic::TimePoint at{};
  std::string sentence;  ///< whole, for people
};
[[nodiscard]] std::string_view nameOf(QosEvent::Kind kind) noexcept;  // "violation", "recovered", ...

/// Hands events to whoever wants them, each on a thread of its own, outside real time: a handler that blocks
/// holds up nobody else (its events beyond 256 are dropped and counted), one that throws is let go of.
/// Thread-safe: yes. Real-time-safe: no.
class QosEvents {
 public:
  using Handler = std::function<void(const QosEvent&)>;
  QosEvents() = default;
  /// Waits for handlers that are at work.
  ~QosEvents();
  QosEvents(const QosEvents&) = delete;
  QosEvents& operator=(const QosEvents&) = delete;

  /// Who subscribes to watch, or to act on violations instead of the default.
  enum class Role { Watches, Acts };
  /// `name` is what complaints about the handler call it.
  std::uint64_t subscribe(std::string name, Handler handler, Role role = Role::Acts);
  /// Waits for the handler if it is at work; not from within it. An unknown number does nothing.
  void unsubscribe(std::uint64_t subscription);
  void publish(const QosEvent& event);
  /// Whether anybody acts on events.
  [[nodiscard]] bool handled() const;
  /// Sentences about handlers that threw or were too slow; taken away by the call.
  [[nodiscard]] std::vector<std::string> complaints();

 private:
  struct Subscriber {
    std::string name;
    Handler handler;
    Role role = Role::Acts;
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<QosEvent> waiting;  // guarded by mutex
    std::uint64_t dropped = 0;     // guarded by mutex
    bool quit = false;             // guarded by mutex
    std::thread thread;
  };
  void run(Subscriber& subscriber);
  void complain(std::string sentence);
  static void end(Subscriber& subscriber);

  mutable std::mutex m_mutex;  // guards what follows
  std::map<std::uint64_t, std::unique_ptr<Subscriber>> m_subscribers;
  std::uint64_t m_next = 1;
  std::mutex m_complaintsMutex;
  std::vector<std::string> m_complaints;
};

}  // namespace tactus::media
