// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/periodic/time/backoff.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// When a refused task asks admission again: it may fit when others need less, but a trial costs much, so the
/// waits double from half a second to four. Thread-safe: no (the watchdog's). Real-time-safe: yes.
class AdmissionRetry {
 public:
  [[nodiscard]] bool due(TimePoint now) const noexcept { return now >= m_next; }
  /// The task asks now.
  void asked(TimePoint now) noexcept {
    m_next = now + m_wait.wait();
    m_wait.fail();
  }
  /// It has its reservation: the waits are short again.
  void admitted() noexcept {
    m_next = {};
    m_wait.reset();
  }

 private:
  Backoff m_wait{std::chrono::milliseconds(500), std::chrono::seconds(4)};
  TimePoint m_next{};
};

}  // namespace tactus::periodic
