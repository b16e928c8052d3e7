// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Log-linear histogram of signed durations (laxity may be negative): 1 us resolution near zero, 6 % relative
/// error further out, saturating at +-100 s. One writer, any number of readers.
class DurationHistogram {
 public:
  /// Thread-safe: writer only. Real-time-safe: yes.
  void record(Duration value) TACTUS_REALTIME;
  /// Thread-safe: writer only. Real-time-safe: yes.
  void clear() TACTUS_REALTIME;

  struct Snapshot {
    std::uint64_t count = 0;
    Duration minimum{0};  ///< exact
    Duration maximum{0};  ///< exact
    Duration mean{0};
    Duration p1{0}, p50{0}, p99{0}, p999{0};  ///< quantiles of the value; p1 of a laxity is its bad end
  };
  /// Thread-safe: yes (values may be one record apart). Real-time-safe: no (walks all buckets).
  [[nodiscard]] Snapshot snapshot() const noexcept;
  /// The value that a share `q` of [0, 1] of the records does not exceed; zero without records. Thread-safe:
  /// yes. Real-time-safe: no (walks all buckets).
  [[nodiscard]] Duration quantile(double q) const noexcept;

  /// Number of buckets: one sign each for 16 linear sub-buckets per power of two microseconds.
  static constexpr int kBuckets = 1024;

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets> m_buckets{};
  std::atomic<std::uint64_t> m_count{0};
  std::atomic<std::int64_t> m_sum{0};
  std::atomic<std::int64_t> m_minimum{INT64_MAX};
  std::atomic<std::int64_t> m_maximum{INT64_MIN};
};

}  // namespace tactus::periodic
