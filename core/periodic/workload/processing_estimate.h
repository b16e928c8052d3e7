// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"
#include "core/periodic/trace/histogram.h"

namespace tactus::periodic {

/// What a packet costs, by measurement.
struct ProcessingTimes {
  Duration typical{0};        ///< the asked quantile
  Duration worst{0};          ///< the longest of the last packets
  std::uint64_t packets = 0;  ///< measured
};

/// Learns the processing time of one task while it runs (RTSS, section 4: a declared value is a first guess).
/// The figures are those of the last one to two windows of packets, so that they follow a stream both ways.
class ProcessingEstimate {
 public:
  static constexpr std::uint64_t kWindow = 256;      ///< packets
  static constexpr std::uint64_t kTrustworthy = 32;  ///< packets before the figures beat a guess

  /// Thread-safe: writer only. Real-time-safe: yes.
  void record(Duration cpu) TACTUS_REALTIME;
  /// nullopt before kTrustworthy packets. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] std::optional<ProcessingTimes> figures(double quantile) const noexcept;

 private:
  std::array<DurationHistogram, 2> m_windows;
  std::atomic<std::uint64_t> m_packets{0};
};

/// What was learned about kinds of work ("h264 1280x720 avdec_h264"), kept across runs by whoever holds the
/// text. Thread-safe: no. Real-time-safe: no.
class ProcessingMemory {
 public:
  static constexpr std::size_t kKinds = 512;  ///< the least recently used are forgotten beyond

  /// Reads what save() wrote. Lines that are none of it are skipped: a damaged file costs first guesses only.
  void load(std::string_view text);
  [[nodiscard]] std::string save() const;

  [[nodiscard]] std::optional<ProcessingTimes> find(const std::string& kind) const;
  void learn(const std::string& kind, const ProcessingTimes& times);
  [[nodiscard]] std::size_t size() const noexcept { return m_kinds.size(); }

 private:
  struct Known {
    ProcessingTimes times;
    std::uint64_t used = 0;
  };
  std::map<std::string, Known> m_kinds;
  std::uint64_t m_uses = 0;
};

}  // namespace tactus::periodic
