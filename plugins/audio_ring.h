// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// Samples on their way from one writer thread to one real-time reader. Lock-free; bytes are numbered from
/// the ring's beginning and the numbers only grow. Invariants: readPosition() <= written; whole frames only,
/// so that none is split.
class AudioRing {
 public:
  /// `capacity` in bytes, whole frames.
  explicit AudioRing(std::size_t capacity) : m_bytes(capacity) {}

  /// Writer only. The caller leaves room: waiting() + bytes <= capacity(). Real-time-safe: yes.
  void write(const std::byte* data, std::size_t bytes) TACTUS_REALTIME;
  /// Reader only. Copies up to `bytes` and returns how many. After it has run dry, and at the start, it gives
  /// nothing until `prime` bytes wait, so that one gap does not become many. Real-time-safe: yes.
  std::size_t read(std::byte* into, std::size_t bytes, std::size_t prime) TACTUS_REALTIME;
  /// Gives up the oldest `bytes`, or as much as waits. Thread-safe: yes. Real-time-safe: yes.
  void discard(std::size_t bytes) TACTUS_REALTIME;
  /// The silence that follows is wanted: no gap. Thread-safe: yes. Real-time-safe: yes.
  void expectSilence() TACTUS_REALTIME { m_dry.store(false, std::memory_order_relaxed); }

  /// Written, neither read nor given up. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::size_t waiting() const TACTUS_REALTIME;
  /// The number of the byte that is read next. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t readPosition() const TACTUS_REALTIME;
  /// Gaps: the reader ran dry and the writer then went on. Thread-safe: yes.
  [[nodiscard]] std::uint64_t gaps() const TACTUS_REALTIME { return m_gaps.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t capacity() const noexcept { return m_bytes.size(); }

 private:
  std::vector<std::byte> m_bytes;
  alignas(64) std::atomic<std::uint64_t> m_written{0};   // by the writer
  alignas(64) std::atomic<std::uint64_t> m_consumed{0};  // by the reader
  std::atomic<std::uint64_t> m_discarded{0};             // by anybody, grows only; the reader skips to here
  // Relaxed all: hints and counts, no data hangs on them.
  std::atomic<bool> m_dry{false};  // set by the reader, taken back by the writer
  std::atomic<std::uint64_t> m_gaps{0};
  bool m_primed = false;  // reader only
};

}  // namespace tactus::plugins
