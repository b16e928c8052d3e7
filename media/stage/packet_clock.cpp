// SPDX-License-Identifier: Apache-2.0
#include "media/stage/packet_clock.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/periodic/task/stage.h"

namespace tactus::media {
namespace {

using periodic::Duration;
using periodic::Rate;
using periodic::Stage;
using namespace std::chrono_literals;

// A decoder may be this far ahead: it fills the queue behind it (five pictures) and its own reordering.
constexpr std::uint32_t kPicturesAhead = 10;
constexpr Duration kMostReordered = 1s;
constexpr Duration kLongestSpacing = 1s;
constexpr double kClockSlack = 1.01;
constexpr Duration kMeasuredOver = 1s;
constexpr double kUnknownRate = 25;

}  // namespace

void PacketClock::setStream(const Stream& stream) noexcept {
  m_stream = stream;
  m_rate.declare(stream.rate);
  m_measuredFrom.reset();
  m_reordered = 0s;
}

void PacketClock::beginSegment(double speed) noexcept {
  m_speed = speed;
  m_latest.reset();
}

void PacketClock::flush() noexcept {
  m_last.reset();
  m_first.reset();
  m_latest.reset();
  m_measuredFrom.reset();
}

double PacketClock::pace() const noexcept {
  return std::max(0.01, std::abs(m_speed)) * kClockSlack;
}

Duration PacketClock::paced(Duration streamTime) const noexcept {
  return Duration(static_cast<std::int64_t>(static_cast<double>(streamTime.count()) / pace()));
}

periodic::LbapContract PacketClock::ofPictures() const noexcept {
  return {rate().value_or(periodic::rowOf(Stage::VideoDecode).rate).scaled(pace()), kPicturesAhead};
}

periodic::LbapContract PacketClock::ofSound(std::optional<Duration> packet) const noexcept {
  Rate rate = periodic::rowOf(Stage::AudioDecode).rate;
  if (packet && *packet > 0s) {
    if (const auto measured = Rate::fromPeriod(*packet); measured.ok()) rate = measured.value();
  }
  return {rate.scaled(pace()), static_cast<std::uint32_t>(std::clamp(rate.perSecond(), 4.0, 1000.0))};
}

void PacketClock::measure(Duration decoding, bool follows) noexcept {
  if (!follows || !m_measuredFrom) {
    m_measuredFrom = decoding;
    m_measured = 0;
    return;
  }
  ++m_measured;
  const Duration span = decoding - *m_measuredFrom;
  if (span < kMeasuredOver) return;
  const auto measured = Rate::fromPeriod(span / m_measured);
  m_measuredFrom = decoding;
  m_measured = 0;
  if (measured.ok()) m_rate.measured(measured.value());
}

std::optional<Duration> PacketClock::spacing(const PacketStamps& stamps) noexcept {
  auto decoding = stamps.decoding;
  if (!decoding && m_stream.inDecodingOrder) decoding = stamps.presentation;
  if (decoding) {
    const auto last = std::exchange(m_last, decoding);
    const bool follows = last && *decoding >= *last && *decoding - *last <= kLongestSpacing;
    if (m_stream.pictures) measure(*decoding, follows);
    if (!follows || *decoding == *last) return {};
    return paced(*decoding - *last);
  }
  if (rate() || !stamps.presentation) return {};
  if (!m_first) {
    m_first = m_last = stamps.presentation;
    m_sinceFirst = 0;
    return {};
  }
  m_last = std::max(m_last, stamps.presentation);
  ++m_sinceFirst;
  if (*m_last <= *m_first) return {};
  return paced((*m_last - *m_first) / m_sinceFirst);
}

void PacketClock::meet(Duration running) noexcept {
  // Stamps that run backwards there were set anew, as a jitter buffer does after a pause.
  if (m_stream.inDecodingOrder) return;
  m_latest = std::max(m_latest, std::optional(running));
  m_reordered = std::max(m_reordered, std::min(*m_latest - running, kMostReordered));
  const bool referredTo = m_reordered > 0s && running == *m_latest;
  m_keptBack = referredTo ? m_reordered + (rate() ? rate()->period() : 0s) : Duration{0};
}

periodic::Duration PacketClock::lead() const noexcept {
  const double pictures = 1.0 + m_stream.decoderThreads;
  const double perSecond = rate() ? rate()->perSecond() * m_speed : kUnknownRate;
  return periodic::fromSeconds(pictures / perSecond) + m_reordered;
}

}  // namespace tactus::media
