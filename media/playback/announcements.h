// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "media/playback/player.h"

namespace tactus::media {

/// What the listener is to be told: noted down while locks are held, told once they are not, in order and by
/// one thread at a time. The listener may call the player meanwhile. Thread-safe: yes. Real-time-safe: no.
class Announcements {
 public:
  using Call = std::function<void(PlayerListener&)>;
  /// The listener must outlive this.
  explicit Announcements(PlayerListener& listener) noexcept : m_listener(listener) {}

  void add(Call call);
  /// What has not been told never will be.
  void forget();
  /// Tells everything that waits, unless another thread is doing so. The caller holds no lock.
  void deliver();

 private:
  PlayerListener& m_listener;
  std::mutex m_mutex;  // guards what follows, for moments
  std::deque<Call> m_waiting;
  bool m_delivering = false;
};

/// Delivers at the end of a scope; declared before any lock of that scope.
class Deliver {
 public:
  explicit Deliver(Announcements& announcements) noexcept : m_announcements(announcements) {}
  ~Deliver() { m_announcements.deliver(); }
  Deliver(const Deliver&) = delete;
  Deliver& operator=(const Deliver&) = delete;

 private:
  Announcements& m_announcements;
};

}  // namespace tactus::media
