// SPDX-License-Identifier: Apache-2.0
#include "core/net/estimator/bandwidth_estimator.h"

#include <algorithm>
#include <cmath>

namespace tactus::net {
namespace {

using periodic::inSeconds;
using State = BandwidthEstimate::State;
using Cause = BandwidthEstimate::Cause;

constexpr double kLongestStep = 1;    // s: a report that was long in coming says nothing of the time before
constexpr double kLeap = 5;           // s by which only a clock that was set changes a delay
constexpr double kDelaySlot = 0.02;   // s; four of them have the beginning of a picture
constexpr double kBaseSlot = 1;       // s; ten of them: clocks that differ by 100 ppm drift by 1 ms
constexpr double kRateWindow = 0.3;   // s
constexpr double kFewLost = 0.025;    // a queue that is full loses more, or what is sent fits just so
constexpr double kMostDrained = 0.5;  // share of the capacity
constexpr double kShorter = 0.8;      // a queue that has fallen to this share becomes shorter
constexpr double kFull = 0.9;         // a queue that is full stays as long as it was, but for jitter

BitRate rateOf(double bits) noexcept {
  return BitRate::perSecond(
      static_cast<std::int64_t>(std::clamp(bits, 0.0, static_cast<double>(BitRate::kLargest))));
}

}  // namespace

const char* nameOf(State state) noexcept {
  switch (state) {
    case State::Increasing:
      return "increasing";
    case State::Holding:
      return "holding";
    case State::Decreasing:
      return "decreasing";
  }
  return "";
}

const char* nameOf(Cause cause) noexcept {
  switch (cause) {
    case Cause::None:
      return "none";
    case Cause::Delay:
      return "delay";
    case Cause::Loss:
      return "loss";
  }
  return "";
}

BandwidthEstimator::BandwidthEstimator(const Range& range, const Constants& constants) noexcept
    : m_constants(constants),
      m_least(static_cast<double>(std::min(range.least, range.most).bits())),
      m_most(static_cast<double>(range.most.bits())),
      m_capacity(std::clamp(static_cast<double>(range.start.bits()), m_least, m_most)),
      m_delay(kDelaySlot),
      m_base(kBaseSlot),
      m_received(kRateWindow) {
  m_estimate.target = m_estimate.capacity = rateOf(m_capacity);
}

const BandwidthEstimate& BandwidthEstimator::update(periodic::TimePoint now,
                                                    std::span<const PacketOutcome> packets) TACTUS_REALTIME {
  if (packets.empty()) return m_estimate;
  const double step = advance(now);
  double lost = 0;
  for (const PacketOutcome& each : packets) {
    if (each.arrived) arrived(each);
    lost += each.arrived ? (each.wasLost ? -1 : 0) : 1;
  }
  m_received.endReport();
  const double share = lost / static_cast<double>(packets.size());
  m_loss = std::max(0.0, share + (m_loss - share) * std::exp(-step / inSeconds(m_constants.average)));
  decide(step, measureQueue(step), m_received.rate());
  return m_estimate;
}

const BandwidthEstimate& BandwidthEstimator::update(periodic::TimePoint now, double loss) TACTUS_REALTIME {
  const double step = advance(now);
  const double share = loss > 0 ? std::min(loss, 1.0) : 0;
  m_loss = share + (m_loss - share) * std::exp(-step / inSeconds(m_constants.average));
  decide(step, 0, m_capacity * (1 - share));
  return m_estimate;
}

void BandwidthEstimator::raise(BitRate rate) TACTUS_REALTIME {
  const double raised = std::clamp(static_cast<double>(rate.bits()), m_least, m_most);
  if (raised <= m_capacity) return;
  m_capacity = raised;
  m_estimate.target = m_estimate.capacity = rateOf(raised);
}

double BandwidthEstimator::advance(periodic::TimePoint now) TACTUS_REALTIME {
  const auto secondsOf = [](periodic::TimePoint instant) { return inSeconds(instant.time_since_epoch()); };
  const double step = m_last ? std::clamp(secondsOf(now) - secondsOf(*m_last), 0.0, kLongestStep) : 0;
  m_last = now;
  return step;
}

void BandwidthEstimator::arrived(const PacketOutcome& packet) TACTUS_REALTIME {
  // As numbers with a point: no instant of a stranger overflows.
  const double sent = inSeconds(packet.sent.time_since_epoch());
  const double instant = inSeconds(*packet.arrived);
  const double delay = instant - sent;
  if (m_newest && (std::abs(delay - m_newest->delay) > kLeap || sent < m_newest->sent - kLeap)) {
    m_newest.reset();
    m_delay.clear();
    m_base.clear();
    m_received.clear();
  }
  if (!m_newest || m_newest->sent < sent) m_newest = Seen{sent, delay};
  m_delay.put(sent, delay);
  m_base.put(sent, delay);
  m_received.arrived(instant, static_cast<double>(packet.bytes));
}

double BandwidthEstimator::measureQueue(double step) TACTUS_REALTIME {
  const auto delay = m_delay.least(), base = m_base.least();
  if (!delay || !base) return 0;
  const double queue = std::max(0.0, *delay - *base);
  const bool stands = queue > inSeconds(m_constants.queue) / 2;
  if (!stands || queue > m_stands || queue < kShorter * m_stands || m_loss > kFewLost) {
    m_stands = stands ? queue : 0;
    m_standsFor = 0;
  } else if ((m_standsFor += step) > inSeconds(m_constants.patience)) {
    // The path has become longer, or the queue is not ours: what we send makes it no shorter.
    m_base.clear();
    m_base.put(m_newest->sent, *delay);
    m_stands = m_standsFor = 0;
    return 0;
  }
  return queue;
}

void BandwidthEstimator::decide(double step, double queue, std::optional<double> arrived) TACTUS_REALTIME {
  const bool queues = queue > inSeconds(m_constants.queue), loses = m_loss > m_constants.lost;
  m_estimate.cause = queues ? Cause::Delay : loses ? Cause::Loss : Cause::None;
  m_estimate.state = queues || loses ? State::Decreasing : State::Holding;
  m_estimate.loss = m_loss;
  if (queues) {
    // What arrives while a queue stands is what the path carries, be it less or more than was believed.
    if (arrived) {
      const double carried = m_constants.decrease * *arrived;
      m_capacity = queue >= kFull * m_longest ? carried : std::max(m_capacity, carried);
    }
    m_longest = std::max(queue, m_longest * std::exp(-step / inSeconds(m_constants.patience)));
  } else if (loses) {
    m_capacity = m_constants.decrease * arrived.value_or(m_capacity);
  } else if (arrived) {
    grow(step, *arrived);
  }
  if (!queues) m_longest = 0;
  if (loses) m_loss = 0;
  if (queues || loses) m_sinceDecrease = 0;
  m_capacity = std::clamp(m_capacity, m_least, m_most);
  const double excess = std::max(0.0, queue - inSeconds(m_constants.queue));
  const double drained = std::max(kMostDrained, 1 - excess / inSeconds(m_constants.drain));
  m_estimate.target = rateOf(std::max(m_least, m_capacity * drained));
  m_estimate.capacity = rateOf(m_capacity);
  m_estimate.received = rateOf(arrived.value_or(0));
  m_estimate.queueing = periodic::fromSeconds(queue);
}

void BandwidthEstimator::grow(double step, double arrived) TACTUS_REALTIME {
  const double fastest = m_capacity / inSeconds(m_constants.drain);
  double growth = fastest;
  if (m_sinceDecrease) {
    const double doubled = std::exp2(*m_sinceDecrease / inSeconds(m_constants.doubling));
    growth = std::min(m_constants.growth * doubled, fastest);
  }
  const double wanted = m_capacity + growth * step;
  const double bound = std::min(m_most, m_constants.headroom * arrived + m_constants.slack);
  if (wanted <= bound && m_sinceDecrease) *m_sinceDecrease += step;
  const double grown = std::max(m_capacity, std::min(wanted, bound));
  if (grown > m_capacity) m_estimate.state = State::Increasing;
  m_capacity = grown;
}

}  // namespace tactus::net
