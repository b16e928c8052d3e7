// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// What a PipeWire sink plays, of any program, captured from its monitor: mono, 48 kHz, half a second of it
/// at most. Follows the session's default sink, and outlives a sink or a daemon that vanishes: nothing comes
/// then.
///
/// Thread-safe: yes, but for read() (one thread at a time) and the destructor.
class SinkMonitor {
 public:
  /// `sink`: node name or serial; empty: the session's default. Connects in the background. Real-time-safe:
  /// no, nor is the destructor.
  explicit SinkMonitor(const std::string& sink);
  ~SinkMonitor();
  SinkMonitor(const SinkMonitor&) = delete;
  SinkMonitor& operator=(const SinkMonitor&) = delete;

  /// Takes the oldest samples that have come; gives how many. Never waits. Real-time-safe: yes.
  std::size_t read(std::span<std::int16_t> into) noexcept;
  /// When samples came last, silence or not; before the first, when it was made. Real-time-safe: yes.
  [[nodiscard]] periodic::TimePoint cameAt() const noexcept;

 private:
  class State;
  const std::unique_ptr<State> m_state;
};

}  // namespace tactus::plugins
