// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/periodic/qos/qos_event.h"

namespace tactus::periodic {

/// Tells QoS events to watchers and handlers, each on a thread of its own, outside real time: one that blocks
/// holds up nobody else (its events beyond 256 are dropped and counted), one that throws gets no more events.
/// What handlers want done waits here until the streams' owner takes it: a handler never calls into a stream.
/// Thread-safe: yes. Real-time-safe: no.
class QosEvents {
 public:
  using Watcher = std::function<void(const QosEvent&)>;
  /// Decides about an event, at leisure; without a value it leaves the stream as it is.
  using Handler = std::function<std::optional<QosAction>(const QosEvent&)>;
  /// An action, and who wants it.
  struct Wanted {
    std::uint64_t stream = 0;
    std::string handler;
    QosAction action;
  };
  QosEvents() = default;
  /// Waits for handlers that are at work.
  ~QosEvents();
  QosEvents(const QosEvents&) = delete;
  QosEvents& operator=(const QosEvents&) = delete;

  /// `name` is what complaints call it.
  std::uint64_t watch(std::string name, Watcher watcher);
  /// In place of the default for the violations of one stream, or of all (RTSS, section 4.1:
  /// attach_qos_handler). `name` is what complaints and sentences call it.
  std::uint64_t attach(std::string name, Handler handler, std::optional<std::uint64_t> stream = {});
  /// Waits for the watcher or handler if it is at work; not from within it. An unknown number does nothing.
  void unsubscribe(std::uint64_t subscription);

  void publish(const QosEvent& event);
  /// Whether a handler is attached to the stream: then the default is left out.
  [[nodiscard]] bool handled(std::uint64_t stream) const;
  /// An action from outside, as if a handler of that name had answered. InvalidArgument as validate() says.
  /// Of a stream that has left nothing is wanted, which is no error.
  [[nodiscard]] Result<void> want(Wanted wanted);
  /// What is wanted since the last call, in that order, but for the streams of enter(); the streams' owner
  /// calls it.
  [[nodiscard]] std::vector<Wanted> takeWanted();

  /// A number, 2^32 or above, for a stream whose owner takes what is wanted of it apart from all others.
  [[nodiscard]] std::uint64_t enter();
  /// The stream of enter() is gone: nothing is wanted of it any more.
  void leave(std::uint64_t stream);
  /// What is wanted of a stream of enter() since the last call, in that order.
  [[nodiscard]] std::vector<Wanted> takeWanted(std::uint64_t stream);
  /// Sentences about handlers that threw, were too slow or wanted what is out of range; taken away by the
  /// call.
  [[nodiscard]] std::vector<std::string> complaints();

 private:
  struct Subscriber {
    std::string name;
    Handler handler;
    bool acts = false;
    std::optional<std::uint64_t> stream;  // none: all
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<QosEvent> waiting;  // guarded by mutex
    std::uint64_t dropped = 0;     // guarded by mutex
    bool quit = false;             // guarded by mutex
    std::thread thread;
  };
  std::uint64_t add(std::unique_ptr<Subscriber> subscriber);
  void run(Subscriber& subscriber);
  [[nodiscard]] std::string call(Subscriber& subscriber, const QosEvent& event);
  void complain(std::string sentence);
  static void end(Subscriber& subscriber);

  mutable std::mutex m_mutex;  // guards what follows
  std::map<std::uint64_t, std::unique_ptr<Subscriber>> m_subscribers;
  std::uint64_t m_next = 1;
  std::mutex m_answersMutex;  // guards what follows
  std::vector<Wanted> m_wanted;
  static constexpr std::uint64_t kFirstEntered = std::uint64_t{1} << 32U;  // other owners count from 1 on
  std::uint64_t m_nextEntered = kFirstEntered;
  std::map<std::uint64_t, std::vector<Wanted>> m_entered;  // what is wanted of the streams of enter()
  std::vector<std::string> m_complaints;
};

}  // namespace tactus::periodic
