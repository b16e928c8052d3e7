// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/periodic/time/time.h"
#include "plugins/event_descriptor.h"

namespace tactus::media {

/// Bytes of a stream between the ordinary thread that makes them and the task that sends them, each with the
/// instant of the film to which it belongs. One thread puts, one takes. Allocates only in the constructor.
class OutgoingQueue {
 public:
  /// `capacity` in bytes, above 0. What is taken is a multiple of `unit` bytes, but for the stream's end.
  OutgoingQueue(std::size_t capacity, std::size_t unit);
  OutgoingQueue(const OutgoingQueue&) = delete;
  OutgoingQueue& operator=(const OutgoingQueue&) = delete;

  /// Producer only: all bytes; waits for room. Instants do not decrease. False once abandoned.
  /// Real-time-safe: no (waits).
  [[nodiscard]] bool put(std::span<const std::byte> bytes, periodic::Duration at);
  /// Producer only: nothing more comes. Real-time-safe: yes.
  void end() noexcept;
  /// Nobody takes any more: ends the producer's wait, and all to come. Thread-safe: yes. Real-time-safe: yes.
  void abandon() noexcept;
  /// Consumer only: bytes that belong to instants up to `until`, as many as fit; nullopt: all were taken, and
  /// nothing more comes. `into` has room for a unit. Real-time-safe: yes.
  [[nodiscard]] std::optional<std::size_t> take(std::span<std::byte> into, periodic::Duration until) noexcept;

 private:
  struct Mark {
    std::uint64_t end = 0;  ///< position behind its bytes
    periodic::Duration at{0};
  };
  [[nodiscard]] std::size_t room() const noexcept;
  void write(std::span<const std::byte> bytes, periodic::Duration at) noexcept;
  /// Position up to which bytes may be taken, at least `wanted` where they are there.
  [[nodiscard]] std::uint64_t allowed(std::uint64_t marks, std::uint64_t wanted,
                                      periodic::Duration until) const noexcept;
  void drop(std::uint64_t marks) noexcept;

  const std::size_t m_unit;
  std::vector<std::byte> m_ring;  // position p lies at p % size
  std::vector<Mark> m_marks;      // mark i lies at i % size
  // Count from the beginning. release: what was written (or read) before; acquire: by the other thread.
  std::atomic<std::uint64_t> m_marksPut{0}, m_marksTaken{0}, m_taken{0};
  std::atomic<bool> m_ended{false};      // release: after the last mark
  std::atomic<bool> m_abandoned{false};  // relaxed: says something on its own
  std::uint64_t m_put = 0;               // the producer's
  plugins::EventDescriptor m_emptied;
};

}  // namespace tactus::media
