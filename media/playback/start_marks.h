// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/periodic/time/time.h"
#include "media/playback/player.h"

namespace tactus::media {

/// The parts of a start, in order.
enum class StartMark { Opened, TypeFound, DecoderReady, FirstDecoded, FirstShown, Count_ };

/// When the parts of a start were reached first. Thread-safe: yes. Real-time-safe: yes.
class StartMarks {
 public:
  void reach(StartMark mark, periodic::TimePoint now) noexcept {
    std::int64_t unset = 0;
    // relaxed: an instant on its own.
    at(mark).compare_exchange_strong(unset, now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  /// Another film begins, for which nothing is to be made.
  void restart(periodic::TimePoint now) noexcept {
    for (auto& instant : m_instants) instant.store(0, std::memory_order_relaxed);
    reach(StartMark::Opened, now);
  }
  [[nodiscard]] bool reached(StartMark mark) const noexcept { return instant(mark) != 0; }
  [[nodiscard]] StartTimes times() const noexcept {
    return {since(StartMark::TypeFound), since(StartMark::DecoderReady), since(StartMark::FirstDecoded),
            since(StartMark::FirstShown)};
  }

 private:
  [[nodiscard]] std::atomic<std::int64_t>& at(StartMark mark) noexcept {
    return m_instants[static_cast<std::size_t>(mark)];
  }
  [[nodiscard]] std::int64_t instant(StartMark mark) const noexcept {
    return m_instants[static_cast<std::size_t>(mark)].load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::optional<periodic::Duration> since(StartMark mark) const noexcept {
    if (!reached(mark)) return std::nullopt;
    return periodic::Duration(instant(mark) - instant(StartMark::Opened));
  }
  // ns of CLOCK_MONOTONIC; 0 = not yet.
  std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(StartMark::Count_)> m_instants{};
};

}  // namespace tactus::media
