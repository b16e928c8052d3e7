// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/periodic/frequency_filter.h"
#include "core/periodic/time.h"

namespace tactus::plugins {

/// Which pictures of a film are worth working on (RTSS, section 4: the filtering agent inside a stream). By
/// its place in display order, so that whoever meets a picture first, before decoding or before conversion,
/// says the same of it. Shared by the decoder's gate and the sink. Thread-safe: yes. Real-time-safe: yes.
class PictureFilter {
 public:
  /// f within [0, 1]; what is not counts as 1.
  void setFrequency(double frequency) noexcept {
    m_parts.store(periodic::FrequencyFilter::partsOf(frequency), std::memory_order_relaxed);
  }
  [[nodiscard]] double frequency() const noexcept {
    return static_cast<double>(m_parts.load(std::memory_order_relaxed)) / periodic::FrequencyFilter::kOne;
  }
  /// The distance of pictures, zero = not known or not constant; and one picture's presentation time.
  void setGrid(periodic::Duration period, periodic::Duration anchor) noexcept {
    // A reader that sees the one without the other errs about a few pictures.
    m_anchor.store(period.count() > 0 ? anchor.count() % period.count() : 0, std::memory_order_relaxed);
    m_period.store(period.count(), std::memory_order_relaxed);
  }
  /// Whether the picture of this presentation time is to be shown; nullopt if its number is not known.
  [[nodiscard]] std::optional<bool> runs(periodic::Duration stamp) const noexcept {
    const std::uint32_t parts = m_parts.load(std::memory_order_relaxed);
    if (parts == periodic::FrequencyFilter::kOne) return true;
    const std::int64_t period = m_period.load(std::memory_order_relaxed);
    const std::int64_t since = stamp.count() - m_anchor.load(std::memory_order_relaxed);
    if (period <= 0 || since < -period / 2) return std::nullopt;
    return periodic::FrequencyFilter::runs(static_cast<std::uint64_t>((since + period / 2) / period), parts);
  }

 private:
  std::atomic<std::uint32_t> m_parts{periodic::FrequencyFilter::kOne};
  std::atomic<std::int64_t> m_period{0}, m_anchor{0};
};

}  // namespace tactus::plugins
