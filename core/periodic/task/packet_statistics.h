// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "core/periodic/time/time.h"
#include "core/periodic/trace/histogram.h"
#include "core/periodic/workload/processing_estimate.h"

namespace tactus::periodic {

/// Figures of a task's packets. Written by the bound thread, read by anybody. Real-time-safe: yes.
class PacketStatistics {
 public:
  // Bound thread.
  void countPacket() TACTUS_REALTIME { increment(m_packets); }
  void countViolation() TACTUS_REALTIME { increment(m_violations); }
  void recordWait(Duration waited) TACTUS_REALTIME { m_waited.record(waited); }
  /// A packet is complete, `laxity` before its deadline. Negative: a miss.
  void recordCompletion(Duration laxity, Duration response) TACTUS_REALTIME;
  void clear() TACTUS_REALTIME;

  // Anybody.
  [[nodiscard]] std::uint64_t packets() const noexcept { return m_packets.load(kRelaxed); }
  [[nodiscard]] std::uint64_t completed() const noexcept { return m_completed.load(kRelaxed); }
  [[nodiscard]] std::uint64_t misses() const noexcept { return m_misses.load(kRelaxed); }
  [[nodiscard]] std::uint64_t violations() const noexcept { return m_violations.load(kRelaxed); }
  [[nodiscard]] DurationHistogram::Snapshot laxity() const { return m_laxity.snapshot(); }
  [[nodiscard]] DurationHistogram::Snapshot response() const { return m_response.snapshot(); }
  [[nodiscard]] DurationHistogram::Snapshot waited() const { return m_waited.snapshot(); }

  /// What a packet costs. One writer: the bound thread, or the watchdog where the task has workers or no
  /// packets.
  ProcessingEstimate estimate;

 private:
  // relaxed: counters with one writer; nothing is published through them.
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  static void increment(std::atomic<std::uint64_t>& counter) noexcept {
    counter.store(counter.load(kRelaxed) + 1, kRelaxed);
  }
  std::atomic<std::uint64_t> m_packets{0}, m_completed{0}, m_misses{0}, m_violations{0};
  DurationHistogram m_laxity, m_response, m_waited;
};

}  // namespace tactus::periodic
