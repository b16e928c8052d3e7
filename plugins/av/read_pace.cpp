// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/read_pace.h"

#include <algorithm>
#include <cmath>

namespace tactus::plugins::av {
namespace {

using periodic::Duration;
using periodic::Rate;

constexpr double kFaster = 1.1;  // than the film: what was read late is made up for
constexpr Duration kMeasuredOver = std::chrono::seconds(2);
constexpr double kUnknownRate = 75;
constexpr double kMostAhead = 1e6;  // packets
constexpr double kSlowest = 0.01;

}  // namespace

std::optional<Rate> ReadPace::declaredBy(const std::vector<FilmStream>& streams) {
  double sum = 0;
  for (const FilmStream& stream : streams) {
    const bool pictures = stream.kind == AVMEDIA_TYPE_VIDEO && !stream.isCover();
    if (!pictures && stream.kind != AVMEDIA_TYPE_AUDIO) continue;
    const auto& sound = *stream.parameters;
    double rate = 0;
    if (pictures) rate = av_q2d(stream.rate);
    if (!pictures && sound.frame_size > 0) rate = static_cast<double>(sound.sample_rate) / sound.frame_size;
    if (rate <= 0) return {};
    sum += rate;
  }
  const auto declared = Rate::fromPeriod(sum > 0 ? periodic::fromSeconds(1 / sum) : Duration{0});
  return declared.ok() ? std::optional(declared.value()) : std::nullopt;
}

void ReadPace::begin(std::optional<Rate> declared) noexcept {
  m_rate.declare(declared);
  flush();
}

void ReadPace::note(std::optional<Duration> instant) noexcept {
  ++m_packets;
  if (!instant) return;
  const bool follows = m_from && *instant >= *m_from - kMeasuredOver && *instant <= m_reached + kMeasuredOver;
  if (!follows) {
    m_from = m_reached = *instant;
    m_packets = 0;
    return;
  }
  m_reached = std::max(m_reached, *instant);
  const Duration span = m_reached - *m_from;
  if (span < kMeasuredOver) return;
  const auto measured = Rate::fromPeriod(span / m_packets);
  m_from = m_reached;
  m_packets = 0;
  if (measured.ok()) m_rate.measured(measured.value());
}

periodic::LbapContract ReadPace::lbap() const noexcept {
  const double perSecond = rate() ? rate()->perSecond() : kUnknownRate;
  const double ahead = std::ceil(perSecond * periodic::inSeconds(m_ahead));
  const Rate rate = m_rate.rate().value_or(Rate::perSecond(static_cast<std::int64_t>(kUnknownRate)));
  return {rate.scaled(std::max(kSlowest, m_speed) * kFaster),
          static_cast<std::uint32_t>(std::clamp(ahead, 1.0, kMostAhead))};
}

}  // namespace tactus::plugins::av
