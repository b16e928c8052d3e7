// SPDX-License-Identifier: Apache-2.0
#include "media/stage/shedder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tactus::media {
namespace {

using periodic::Duration;

constexpr Duration kKeptApart = std::chrono::seconds(1);
constexpr int kSeenAtMost = 64;  // groups of pictures repeat sooner

}  // namespace

void Shedder::setStream(bool alone, Duration period) noexcept {
  m_alone = alone;
  m_period = period;
  m_gridPlaced = false;
  m_seen = 0;
}

void Shedder::flush() noexcept {
  m_references = References::Whole;
  m_holdsKeyframe = false;
  m_gridPlaced = false;
  m_catchUp = {};
}

/// Whether decoding can begin with this packet. In the last stage (`only`) of a stream of keyframes, only one
/// a second counts as such: other films have about as many.
bool Shedder::startsAnew(const Packet& packet, bool only) noexcept {
  if (!m_alone || !only || !packet.presentation) {
    m_kept.reset();
    return packet.keyframe;
  }
  const bool first = !m_kept || *packet.presentation < *m_kept;
  if (!first && *packet.presentation - *m_kept < kKeptApart) return false;
  m_kept = packet.presentation;
  return true;
}

bool Shedder::isLeading(const Packet& packet, bool keyframe) noexcept {
  if (keyframe || m_references != References::Resumed) return false;
  if (m_resumedAt && packet.presentation && *packet.presentation < *m_resumedAt) return true;
  m_references = References::Whole;
  return false;
}

void Shedder::placeGrid(const Packet& packet) noexcept {
  if (m_gridPlaced || !packet.presentation) return;
  m_gridPlaced = true;
  m_filter->setGrid(m_period, *packet.presentation);
}

Shedder::Judgement Shedder::judge(const Packet& packet, bool unseen, std::optional<periodic::TimePoint> due,
                                  periodic::TimePoint now) noexcept {
  placeGrid(packet);
  const bool only = !unseen && m_keyframesOnly.load(std::memory_order_relaxed);
  const bool keyframe = startsAnew(packet, only);
  const bool skipped = m_catchUp.skipping();
  if (unseen || !due) m_catchUp = {};
  const bool skips = !unseen && due && m_catchUp.skips(now, now - *due, keyframe);
  if (m_references == References::Broken && !skips) {
    if (keyframe) {
      m_references = References::Resumed;
      m_resumedAt = packet.presentation;
    } else if (skipped) {  // no keyframe came in time: damaged pictures are better than none
      m_references = References::Whole;
    }
  }
  const bool leading = isLeading(packet, keyframe);
  if (!skips && (keyframe || !only)) m_holdsKeyframe = keyframe && !m_alone;
  if (skips || leading || (!keyframe && (only || m_references == References::Broken))) {
    if (!leading) m_references = References::Broken;
    m_toKeyframe.fetch_add(1, std::memory_order_relaxed);
    if (only) m_byLastStage.fetch_add(1, std::memory_order_relaxed);
    return {Fate::ToKeyframe, std::exchange(m_holdsKeyframe, false)};
  }
  if (unseen || !filteredOut(packet)) return {};
  m_thinned.fetch_add(1, std::memory_order_relaxed);
  return {Fate::Thinned};
}

bool Shedder::filteredOut(const Packet& packet) noexcept {
  const double share = m_disposable.load(std::memory_order_relaxed);
  m_seen = std::min(m_seen + 1, kSeenAtMost);
  m_disposable.store(share + ((packet.disposable ? 1.0 : 0.0) - share) / m_seen, std::memory_order_relaxed);
  if (!packet.presentation) return false;
  // Every picture is asked for here, since here it is decided; the sink hears the same answer later.
  const bool runs = m_filter->runs(*packet.presentation).value_or(true);
  return packet.disposable && !runs;
}

double Shedder::reservedFrequency() const noexcept {
  const double given = disposable() * (1 - m_filter->frequency());
  return std::clamp(std::ceil((1 - given) * 10) / 10, 0.1, 1.0);
}

}  // namespace tactus::media
