// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/net/stream/sender_state.h"
#include "core/net/stream/sliding_slots.h"
#include "core/net/stream/stream_judgement.h"
#include "core/periodic/qos/stream_qos.h"
#include "core/periodic/time/rate.h"
#include "core/periodic/time/time.h"
#include "core/periodic/workload/lbap.h"

namespace tactus::net {

/// What a stream's contract promises to its receiver.
struct StreamPromise {
  std::optional<periodic::Rate> rate =
      {};                           ///< buffers a second; absent: the sender and silence are not judged
  periodic::Duration jitter{0};     ///< permissible deviation; above 0
  periodic::Duration latency{0};    ///< from the write handler to the read handler, at most
  std::uint32_t toleratedLoss = 0;  ///< lost buffers in 10,000 (StreamContract::kLossUnit)
};

/// What is known of a buffer when the receiver's handler begins with it.
struct BufferTimes {
  std::uint32_t number = 0;          ///< from 0 on; wraps
  periodic::Duration made{0};        ///< on the sender's clock, since an origin of its own; any value
  periodic::TimePoint arrived = {};  ///< its last piece
  periodic::TimePoint due = {};      ///< it was held until then on purpose; before `arrived`: it was not
  periodic::TimePoint begun = {};    ///< the handler
  std::size_t bytes = 0;
  /// Nobody had looked for so long before `arrived`: it may have come at any instant of that time.
  periodic::Duration unseen{0};
};

/// Figures of a stream since it began.
struct StreamFigures {
  std::uint64_t received = 0;
  periodic::ByteCount bytes{0};
  std::uint64_t lost = 0;     ///< or incomplete
  std::uint64_t late = 0;     ///< of those received: handled later than the latency after they were made
  std::uint64_t sender = 0;   ///< misses by their cause
  std::uint64_t network = 0;  ///< the lost are among them
  std::uint64_t processor = 0;
  periodic::Duration jitter{0};  ///< RFC 3550, 6.4.1
  periodic::Duration delay{0};   ///< of the network over its smallest, a mean of the last 16 or so
};

/// Figures of a stream at its receiver, and who breaks the contract (RTSS, sections 4.1 and 4.2: what the QoS
/// handler is told). The clocks of two hosts differ by an unknown offset and drift. With made(i) on the
/// sender's clock, arrived(i) on ours, and n(i) the number of buffer i:
///
///   x(i) = arrived(i) - made(i)                  delay, and an offset that nobody knows
///   d(i) = x(i) - smallest x of the last 10 s    delay over the smallest; a drift of 100 ppm adds 1 ms
///   g(i) = (n(i) - n(i-1)) / R                   the sender's time from one buffer to the next
///   s(i) = made(i) - (l(i-1) + g(i))             how late the buffer was made
///   l(i) = made(i) after a miss, else l(i-1) + g(i) + s(i) * min(1, g(i) / 2 s)
///
/// l is the logical arrival time of the sender's LBAP (HeiTS), and follows the drift between the sender's
/// clock and the clock of what it samples (at 100 ppm s is 0.2 ms), but not a sender that is slower than
/// promised. An LBAP's own l = max(made, l + 1/R) is never before made and would excuse each delay.
///
/// A buffer is missed if s, d, or the time from when it was ready until its handler began exceeds the jitter;
/// the largest of the three is the cause: Sender, Network, Processor. A lost one is the network's. What of d
/// lies in a time in which nobody looked whether the buffer has come, since the handler of another took it,
/// counts as time until its handler began.
///
/// Silence is when no buffer has come whole for longer than 3 periods and the jitter. Then the sender's word
/// decides:
///
///   paused                                              None
///   stopped                                             Sender
///   it has sent more buffers than are known here        Network
///   it said during the silence that it has not          Sender
///   no word for 3 s                                     Network
///   none of these yet                                   as without silence
///
/// When the sender says that it is live again, its periods, and silence, begin anew.
///
/// Whether the contract is violated (RTSS, section 4.2) is judged over a window of 2 s, or of 8 periods if
/// they are longer. With q the tolerated loss, and of the buffers in the window
///
///   misses = late + lost      tolerated = min(lost, q * (received + lost), rounded up)
///
/// so that losses are excused as far as the contract says, and what came too late never is. The window is
/// longer than the second between two looks, so that no miss falls between them, and has eight buffers, so
/// that one is not most of them. A share of it below one buffer cannot be told from none: it is one.
///
/// Pure: owns no thread or clock. Instants of one method never go back by more than a window.
/// Thread-safe: no. Real-time-safe: yes.
class StreamMeter {
 public:
  static constexpr periodic::Duration kDelayWindow = std::chrono::seconds(10);  ///< of the smallest x
  static constexpr periodic::Duration kFollows = std::chrono::seconds(2);       ///< l follows the drift
  static constexpr periodic::Duration kFaultWindow = std::chrono::seconds(1);   ///< of the fault in force
  static constexpr periodic::Duration kJudgedWindow = std::chrono::seconds(2);  ///< of seen(), at least
  static constexpr int kJudgedPeriods = 8;                                      ///< the same
  static constexpr periodic::Duration kHeartbeatLost = std::chrono::seconds(3);
  static constexpr int kSilentPeriods = 3;
  /// No network holds a buffer so long: the sender's clock was set, and its offset is learnt anew.
  static constexpr periodic::Duration kClockSet = std::chrono::minutes(1);

