// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spa/utils/ringbuffer.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus::examples {

/// Bytes of sound on their way from one thread to another, between two clocks that differ a little. Reading
/// begins once kReserve more than is asked for waits, and begins anew after the ring ran dry or full: then a
/// device whose periods are longer than the stream's, or clocks that drift apart, cost a short silence and
/// not a crackle that stays.
///
/// Thread-safe: one thread writes, one reads. Real-time-safe: yes.
class SampleRing {
 public:
  static constexpr std::uint32_t kSize = 32'768;    ///< a power of two, since spa_ringbuffer's positions wrap
  static constexpr std::uint32_t kReserve = 3'840;  ///< 40 ms of mono at 48 kHz

  /// Writer only. What has no room is lost, and with it all that waits: nobody has read for long.
  void write(std::span<const std::byte> from) noexcept {
    std::uint32_t at = 0;
    const std::int32_t waiting = spa_ringbuffer_get_write_index(&m_ring, &at);
    if (from.size() > kSize - static_cast<std::uint32_t>(waiting)) {
      // relaxed: a hint that the reader sees at one of its next turns.
      m_full.store(true, std::memory_order_relaxed);
      return;
    }
    const auto length = static_cast<std::uint32_t>(from.size());
    spa_ringbuffer_write_data(&m_ring, m_bytes.data(), kSize, at % kSize, from.data(), length);
    spa_ringbuffer_write_update(&m_ring, static_cast<std::int32_t>(at + length));
  }

  /// Reader only. Fills all of `to`, or nothing of it: false.
  [[nodiscard]] bool read(std::span<std::byte> to) noexcept {
    std::uint32_t at = 0;
    auto waiting = static_cast<std::uint32_t>(spa_ringbuffer_get_read_index(&m_ring, &at));
    if (m_full.exchange(false, std::memory_order_relaxed)) {
      spa_ringbuffer_read_update(&m_ring, static_cast<std::int32_t>(at += waiting));
      waiting = 0;
    }
    m_flows = waiting >= to.size() + (m_flows ? 0 : kReserve);
    if (!m_flows) return false;
    const auto length = static_cast<std::uint32_t>(to.size());
    spa_ringbuffer_read_data(&m_ring, m_bytes.data(), kSize, at % kSize, to.data(), length);
    spa_ringbuffer_read_update(&m_ring, static_cast<std::int32_t>(at + length));
    return true;
  }

 private:
  spa_ringbuffer m_ring{};  // its positions are atomic
  std::array<std::byte, kSize> m_bytes{};
  std::atomic<bool> m_full{false};
  bool m_flows = false;  // the reader's
};

}  // namespace tactus::examples
