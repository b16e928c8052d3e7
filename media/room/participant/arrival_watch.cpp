// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/arrival_watch.h"

#include <cmath>

namespace tactus::media {
namespace {

using periodic::Duration;
using periodic::TimePoint;

/// Looks that follow each other sooner count as one: it bounds what is kept.
constexpr Duration kStep = std::chrono::milliseconds(50);

std::uint64_t since(std::uint64_t now, std::uint64_t before) noexcept {
  return now > before ? now - before : 0;
}

bool isSame(const SourceLimit& one, const SourceLimit& other) noexcept {
  return one.place == other.place && one.shown == other.shown;
}

}  // namespace

const SourceLimit& ArrivalWatch::look(TimePoint now, const Counters& counters) {
  if (!counters.expected || counters.pictures == 0) {
    m_samples.clear();
    m_said = m_found = {};
    return m_said;
  }
  if (m_samples.empty()) {
    begin(now, counters);
  } else if (now - m_samples.back().at >= kStep) {
    note(now, counters);
    say(now, judge(now));
  }
  return m_said;
}

void ArrivalWatch::begin(TimePoint now, const Counters& counters) {
  m_samples.push_back({now, counters});
  m_pictureAt = m_heardAt = m_foundAt = now;
}

void ArrivalWatch::note(TimePoint now, const Counters& counters) {
  const Counters& before = m_samples.back().counters;
  if (counters.picturePackets != before.picturePackets) m_pictureAt = now;
  if (counters.heard != before.heard) m_heardAt = now;
  m_samples.push_back({now, counters});
  while (m_samples[1].at <= now - m_constants.window) m_samples.pop_front();
}

SourceLimit ArrivalWatch::judge(TimePoint now) {
  const Sample &first = m_samples.front(), &last = m_samples.back();
  const auto lost = static_cast<double>(since(last.counters.lost, first.counters.lost));
  const auto came = static_cast<double>(since(last.counters.picturePackets, first.counters.picturePackets) +
                                        since(last.counters.soundPackets, first.counters.soundPackets));
  const double share = lost > 0 ? lost / (lost + came) : 0;
  const bool loses = share >= m_constants.lost;
  if (!loses && isSilent(now))
    return {.place = SourceLimit::Place::TheirProgram, .shown = SourceLimit::Shown::NoPicture};
  if (now - first.at < m_constants.window) return {};
  const auto pictures = since(last.counters.pictures, first.counters.pictures);
  const double rate = static_cast<double>(pictures) / periodic::inSeconds(last.at - first.at);
  if (!loses) learn(rate, last.at - m_samples[m_samples.size() - 2].at);
  if (!loses || !m_usual || rate >= m_constants.whole * *m_usual) return {};
  return {.place = SourceLimit::Place::OwnLine,
          .shown = pictures == 0 ? SourceLimit::Shown::NoPicture : SourceLimit::Shown::FewerPictures,
          .lost = share};
}

void ArrivalWatch::learn(double rate, Duration step) {
  const double weight = 1 - std::exp(-periodic::inSeconds(step) / periodic::inSeconds(m_constants.remember));
  m_usual = m_usual ? *m_usual + (rate - *m_usual) * weight : rate;
}

/// Others that came together with the last picture do not show that the line still carries anything.
bool ArrivalWatch::isSilent(TimePoint now) const {
  return now - m_pictureAt >= m_constants.silence && m_heardAt - m_pictureAt >= m_constants.apart &&
         now - m_heardAt <= m_constants.alive;
}

void ArrivalWatch::say(TimePoint now, const SourceLimit& found) {
  if (!isSame(found, m_found)) m_foundAt = now;
  m_found = found;
  if (isSame(found, m_said) || now - m_foundAt >= m_constants.settle) m_said = found;
}

}  // namespace tactus::media
