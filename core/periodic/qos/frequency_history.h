// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/periodic/qos/frequency_filter.h"

namespace tactus::periodic {

/// FrequencyFilter for jobs that several stages meet, each at its own time and not in order: what was decided
/// of a job stays decided, so that a picture that one stage has worked on is not given up by the next because
/// f has changed meanwhile. A new f holds from the first job on that nobody has met, and keeps the phase: of
/// any two f in force the smaller promise holds across the change. Owns no clock. Thread-safe: no.
/// Real-time-safe: yes.
class FrequencyHistory {
 public:
  /// Changes that are remembered: jobs met before count by the oldest.
  static constexpr std::size_t kChanges = 32;

  /// `frequency` within [0, 1]; what is not (NaN too) counts as 1.
  void setFrequency(double frequency) noexcept { m_next = FrequencyFilter::partsOf(frequency); }
  /// Whether the job runs; 0 <= job < 2^46.
  [[nodiscard]] bool runs(std::int64_t job) noexcept {
    if (job > m_latest) {
      if (m_next != latest().parts) begin(m_latest + 1);
      m_latest = job;
    }
    std::size_t i = m_count;
    while (i > 1 && at(i - 1).from > job) --i;
    const Span& span = at(i - 1);
    return sumAt(span, job + 1) >> kShift > sumAt(span, job) >> kShift;
  }
  /// The jobs begin anew, by the f that was set last.
  void restart() noexcept {
    m_spans[0] = {0, 0, m_next};
    m_first = 0;
    m_count = 1;
    m_latest = -1;
  }

 private:
  static constexpr int kShift = 16;  // FrequencyFilter::kOne
  static_assert(FrequencyFilter::kOne == 1u << kShift);
  struct Span {
    std::int64_t from = 0;
    std::int64_t phase = 0;  // sum of f over the jobs before `from`, modulo 1, in parts
    std::uint32_t parts = FrequencyFilter::kOne;
  };

  [[nodiscard]] static std::int64_t sumAt(const Span& span, std::int64_t job) noexcept {
    return span.phase + (job - span.from) * static_cast<std::int64_t>(span.parts);
  }
  [[nodiscard]] const Span& at(std::size_t i) const noexcept { return m_spans[(m_first + i) % kChanges]; }
  [[nodiscard]] const Span& latest() const noexcept { return at(m_count - 1); }
  void begin(std::int64_t job) noexcept {
    const Span next{job, sumAt(latest(), job) & (FrequencyFilter::kOne - 1), m_next};
    if (m_count == kChanges) {
      m_first = (m_first + 1) % kChanges;
      --m_count;
    }
    m_spans[(m_first + m_count++) % kChanges] = next;
  }

  std::array<Span, kChanges> m_spans{};
  std::size_t m_first = 0, m_count = 1;
  std::int64_t m_latest = -1;  // greatest job met
  std::uint32_t m_next = FrequencyFilter::kOne;
};

}  // namespace tactus::periodic
