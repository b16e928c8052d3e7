// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

#include "core/net/estimator/arrival_rate.h"
#include "core/net/estimator/windowed_least.h"
#include "core/net/link/bit_rate.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// What transport-wide feedback says of one packet.
struct PacketOutcome {
  periodic::TimePoint sent{};
  std::size_t bytes = 0;
  /// On the receiver's clock, of which only differences count; nullopt: it is lost.
  std::optional<periodic::Duration> arrived = {};
  bool wasLost = false;  ///< it arrived although a report before told that it was lost
};

/// The rate that a path is believed to carry, and why.
struct BandwidthEstimate {
  enum class State { Increasing, Holding, Decreasing };
  enum class Cause { None, Delay, Loss };  ///< of a decrease
  BitRate target;                          ///< at which to send
  BitRate capacity;                        ///< what the path is believed to carry; target without a queue
  BitRate received;                        ///< what arrived over the last moment; 0: not known yet
  periodic::Duration queueing{0};          ///< how long packets wait on the way
  double loss = 0;                         ///< share of packets, smoothed
  State state = State::Holding;
  Cause cause = Cause::None;
};

[[nodiscard]] const char* nameOf(BandwidthEstimate::State state) noexcept;
[[nodiscard]] const char* nameOf(BandwidthEstimate::Cause cause) noexcept;

/// Estimates the rate of a path from what becomes of its packets; the law is in DESIGN.md. After
/// draft-ietf-rmcat-gcc-02 (delay before loss, what arrived as the measure), with the backlog in place of the
/// delay's gradient. Thread-safe: no. Real-time-safe: yes.
class BandwidthEstimator {
 public:
  struct Constants {
    periodic::Duration queue = std::chrono::milliseconds(60);   ///< longest that packets may wait on the way
    periodic::Duration drain = std::chrono::milliseconds(600);  ///< in which a backlog is to be gone
    double decrease = 0.9;                                      ///< of what arrived
    double lost = 0.10;      ///< share of packets; less is repaired by repetition
    double growth = 25'000;  ///< bit/s in a second, right after a decrease
    periodic::Duration doubling = std::chrono::seconds(1);  ///< of the growth
    double headroom = 1.5;                                 ///< of what arrived, up to which the target grows,
    double slack = 100'000;                                ///< and so many bit/s more
    periodic::Duration average = std::chrono::seconds(1);  ///< of loss: a report has few packets
    periodic::Duration patience = std::chrono::seconds(2);  ///< for a queue to become shorter
  };
  struct Range {
    BitRate least, most;
    BitRate start;  ///< brought into the range
  };

  explicit BandwidthEstimator(const Range& range) noexcept : BandwidthEstimator(range, Constants{}) {}
  BandwidthEstimator(const Range& range, const Constants& constants) noexcept;

  /// A report has come. A packet may be told of more than once, and in any order; no packets: nothing
  /// changes.
  const BandwidthEstimate& update(periodic::TimePoint now,
                                  std::span<const PacketOutcome> packets) TACTUS_REALTIME;
  /// Of a peer without such feedback: the share of packets that were lost (RTCP's receiver reports).
  const BandwidthEstimate& update(periodic::TimePoint now, double loss) TACTUS_REALTIME;
  /// Believes that the path carries this much, if it believed less: what is known to pass is never much more
  /// than what was sent, so somebody has to try. If it does not, the next reports say so.
  void raise(BitRate rate) TACTUS_REALTIME;
  [[nodiscard]] const BandwidthEstimate& estimate() const noexcept { return m_estimate; }

 private:
  /// Seconds since the last report, as far as they count.
  double advance(periodic::TimePoint now) TACTUS_REALTIME;
  void arrived(const PacketOutcome& packet) TACTUS_REALTIME;
  /// The delay that the queue causes, in seconds.
  double measureQueue(double step) TACTUS_REALTIME;
  void decide(double step, double queue, std::optional<double> arrived) TACTUS_REALTIME;
  void grow(double step, double arrived) TACTUS_REALTIME;

  const Constants m_constants;
  const double m_least, m_most;  // bits a second, as all rates here; times in seconds
  double m_capacity;
  double m_loss = 0;
  double m_longest = 0;                   // s, of late while the queue stands
  std::optional<double> m_sinceDecrease;  // absent: there was none
  std::optional<periodic::TimePoint> m_last;
  WindowedLeast<4> m_delay;  // of the newest packets
  WindowedLeast<10> m_base;  // without a queue
  ArrivalRate m_received;
  struct Seen {
    double sent = 0, delay = 0;
  };
  std::optional<Seen> m_newest;
  double m_stands = 0, m_standsFor = 0;  // a queue that becomes no shorter, and how long
  BandwidthEstimate m_estimate;
};

}  // namespace tactus::net
