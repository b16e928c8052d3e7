// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/periodic/time/rate.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// What isochronous delivery promises.
struct PlayoutTerms {
  periodic::Rate rate;            ///< up-calls a second
  periodic::Duration jitter{0};   ///< D: permissible deviation of a buffer's arrival; not negative
  periodic::Duration latency{0};  ///< L: what no buffer should wait longer than
};

/// Isochronous delivery: the handler is called once a period, at the rate of the receiver's clock (RTSS,
/// section 4.1). With R the rate, T = 1/R, and k the number of up-calls since the first,
///
///   due(k) = arrival of the first buffer + D + k/R       never moves
///   next   = the number of the buffer that is due        moves on by 1 with each up-call
///   margin = due(of its number) - arrival                of each buffer that comes; below 0 it is late
///
/// A buffer that is one period too late or too early for good (the clocks of the two hosts drift; the first
/// buffer was a fast or a slow one) is mended by a slip: `next` moves by whole periods, the up-calls do not.
///
///   later     once 3 buffers of a look were late: by the periods that the least late of them needs. Up-calls
///             then have no buffer. Not if the largest margin of the look would exceed max(L, D + 2T), unless
///             the last 3 were late without one in time between: what was before them no longer holds.
///   earlier   when all margins of a look exceed D + T: by the periods by which all exceed D. The buffers
///             between are passed over.
///
/// A look begins at the first buffer and after each slip, and lasts 2 s, at least 8 periods. So with jitter
/// within the promise no buffer is late (margins lie between 0 and 2D), with a drift of 100 ppm one period
/// slips each 10,000, and jitter above the promise is met by more delay, which goes back when it is gone. A
/// buffer whose number is more than a minute (at least 64) away begins anew, as the first did, but its
/// up-call is not due before the next one was: up-calls are never less than a period apart.
///
/// Pure: owns no thread, clock or buffer. Thread-safe: no. Real-time-safe: yes.
class Playout {
 public:
  static constexpr periodic::Duration kLook = std::chrono::seconds(2);
  static constexpr int kLookPeriods = 8;
  static constexpr int kRepeatedly = 3;
  static constexpr periodic::Duration kFar = std::chrono::minutes(1);
  static constexpr int kFarPeriods = 64;

  explicit Playout(const PlayoutTerms& terms) noexcept;

  /// When the next up-call is due; TimePoint::max() before the first buffer.
  [[nodiscard]] periodic::TimePoint due() const TACTUS_REALTIME;
  /// The number of the buffer that is due then. What is older is no use any more; what is newer waits.
  [[nodiscard]] std::uint32_t next() const TACTUS_REALTIME { return m_next; }
  /// The up-call was made, with the buffer or without. Each due instant is passed so, also a missed one.
  void advance() TACTUS_REALTIME;

  enum class Arrival : std::uint8_t {
    InTime,  ///< it waits for its turn
    Late,    ///< its turn has passed: it is no use
  };
  /// Buffer `number` became whole. May change next() and, at the first, due().
  Arrival arrived(std::uint32_t number, periodic::TimePoint at) TACTUS_REALTIME;

  /// Up-calls come at another rate from now, `at`, on; the one that is due next keeps its instant.
  void setRate(const periodic::Rate& rate, periodic::TimePoint at) TACTUS_REALTIME;

  /// The next buffer is as the first: after a pause, a stop, or a new sender. Figures stay.
  void restart() TACTUS_REALTIME;

  struct Figures {
    std::uint64_t upCalls = 0;
    std::uint64_t late = 0;          ///< buffers whose turn had passed
    std::uint64_t slipsLater = 0;    ///< periods
    std::uint64_t slipsEarlier = 0;  ///< periods
    std::uint64_t restarts = 0;      ///< beginnings after the first
  };
  [[nodiscard]] const Figures& figures() const noexcept { return m_figures; }

 private:
  /// What is remembered of the margins since the look began.
  struct Look {
    periodic::TimePoint begin = {};
    periodic::Duration smallest = periodic::Duration::max();
    periodic::Duration largest = periodic::Duration::min();
    periodic::Duration leastLate = periodic::Duration::max();  // above 0
    int late = 0;
    int lateInARow = 0;
  };

  void begin(std::uint32_t number, periodic::TimePoint at) TACTUS_REALTIME;
  void slip(std::int64_t periods, periodic::TimePoint at) TACTUS_REALTIME;
  void slipLater(periodic::TimePoint at) TACTUS_REALTIME;
  void endLook(periodic::TimePoint at) TACTUS_REALTIME;

  PlayoutTerms m_terms;
  periodic::Duration m_period;
  Figures m_figures;
  std::optional<periodic::TimePoint> m_first;  // due(0)
  periodic::TimePoint m_notBefore = {};        // when the next up-call was due before restart()
  std::int64_t m_upCall = 0;                   // k of the next up-call
  std::uint32_t m_next = 0;
  Look m_look;
  bool m_began = false;
};

}  // namespace tactus::net
