// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

enum class TraceEvent : std::uint8_t {
  Enforce,   ///< span: waited in enforce() until the logical arrival time
  Run,       ///< span: processed one packet
  Wake,      ///< instant: woke up; value = wake error in ns
  Overrun,   ///< instant: the packet before was demoted for using up its time; value = excess in ns at that
             ///< moment
  Miss,      ///< instant: deadline missed; value = -laxity in ns
  Drop,      ///< instant: packet dropped; value = a DropReason of the dropper
  Demoted,   ///< instant: lost its real-time class
  Granted,   ///< instant: got its real-time class; value = priority
  Reserved,  ///< instant: reserved share of a CPU changed; value = share in millionths, 0 = none
  Reanchor,  ///< instant: the regulator started anew (pause, seek, flush)
};

struct TraceRecord {
  TimePoint begin;
  Duration length;  ///< zero for instants
  std::int64_t value;
  TraceEvent event;
};

/// Single-producer single-consumer ring; when full, new records are counted as lost, never waited for.
class TraceRing {
 public:
  static constexpr std::size_t kCapacity = 8192;  ///< records; a power of two
  /// Producer only. Real-time-safe: yes.
  void push(const TraceRecord& record) TACTUS_REALTIME;
  /// Consumer only. Appends everything pushed so far. Real-time-safe: no.
  void drain(std::vector<TraceRecord>& into);
  [[nodiscard]] std::uint64_t lost() const noexcept { return m_lost.load(std::memory_order_relaxed); }

 private:
  std::array<TraceRecord, kCapacity> m_records{};
  alignas(64) std::atomic<std::uint64_t> m_head{0};  // written by the producer
  alignas(64) std::atomic<std::uint64_t> m_tail{0};  // written by the consumer
  std::atomic<std::uint64_t> m_lost{0};
};

/// All rings of a process and their export. Recording is off until start().
class TraceLog {
 public:
  /// A ring for one track (one task). Lives as long as anybody holds it. Thread-safe: yes. Real-time-safe:
  /// no.
  [[nodiscard]] std::shared_ptr<TraceRing> open(std::string track, std::int32_t tid);
  /// Whether producers should push at all. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] bool enabled() const noexcept { return m_enabled.load(std::memory_order_relaxed); }
  void start() noexcept { m_enabled.store(true, std::memory_order_relaxed); }
  /// Moves what the rings hold into memory; call at least twice a second while recording. Thread-safe: yes.
  void collect();
  /// Everything collected, as Chrome trace-event JSON, which ui.perfetto.dev and chrome://tracing open.
  /// Thread-safe: yes. Real-time-safe: no.
  void writeJson(std::ostream& out);

 private:
  struct Track {
    std::string name;
    std::int32_t tid;
    std::shared_ptr<TraceRing> ring;  // shared with the producing task, which may end first or last
    std::vector<TraceRecord> records;
  };
  std::mutex m_mutex;  // never taken by a real-time thread
  std::vector<Track> m_tracks;
  std::atomic<bool> m_enabled{false};
};

}  // namespace tactus::periodic
