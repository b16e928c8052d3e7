// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// The sound of a call on a PipeWire device: mono, 48 kHz. Samples are pushed when they are due by the
/// system's clock; the device takes them by its own. RingLevel holds what waits in between, through the
/// stream's resampler. Samples that no device takes are dropped: there may be no daemon, it may end and come
/// back, a device may stall or vanish. The caller need do nothing about it.
///
/// Thread-safe: yes, but for push() (one thread at a time) and the destructor.
class CallOutput {
 public:
  struct Config {
    std::string target = {};      ///< node name or serial; empty = the session's default
    std::string name = "Tactus";  ///< as mixers show it
  };
  struct Figures {
    bool connected = false;        ///< a device takes the sound
    std::string why = {};          ///< a sentence, if none does
    std::uint64_t underruns = 0;   ///< the ring ran dry, and sound came later
    std::uint64_t overflows = 0;   ///< the oldest sound was dropped, as too much waited for the device
    periodic::Duration waits{0};   ///< from when a sample is due until the device takes it, mean
    periodic::Duration device{0};  ///< from there to the speaker, as PipeWire tells
  };

  /// Connects in the background. Real-time-safe: no, nor is the destructor.
  explicit CallOutput(const Config& config);
  ~CallOutput();
  CallOutput(const CallOutput&) = delete;
  CallOutput& operator=(const CallOutput&) = delete;

  /// Samples of which the first is due now. Never waits. Real-time-safe: yes.
  void push(std::span<const std::int16_t> samples) noexcept;
  /// 0 ... 1.5, clamped; cubic scale as in the desktop's mixers. Real-time-safe: yes.
  void setVolume(double volume) noexcept;
  /// Real-time-safe: yes.
  void setMuted(bool muted) noexcept;
  /// Real-time-safe: no.
  [[nodiscard]] Figures figures() const;

 private:
  class State;
  const std::unique_ptr<State> m_state;
};

}  // namespace tactus::plugins
