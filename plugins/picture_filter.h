// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/qos/frequency_history.h"
#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// Which pictures of a film are worth working on (RTSS, section 4: the filtering agent inside a stream). By
/// its place in display order, so that whoever meets a picture first, before decoding or before conversion,
/// decides, and the others say the same of it. Shared by the decoder's gate and the sink. Thread-safe: yes.
/// Real-time-safe: yes (waits for a few instructions of another stage, which inherit the priority).
class PictureFilter {
 public:
  /// f within [0, 1]; what is not counts as 1. Holds for pictures that nobody has met.
  void setFrequency(double frequency) noexcept {
    const std::lock_guard lock(m_mutex);
    m_parts.store(periodic::FrequencyFilter::partsOf(frequency), std::memory_order_relaxed);
    m_history.setFrequency(frequency);
  }
  [[nodiscard]] double frequency() const noexcept {
    return static_cast<double>(m_parts.load(std::memory_order_relaxed)) / periodic::FrequencyFilter::kOne;
  }
  /// Share of width and height at which pictures are converted, (0, 1]; what is not counts as 1.
  void setSize(double size) noexcept {
    m_size.store(size > 0 && size < 1 ? size : 1, std::memory_order_relaxed);
  }
  [[nodiscard]] double size() const noexcept { return m_size.load(std::memory_order_relaxed); }
  /// The distance of pictures, zero = not known or not constant; and one picture's presentation time. What
  /// was decided is forgotten.
  void setGrid(periodic::Duration period, periodic::Duration anchor) noexcept {
    const std::lock_guard lock(m_mutex);
    m_anchor = period.count() > 0 ? anchor.count() % period.count() : 0;
    m_period = period.count();
    m_history.restart();
  }
  /// Another film's pictures were met last, whose numbers say nothing of this one's.
  void forgetOthers() noexcept {
    const std::lock_guard lock(m_mutex);
    m_history.restart();
  }
  /// Whether the picture of this presentation time is to be shown; nullopt if its number is not known.
  [[nodiscard]] std::optional<bool> runs(periodic::Duration stamp) noexcept {
    const std::lock_guard lock(m_mutex);
    const std::int64_t since = stamp.count() - m_anchor;
    if (m_period <= 0 || since < -m_period / 2) return std::nullopt;
    return m_history.runs((since + m_period / 2) / m_period);
  }

 private:
  std::atomic<std::uint32_t> m_parts{periodic::FrequencyFilter::kOne};
  std::atomic<double> m_size{1};
  periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  std::int64_t m_period = 0, m_anchor = 0;     // ns
  periodic::FrequencyHistory m_history;
};

}  // namespace tactus::plugins
