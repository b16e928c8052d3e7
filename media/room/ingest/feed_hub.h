// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <span>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "media/room/track_feed.h"

namespace tactus::media {

/// The consumers of one feed. Packets are handed to one consumer after the other, on the thread that delivers
/// them, with no lock held. A consumer that blocks delays the others, takes nothing from them, and does not
/// hold up their add() and remove().
class FeedHub {
 public:
  FeedHub() = default;
  FeedHub(const FeedHub&) = delete;
  FeedHub& operator=(const FeedHub&) = delete;

  /// `consumer` gets the groups delivered from now on, perhaps also the one being delivered. It is added
  /// once; a second time changes nothing. Thread-safe: yes. Real-time-safe: no (allocates).
  void add(PacketConsumer& consumer);
  /// When it returns, `consumer` is not being called and will not be. Waits while it is being called; not
  /// from within its consume(). Thread-safe: yes. Real-time-safe: no (waits).
  void remove(PacketConsumer& consumer);
  /// Hands one group of packets to each consumer. One thread at a time. Thread-safe: beside add() and
  /// remove(). Real-time-safe: as the consumers; its lock is held for moments and inherits priority.
  void deliver(std::span<const std::span<const std::byte>> packets) noexcept;
  /// Number of consumers. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  /// The next that has not had the present group; null if all have. It counts as being called.
  [[nodiscard]] PacketConsumer* beginCall() noexcept;
  void endCall() noexcept;

  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  std::condition_variable_any m_callEnded;
  std::vector<PacketConsumer*> m_consumers;
  std::size_t m_next = 0;              // of m_consumers: those before it have had the present group
  PacketConsumer* m_called = nullptr;  // is being called
  int m_removers = 0;                  // threads that wait for the end of a call
};

}  // namespace tactus::media
