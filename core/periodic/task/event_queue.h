// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "core/periodic/task/scheduler_event.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Events on their way from whoever holds the table's lock, the watchdog at real-time priority among them, to
/// a companion thread that tells them. The hand-over is a ring of fixed size: the poster takes no lock of the
/// slower side. An event that finds it full is lost, and the loss is told.
class EventQueue {
 public:
  static constexpr std::size_t kCapacity = 256;
  EventQueue() noexcept;
  ~EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  /// One poster at a time (the table's lock). Takes no lock and allocates nothing.
  void post(SchedulerEvent event) noexcept;
  using Listener = std::function<void(const SchedulerEvent&)>;
  /// Hears every event that is delivered from now on; the result is for unsubscribe(). Not from within a
  /// listener. Any thread. Real-time-safe: no.
  std::uint64_t subscribe(Listener listener);
  /// Returns once no delivery is under way. An unknown number does nothing.
  void unsubscribe(std::uint64_t subscription);
  /// Delivers until stop(), and what was posted before it. The companion thread.
  void deliver();
  /// Any thread. Real-time-safe: yes.
  void stop() noexcept;

 private:
  void tell(const SchedulerEvent& event);

  std::array<SchedulerEvent, kCapacity> m_ring{};
  alignas(64) std::atomic<std::uint64_t> m_posted{0};     // written by the poster
  alignas(64) std::atomic<std::uint64_t> m_delivered{0};  // written by the companion
  std::atomic<std::uint64_t> m_lost{0};
  std::atomic<bool> m_stop{false};
  sem_t m_ready{};
  std::mutex m_listenersMutex;  // held during a delivery; no real-time thread takes it
  std::map<std::uint64_t, Listener> m_listeners;
  std::uint64_t m_next = 1;
};

}  // namespace tactus::periodic
