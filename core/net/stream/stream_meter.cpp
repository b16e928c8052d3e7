// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_meter.h"

#include <algorithm>

#include "core/net/stream/stream_contract.h"

namespace tactus::net {
namespace {

using periodic::Duration;
using periodic::TimePoint;

/// one - other, of numbers that wrap.
std::int32_t ahead(std::uint32_t one, std::uint32_t other) noexcept {
  return static_cast<std::int32_t>(one - other);
}

/// mean += (value - mean) / 16 with `mean16` 16 times the mean, as RFC 3550, A.8 has it.
void addTo(std::int64_t& mean16, Duration value) noexcept {
  mean16 += value.count() - ((mean16 + 8) >> 4);
}

/// The present slot is not yet whole: the others are the window.
Duration slotOf(Duration judgedWindow, std::size_t slots) noexcept {
  return judgedWindow / static_cast<std::int64_t>(slots - 1) + Duration(1);
}

Duration judgedWindowOf(const StreamPromise& promise) noexcept {
  const Duration periods =
      promise.rate ? promise.rate->offsetOf(StreamMeter::kJudgedPeriods) : Duration::zero();
  return std::max(StreamMeter::kJudgedWindow, periods);
}

}  // namespace

StreamMeter::StreamMeter(const StreamPromise& promise, TimePoint now) noexcept
    : m_promise(promise),
      m_judgedWindow(judgedWindowOf(promise)),
      m_judged(slotOf(m_judgedWindow, kJudgedSlots)),
      m_heard(now),
      m_begun(now) {}

StreamFault StreamMeter::received(const BufferTimes& buffer) TACTUS_REALTIME {
  ++m_figures.received;
  m_figures.bytes = periodic::ByteCount{static_cast<std::uint64_t>(m_figures.bytes) + buffer.bytes};
  heard(buffer.arrived);
  know(buffer.number);
  if (!m_origin || !originFits(buffer)) {
    m_origin = Origin{buffer.made, buffer.arrived};
    m_lastTransit.reset();
    m_logical.reset();
    m_smallest.clear();
  }
  const Duration made = madeSinceOrigin(buffer.made);
  const Duration transit = (buffer.arrived - m_origin->arrived) - made;
  const Duration overSmallest = networkDelay(transit, buffer.arrived);
  const Duration unsure = std::clamp(buffer.unseen, Duration::zero(), overSmallest);
  const Duration delay = overSmallest - unsure;
  const TimePoint arrived = buffer.arrived - unsure;
  if (m_lastTransit) {
    const Duration change = transit - *m_lastTransit;
    addTo(m_jitter16, change < Duration::zero() ? -change : change);
  }
  m_lastTransit = transit;
  addTo(m_delay16, delay);
  if (delay + (buffer.begun - arrived) > m_promise.latency) ++m_figures.late;

  const Duration sender = senderLateness(buffer.number, made);
  const Duration processor = buffer.begun - std::max(arrived, buffer.due);
  const Duration worst = std::max({sender, delay, processor});
  StreamFault fault = StreamFault::None;
  if (worst > m_promise.jitter) {
    fault = StreamFault::Processor;
    if (worst == delay) fault = StreamFault::Network;
    if (worst == sender) fault = StreamFault::Sender;
  }
  count(fault, buffer.begun);
  Judged& judged = m_judged.at(buffer.begun);
  ++judged.due;
  if (fault != StreamFault::None) {
    ++judged.late;
    m_lastMiss = std::max(m_lastMiss, buffer.begun);
  }
  return fault;
}

void StreamMeter::lost(std::uint32_t number, TimePoint now) TACTUS_REALTIME {
  ++m_figures.lost;
  know(number);
  count(StreamFault::Network, now);
  Judged& slot = m_judged.at(now);
  ++slot.due;
  ++slot.lost;
  const Judged all = judged(now);
  if (all.lost > tolerated(all)) m_lastMiss = std::max(m_lastMiss, now);
}

StreamMeter::Judged StreamMeter::judged(TimePoint now) const TACTUS_REALTIME {
  Judged all;
  m_judged.forEach(now, [&](const Judged& each) {
    all.late += each.late;
    all.lost += each.lost;
    all.due += each.due;
  });
  return all;
}

/// Of those lost.
std::uint64_t StreamMeter::tolerated(const Judged& judged) const TACTUS_REALTIME {
  constexpr std::uint64_t kUnit = StreamContract::kLossUnit;
  const std::uint64_t most = (std::uint64_t{m_promise.toleratedLoss} * judged.due + kUnit - 1) / kUnit;
  return std::min<std::uint64_t>(judged.lost, most);
}

periodic::StreamQos::Seen StreamMeter::seen(TimePoint now) const TACTUS_REALTIME {
  const Judged all = judged(now);
  periodic::StreamQos::Seen seen;
  seen.misses = std::uint64_t{all.late} + all.lost;
  seen.tolerated = tolerated(all);
  seen.lastMiss = m_lastMiss;
  seen.window = m_judgedWindow;
  if (isMute(now) && faultOfSilence(now).value_or(StreamFault::None) != StreamFault::None) {
    ++seen.misses;
    seen.lastMiss = now;
  }
  return seen;
}

StreamJudgement StreamMeter::judgement(TimePoint now) const TACTUS_REALTIME {
  const periodic::StreamQos::Seen those = seen(now);
  StreamJudgement judgement;
  judgement.misses = those.misses;
  judgement.tolerated = those.tolerated;
  judgement.due = judged(now).due;
  judgement.window = those.window;
  judgement.since = std::max(Duration::zero(), now - those.lastMiss);
  judgement.fault = fault(now);
  return judgement;
}

void StreamMeter::setRate(const periodic::Rate& rate) TACTUS_REALTIME {
  m_promise.rate = rate;
  m_judgedWindow = judgedWindowOf(m_promise);
  m_judged = SlidingSlots<Judged, kJudgedSlots>(slotOf(m_judgedWindow, kJudgedSlots));
  m_misses.clear();
  m_logical.reset();
}

void StreamMeter::heard(TimePoint now) TACTUS_REALTIME {
  m_heard = std::max(m_heard, now);
}

void StreamMeter::heartbeat(SenderState state, std::uint64_t buffers, TimePoint now) TACTUS_REALTIME {
  const bool wasLive = m_heartbeat && m_heartbeat->state == SenderState::Live;
  if (state == SenderState::Live && !wasLive) {
    heard(now);
    m_known = static_cast<std::uint32_t>(buffers);
  }
  if (state != SenderState::Live) m_logical.reset();
  m_heartbeat = {state, buffers, now};
}

bool StreamMeter::originFits(const BufferTimes& buffer) const TACTUS_REALTIME {
  const Duration made = madeSinceOrigin(buffer.made);
  const Duration passed = buffer.arrived - m_origin->arrived;
  return made > passed - kClockSet && made < passed + kClockSet;
}

Duration StreamMeter::madeSinceOrigin(Duration made) const TACTUS_REALTIME {
  // Unsigned: the peer may say anything, and signed overflow is undefined.
  return Duration(static_cast<std::int64_t>(static_cast<std::uint64_t>(made.count()) -
                                            static_cast<std::uint64_t>(m_origin->made.count())));
}

Duration StreamMeter::networkDelay(Duration transit, TimePoint arrived) TACTUS_REALTIME {
  SmallestTransit& slot = m_smallest.at(arrived);
  slot.value = std::min(slot.value, transit);
  Duration smallest = transit;
  m_smallest.forEach(arrived,
                     [&](const SmallestTransit& each) { smallest = std::min(smallest, each.value); });
  return transit - smallest;
}

Duration StreamMeter::senderLateness(std::uint32_t number, Duration made) TACTUS_REALTIME {
  const bool live = !m_heartbeat || m_heartbeat->state == SenderState::Live;
  if (!m_promise.rate || !live) return Duration::zero();
  const std::int64_t passed = m_logical ? ahead(number, m_logical->number) : 0;
  if (!m_logical || isFar(passed)) {  // the first, or of a sender that began anew
    m_logical = Logical{number, made};
    return Duration::zero();
  }
  if (passed <= 0) return Duration::zero();  // overtaken by others, or the same again
  const Duration gap = m_promise.rate->offsetOf(passed);
  const Duration expected = m_logical->at + gap;
  const Duration lateness = made - expected;
  Duration logical = made;
  if (lateness <= m_promise.jitter) {
    const double part = std::min(1.0, periodic::inSeconds(gap) / periodic::inSeconds(kFollows));
    logical = expected + periodic::fromSeconds(periodic::inSeconds(lateness) * part);
  }
  m_logical = Logical{number, logical};
  return lateness;
}

void StreamMeter::know(std::uint32_t number) TACTUS_REALTIME {
  const std::int32_t newer = ahead(number + 1, m_known);
  if (newer > 0 || isFar(newer)) m_known = number + 1;
}

/// Whether numbers differ by more than passes in a window: the sender counts anew.
bool StreamMeter::isFar(std::int64_t buffers) const TACTUS_REALTIME {
  if (!m_promise.rate) return false;
  const std::int64_t most = kDelayWindow / m_promise.rate->period() + 1;
  return buffers > most || buffers < -most;
}

void StreamMeter::count(StreamFault fault, TimePoint now) TACTUS_REALTIME {
  if (fault == StreamFault::None) return;
  ++m_misses.at(now).of[static_cast<std::size_t>(fault)];
  if (fault == StreamFault::Sender) ++m_figures.sender;
  if (fault == StreamFault::Network) ++m_figures.network;
  if (fault == StreamFault::Processor) ++m_figures.processor;
}

StreamFault StreamMeter::fault(TimePoint now) const TACTUS_REALTIME {
  if (isMute(now)) {
    const auto known = faultOfSilence(now);
    if (known) return *known;
  }
  Misses all;
  m_misses.forEach(now, [&](const Misses& each) {
    for (std::size_t i = 0; i < all.of.size(); ++i) all.of[i] += each.of[i];
  });
  std::size_t most = 0;
  for (std::size_t i = 1; i < all.of.size(); ++i)
    if (all.of[i] > all.of[most]) most = i;
  return static_cast<StreamFault>(most);
}

Duration StreamMeter::longestSilence() const TACTUS_REALTIME {
  return m_promise.rate ? m_promise.rate->offsetOf(kSilentPeriods) + m_promise.jitter : Duration::max();
}

bool StreamMeter::silent(TimePoint now) const TACTUS_REALTIME {
  return now - m_heard > longestSilence();
}

/// Silent, or dead, which is judged without a rate as well.
bool StreamMeter::isMute(TimePoint now) const TACTUS_REALTIME {
  return silent(now) || now - m_heard > kHeartbeatLost;
}

/// nullopt: nobody knows yet.
std::optional<StreamFault> StreamMeter::faultOfSilence(TimePoint now) const TACTUS_REALTIME {
  if (now - (m_heartbeat ? m_heartbeat->at : m_begun) > kHeartbeatLost) return StreamFault::Network;
  if (!m_heartbeat) return std::nullopt;
  if (m_heartbeat->state == SenderState::Paused || m_heartbeat->state == SenderState::Ended)
    return StreamFault::None;
  if (m_heartbeat->state == SenderState::Stopped) return StreamFault::Sender;
  if (!m_promise.rate) return std::nullopt;
  // Buffer n is the (n + 1)th.
  if (ahead(static_cast<std::uint32_t>(m_heartbeat->buffers), m_known) > 0) return StreamFault::Network;
  const bool saidInSilence = m_heartbeat->at - m_heard > longestSilence();
  if (saidInSilence) return StreamFault::Sender;
  return std::nullopt;
}

StreamFigures StreamMeter::figures() const TACTUS_REALTIME {
  StreamFigures figures = m_figures;
  figures.jitter = Duration(m_jitter16 >> 4);
  figures.delay = Duration(m_delay16 >> 4);
  return figures;
}

}  // namespace tactus::net