  /// `now`: the stream begins; silence is counted from here.
  StreamMeter(const StreamPromise& promise, periodic::TimePoint now) noexcept;

  /// The handler begins with a buffer. Says whose fault it is if it is missed.
  StreamFault received(const BufferTimes& buffer) TACTUS_REALTIME;
  /// Buffer `number` was given up: no piece of it came, or not all.
  void lost(std::uint32_t number, periodic::TimePoint now) TACTUS_REALTIME;
  /// A buffer has come whole, even if its handler has not yet begun: there is no silence.
  void heard(periodic::TimePoint now) TACTUS_REALTIME;
  /// A state message came: the sender's state, and how many buffers it has sent since the stream began.
  void heartbeat(SenderState state, std::uint64_t buffers, periodic::TimePoint now) TACTUS_REALTIME;

  /// The fault in force: that of silence, else that of most misses in the last second; of equals the first of
  /// StreamFault.
  [[nodiscard]] StreamFault fault(periodic::TimePoint now) const TACTUS_REALTIME;
  /// Whether nothing has come for longer than the contract allows. Never without a rate.
  [[nodiscard]] bool silent(periodic::TimePoint now) const TACTUS_REALTIME;
  [[nodiscard]] StreamFigures figures() const TACTUS_REALTIME;
  /// What StreamQos is to look at: misses, tolerated, lastMiss and window; the rest is the caller's.
  /// `lastMiss` is the last that was not tolerated. Silence with a fault is one more miss, which lasts.
  [[nodiscard]] periodic::StreamQos::Seen seen(periodic::TimePoint now) const TACTUS_REALTIME;
  /// The same for whoever is elsewhere, with the fault in force.
  [[nodiscard]] StreamJudgement judgement(periodic::TimePoint now) const TACTUS_REALTIME;

  /// The sender goes by another period from now on, that of `rate`; of a promise that has a rate. What was
  /// missed under the former is judged no more.
  void setRate(const periodic::Rate& rate) TACTUS_REALTIME;

 private:
  struct SmallestTransit {
    periodic::Duration value = periodic::Duration::max();
  };
  struct Misses {
    std::array<std::uint32_t, 4> of{};  // by StreamFault
  };
  /// Buffers of which it is known whether they were missed.
  struct Judged {
    std::uint32_t late = 0, lost = 0, due = 0;  // due: all
  };
  struct Heartbeat {
    SenderState state = SenderState::Live;
    std::uint64_t buffers = 0;
    periodic::TimePoint at = {};
  };

  [[nodiscard]] bool originFits(const BufferTimes& buffer) const TACTUS_REALTIME;
  [[nodiscard]] periodic::Duration madeSinceOrigin(periodic::Duration made) const TACTUS_REALTIME;
  [[nodiscard]] periodic::Duration senderLateness(std::uint32_t number,
                                                  periodic::Duration made) TACTUS_REALTIME;
  [[nodiscard]] periodic::Duration networkDelay(periodic::Duration transit,
                                                periodic::TimePoint arrived) TACTUS_REALTIME;
  void know(std::uint32_t number) TACTUS_REALTIME;
  [[nodiscard]] bool isFar(std::int64_t buffers) const TACTUS_REALTIME;
  void count(StreamFault fault, periodic::TimePoint now) TACTUS_REALTIME;
  [[nodiscard]] bool isMute(periodic::TimePoint now) const TACTUS_REALTIME;
  [[nodiscard]] Judged judged(periodic::TimePoint now) const TACTUS_REALTIME;
  [[nodiscard]] std::uint64_t tolerated(const Judged& judged) const TACTUS_REALTIME;
  [[nodiscard]] std::optional<StreamFault> faultOfSilence(periodic::TimePoint now) const TACTUS_REALTIME;
  [[nodiscard]] periodic::Duration longestSilence() const TACTUS_REALTIME;

  StreamPromise m_promise;
  StreamFigures m_figures;
  std::int64_t m_jitter16 = 0, m_delay16 = 0;  // ns, times 16
  SlidingSlots<SmallestTransit, 10> m_smallest{kDelayWindow / 10};
  SlidingSlots<Misses, 10> m_misses{kFaultWindow / 10};
  static constexpr std::size_t kJudgedSlots = 10;
  periodic::Duration m_judgedWindow;
  SlidingSlots<Judged, kJudgedSlots> m_judged;
  periodic::TimePoint m_lastMiss = {};  // that was not tolerated

  // x counts from the first buffer, so that no difference overflows.
  struct Origin {
    periodic::Duration made{0};
    periodic::TimePoint arrived = {};
  };
  std::optional<Origin> m_origin;
  std::optional<periodic::Duration> m_lastTransit;
  struct Logical {
    std::uint32_t number = 0;
    periodic::Duration at{0};  // l, since the origin on the sender's clock
  };
  std::optional<Logical> m_logical;  // absent: the next buffer begins anew

  periodic::TimePoint m_heard;  // when data came last
  std::uint32_t m_known = 0;    // after the newest number received or lost
  std::optional<Heartbeat> m_heartbeat;
  periodic::TimePoint m_begun;
};

}  // namespace tactus::net
