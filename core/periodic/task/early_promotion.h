// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// The promotion of an early packet, between the bound thread, which lowers itself, and the dispatcher, which
/// raises it at its logical arrival time. The promotion is arranged before the thread lowers itself, since it
/// may not run for long afterwards; until it has said that it is lower, each look promotes it again, for it
/// may be anywhere in its system call and undo a promotion.
class EarlyPromotion {
 public:
  // Bound thread. Real-time-safe: yes.
  /// The packet is to be promoted at `at`; the thread lowers itself next.
  void arrange(TimePoint at) TACTUS_REALTIME;
  /// It has lowered itself. Without effect if the promotion was cancelled meanwhile.
  void lowered() TACTUS_REALTIME;
  /// The packet is over. True: it was not promoted, the thread raises itself. Waits for a promotion under
  /// way, which ends within one system call of a more urgent thread.
  [[nodiscard]] bool end() TACTUS_REALTIME;

  // Dispatcher. Real-time-safe: yes.
  enum class Due {
    Nothing,  ///< no packet is early
    Later,    ///< at due()
    Once,     ///< promote, then call promoted()
    Again,    ///< promote, and look again soon
  };
  struct Look {
    Due due;
    TimePoint at;  ///< for Later
  };
  [[nodiscard]] Look look(TimePoint now) TACTUS_REALTIME;
  void promoted() TACTUS_REALTIME;

  // Any thread. Real-time-safe: yes.
  /// The thread loses its class: nobody is to promote it.
  void cancel() TACTUS_REALTIME;
  [[nodiscard]] bool pending() const TACTUS_REALTIME;

 private:
  static constexpr std::int64_t kNothing = 0;
  static constexpr std::int64_t kUnderWay = -1;
  static constexpr std::int64_t kLowering = 1;  // the lowest bit of an instant: a nanosecond is no matter
  std::atomic<std::int64_t> m_at{kNothing};     // instant in ns, or one of the above
};

}  // namespace tactus::periodic
