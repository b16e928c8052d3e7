// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/net/link/bit_rate.h"
#include "core/periodic/time/time.h"

namespace tactus::media {

/// What the other end says of the packets sent to it, over the last moment.
struct PathFeedback {
  net::BitRate received;   ///< of what arrived
  double loss = 0;         ///< share of the packets sent that did not arrive
  double delayGrowth = 0;  ///< seconds a second by which packets took longer to arrive
};

/// The rate at which a call's pictures are encoded: additive increase, multiplicative decrease (Chiu and Jain
/// 1989), by the growth of the delay as in draft-ietf-rmcat-gcc-02, and by loss. With r the rate, q the delay
/// that waiting packets cause, dt the time between two reports:
///
///     q  = max(0, q * exp(-dt / forget) + delayGrowth * dt)
///     l  = loss + (l - loss) * exp(-dt / average)
///     r  = decrease * min(r, received)   if q > queue or l > lost, at most once in `hold`; then q = l = 0
///     r  = r + growth * most * dt        else
///     r  in [least, most]
///
/// Thread-safe: no. Real-time-safe: yes.
class EncoderRate {
 public:
  struct Constants {
    double growth = 0.05;    ///< share of `most` in a second
    double decrease = 0.85;  ///< of what arrived
    double lost = 0.10;      ///< share of packets; less is repaired by repetition
    periodic::Duration queue = std::chrono::milliseconds(80);  ///< longest that packets may wait on the way
    periodic::Duration hold = std::chrono::milliseconds(500);  ///< until a decrease shows its effect
    periodic::Duration average = std::chrono::seconds(1);      ///< of loss: a report has few packets
    periodic::Duration forget = std::chrono::seconds(5);       ///< of errors that add up in q
  };

  /// `most` is what is wanted, with which it begins.
  EncoderRate(net::BitRate least, net::BitRate most) noexcept : EncoderRate(least, most, Constants{}) {}
  EncoderRate(net::BitRate least, net::BitRate most, const Constants& constants) noexcept
      : m_constants(constants), m_least(least), m_most(most), m_rate(static_cast<double>(most.bits())) {}

  /// A report has come; the rate from now on.
  net::BitRate update(periodic::TimePoint now, const PathFeedback& feedback) noexcept;
  [[nodiscard]] net::BitRate rate() const noexcept {
    return net::BitRate::perSecond(static_cast<std::int64_t>(m_rate));
  }
  /// Delay that waiting packets are believed to cause on the way.
  [[nodiscard]] periodic::Duration queueing() const noexcept { return periodic::fromSeconds(m_queue); }

 private:
  const Constants m_constants;
  const net::BitRate m_least, m_most;
  double m_rate;       // bits a second
  double m_queue = 0;  // s
  double m_loss = 0;   // share
  periodic::TimePoint m_last{}, m_heldUntil{};
  bool m_begun = false;
};

}  // namespace tactus::media
