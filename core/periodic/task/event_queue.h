// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <semaphore.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
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
  /// Returns once no delivery to the handler before is under way. Any thread. Real-time-safe: no.
  void setHandler(std::function<void(const SchedulerEvent&)> handler);
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
  std::mutex m_handlerMutex;  // held during a delivery; no real-time thread takes it
  std::function<void(const SchedulerEvent&)> m_handler;
};

}  // namespace tactus::periodic
