// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// At least `m` of any `k` consecutive jobs run (Hamdaoui, Ramanathan 1995).
struct FirmPromise {
  std::uint32_t m = 1, k = 1;
};

/// Which jobs of an operation run when only a share f of them may (RTSS, section 4): job j runs iff
/// floor((j + 1) f) > floor(j f), the most even way there is. Any k consecutive jobs hold at least floor(k f)
/// that run, so that at most ceil(1/f) - 1 in a row do not; a change of f keeps the phase and with it the
/// smaller of the two promises. Owns no clock. Thread-safe: no. Real-time-safe: yes.
class FrequencyFilter {
 public:
  static constexpr std::uint32_t kOne = 1u << 16;  ///< f is kept in these parts: sums are exact for ever

  /// `frequency` in parts of kOne; what is outside [0, 1] (NaN too) counts as 1.
  [[nodiscard]] static constexpr std::uint32_t partsOf(double frequency) noexcept {
    return frequency >= 0 && frequency <= 1 ? static_cast<std::uint32_t>(frequency * kOne + 0.5) : kOne;
  }

  /// `frequency` within [0, 1]; what is not (NaN too) counts as 1.
  explicit FrequencyFilter(double frequency = 1) noexcept { setFrequency(frequency); }
  void setFrequency(double frequency) TACTUS_REALTIME { m_parts = partsOf(frequency); }
  [[nodiscard]] double frequency() const TACTUS_REALTIME { return static_cast<double>(m_parts) / kOne; }

  /// Whether the next job runs.
  [[nodiscard]] bool next() TACTUS_REALTIME {
    m_sum += m_parts;
    const bool runs = m_sum >= kOne;
    if (runs) m_sum -= kOne;
    ++(runs ? m_run : m_skipped);
    m_row = runs ? 0 : m_row + 1;
    if (m_row > m_longestRow) m_longestRow = m_row;
    return runs;
  }

  /// The tightest promise of the form 1 of k. {0, 1} for f = 0: none.
  [[nodiscard]] FirmPromise promise() const TACTUS_REALTIME {
    if (m_parts == 0) return {0, 1};
    return {1, (kOne + m_parts - 1) / m_parts};
  }
  [[nodiscard]] std::uint64_t run() const TACTUS_REALTIME { return m_run; }
  [[nodiscard]] std::uint64_t skipped() const TACTUS_REALTIME { return m_skipped; }
  /// Most jobs skipped in a row so far: what the promise is checked against while running.
  [[nodiscard]] std::uint32_t longestRow() const TACTUS_REALTIME { return m_longestRow; }

 private:
  std::uint32_t m_parts = kOne;
  std::uint32_t m_sum = 0;  // j f modulo 1
  std::uint32_t m_row = 0, m_longestRow = 0;
  std::uint64_t m_run = 0, m_skipped = 0;
};

}  // namespace tactus::periodic
