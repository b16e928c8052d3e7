// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/periodic/time.h"

namespace tactus::plugins {

/// A playback stream on the PipeWire daemon that outlives the daemon: while there is none, samples are
/// consumed in real time and a new connection is tried once a second. PipeWire's own real-time callback takes
/// the samples from a lock-free ring (HeiTS, "Adapter-Based Timing").
class PipeWireOutput {
 public:
  enum class SampleFormat { S16, S32, F32 };
  struct Format {
    SampleFormat sample = SampleFormat::F32;
    int rate = 48000;
    int channels = 2;
    int frameBytes = 8;
  };
  struct Config {
    Format format;
    std::string target;  ///< node name or serial; empty = the session's default
    std::string name = "Tactus";
  };
  /// Called on the PipeWire loop's thread whenever the connection comes or goes, with why (empty when it
  /// came).
  using ConnectionHandler = std::function<void(bool connected, const std::string& reason)>;

  PipeWireOutput(Config config, ConnectionHandler handler);
  ~PipeWireOutput();
  PipeWireOutput(const PipeWireOutput&) = delete;
  PipeWireOutput& operator=(const PipeWireOutput&) = delete;

  /// Writer only. Takes whole frames and returns when there is room again, after at most a quarter second.
  void write(const std::byte* data, std::size_t bytes) noexcept;
  /// What was written and is not yet heard. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] periodic::Duration delay() const noexcept;
  /// Playback stops for now: an empty ring is no underrun. Drops what waits if `discard`. Any thread.
  void pause(bool discard) noexcept;
  [[nodiscard]] bool connected() const noexcept;
  [[nodiscard]] std::uint64_t underruns() const noexcept;
  [[nodiscard]] std::uint64_t connections() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace tactus::plugins
