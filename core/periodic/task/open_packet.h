// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Which packet the bound thread is processing, for the dispatcher's looks. Real-time-safe: yes.
class OpenPacket {
 public:
  // Bound thread.
  /// A packet begins; the thread has used `cpu` so far, which tells packets apart.
  // relaxed: the dispatcher's look needs no other data of ours, and acts on a packet that is over harmlessly.
  void begin(Duration cpu) TACTUS_REALTIME { m_begin.store(cpu.count(), std::memory_order_relaxed); }
  /// It is over. True: the patrol lowered the thread in it.
  [[nodiscard]] bool end() TACTUS_REALTIME {
    m_begin.store(kNone, std::memory_order_relaxed);
    // The load spares the exchange, which costs a bus lock, on every packet.
    return m_lowered.load(std::memory_order_relaxed) && m_lowered.exchange(false, std::memory_order_acq_rel);
  }

  // Dispatcher.
  /// The thread's CPU time when the packet began; nullopt = no packet is open.
  [[nodiscard]] std::optional<Duration> begun() const TACTUS_REALTIME {
    const std::int64_t begin = m_begin.load(std::memory_order_relaxed);
    return begin == kNone ? std::nullopt : std::optional(Duration(begin));
  }
  /// The patrol is about to lower the thread. release: pairs with the exchange in end().
  void markLowered() TACTUS_REALTIME { m_lowered.store(true, std::memory_order_release); }
  [[nodiscard]] bool isLowered() const TACTUS_REALTIME { return m_lowered.load(std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t kNone = -1;
  std::atomic<std::int64_t> m_begin{kNone};  // written by the bound thread
  std::atomic<bool> m_lowered{false};        // set by the dispatcher, cleared by the bound thread
};

}  // namespace tactus::periodic
