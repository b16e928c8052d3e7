// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/periodic/result.h"

namespace tactus::examples {

inline constexpr std::uint32_t kSampleRate = 48'000;
inline constexpr std::size_t kSampleBytes = 2;  ///< mono, s16
/// 20 ms of sound.
inline constexpr std::size_t kSoundBuffer = kSampleRate / 50 * kSampleBytes;

class PipeWireStream;

/// The session's microphone, by PipeWire.
class Microphone {
 public:
  /// Waits until it records, ten seconds at most. Unavailable: PipeWire is not running, or refuses; NotFound:
  /// no microphone begins. Thread-safe: yes. Real-time-safe: no, nor is the destructor.
  [[nodiscard]] static Result<std::unique_ptr<Microphone>> open();
  ~Microphone();
  Microphone(const Microphone&) = delete;
  Microphone& operator=(const Microphone&) = delete;

  /// A write handler: fills the buffer with what was recorded next, and returns its size; 0: so much is not
  /// here yet; nullopt: after stop(). Throws std::runtime_error once PipeWire has gone. For one thread at a
  /// time. Real-time-safe: yes, but for what it throws.
  [[nodiscard]] std::optional<std::size_t> record(std::span<std::byte> buffer);
  /// Thread-safe: yes. Real-time-safe: yes.
  void stop() noexcept;

 private:
  explicit Microphone(std::unique_ptr<PipeWireStream> stream) noexcept;
  std::unique_ptr<PipeWireStream> m_stream;
  std::atomic<bool> m_stopped{false};
};

/// The session's speaker, by PipeWire.
class Speaker {
 public:
  /// As Microphone::open(); it plays silence from then on.
  [[nodiscard]] static Result<std::unique_ptr<Speaker>> open();
  ~Speaker();
  Speaker(const Speaker&) = delete;
  Speaker& operator=(const Speaker&) = delete;

  /// For a read handler: plays a buffer after those before it; one without bytes, which got lost, is 20 ms of
  /// silence. Throws std::runtime_error once PipeWire has gone. For one thread at a time. Real-time-safe:
  /// yes, but for what it throws.
  void play(std::span<const std::byte> buffer);

 private:
  explicit Speaker(std::unique_ptr<PipeWireStream> stream) noexcept;
  std::unique_ptr<PipeWireStream> m_stream;
};

}  // namespace tactus::examples
