// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <ctime>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// An eventfd: wakes a thread that waits, or a poll() on it. Thread-safe: yes. Real-time-safe: yes.
class EventDescriptor {
 public:
  EventDescriptor() noexcept : m_descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~EventDescriptor() {
    if (m_descriptor >= 0) close(m_descriptor);
  }
  EventDescriptor(const EventDescriptor&) = delete;
  EventDescriptor& operator=(const EventDescriptor&) = delete;

  void signal() noexcept {
    const std::uint64_t one = 1;
    (void)!write(m_descriptor, &one,
                 sizeof one);  // fails when the count is at its end: it is readable anyway
  }
  void clear() noexcept {
    std::uint64_t count = 0;
    (void)!read(m_descriptor, &count, sizeof count);  // fails when there was no signal
  }
  /// Until the next signal, at most `longest` (less than a second).
  void wait(periodic::Duration longest) noexcept {
    pollfd waited{m_descriptor, POLLIN, 0};
    const timespec limit{0, static_cast<long>(longest.count())};
    if (ppoll(&waited, 1, &limit, nullptr) > 0) clear();
  }
  [[nodiscard]] int get() const noexcept { return m_descriptor; }

 private:
  int m_descriptor;  // -1 if no descriptor was free: waits then last their longest
};

}  // namespace tactus::plugins
