// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/periodic/time/time.h"
#include "plugins/speakers.h"

namespace tactus::plugins {

/// A playback stream on the PipeWire daemon that outlives the daemon: while there is none, samples are
/// consumed in real time and a new connection is tried once a second. PipeWire's own real-time callback takes
/// the samples from a lock-free ring (HeiTS, "Adapter-Based Timing").
class PipeWireOutput {
 public:
  struct Config {
    int rate = 48000;
    Speakers speakers;   ///< those that the stream names to the daemon
    std::string target;  ///< node name or serial; empty = the session's default
    std::string name = "Tactus";
    std::string role = "Movie";  ///< media.role
    /// What a device is asked to take at once; it may take more.
    periodic::Duration period = std::chrono::milliseconds(20);
  };
  /// Called on the PipeWire loop's thread whenever sound begins or ceases to reach a device, with why it
  /// ceased (a sentence). Must neither block nor destroy the output.
  using ConnectionHandler = std::function<void(bool connected, const std::string& reason)>;

  /// Connects in the background. Thread-safe: yes. Real-time-safe: no, nor is the destructor.
  PipeWireOutput(Config config, ConnectionHandler handler);
  ~PipeWireOutput();
  PipeWireOutput(const PipeWireOutput&) = delete;
  PipeWireOutput& operator=(const PipeWireOutput&) = delete;

  /// Writer only. Takes whole frames (SpeakerFrame), at most a quarter second of them, and waits until there
  /// is room: for the device, or for as long as they last where there is none. Starts a paused stream.
  /// Real-time-safe: yes.
  void write(const std::byte* data, std::size_t bytes) noexcept;
  /// The stream gets these speakers too, soon; no samples are lost. For one thread at a time. Real-time-safe:
  /// yes.
  void widen(const Speakers& speakers) noexcept;
  /// Whether what waits at a pause is played after it.
  enum class Remainder { Keep, Discard };
  /// Playback stops for now; a waiting write() returns at once. Thread-safe: yes. Real-time-safe: yes.
  void pause(Remainder remainder) noexcept;
  /// What was written and is not yet heard; falls steadily between two callbacks of the device.
  /// Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] periodic::Duration delay() const noexcept;
  /// Gaps that could be heard. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t underruns() const noexcept;

 private:
  class State;
  std::unique_ptr<State> m_state;
};

}  // namespace tactus::plugins
