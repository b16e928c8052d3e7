// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/egress_leg.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "media/room/egress/keyframe_start.h"

namespace tactus::media {

using periodic::TimePoint;

EgressLeg::EgressLeg(EgressChannel& channel, const AgreedTrack& track, RtpPosition first,
                     std::unique_ptr<EgressFlow> flow)
    : m_channel(channel),
      m_encoding(track.codec.encoding),
      m_stream(track.stream),
      m_retransmission(track.retransmission),
      m_rewriter(track.codec.clockRate, first),
      m_flow(std::move(flow)) {}

void EgressLeg::follow(Source source) TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  m_next = nullptr;
  if (source != m_source) begin(source);  // it may have taken over by itself just now
}

void EgressLeg::begin(Source source) TACTUS_REALTIME {
  m_source = source;
  m_next = nullptr;
  m_picture.reset();
  m_rewriter.restart();
}

void EgressLeg::await(Source source) TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  m_next = source;
}

void EgressLeg::leave(Source source) TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  if (m_source == source) m_source = nullptr;
  if (m_next == source) m_next = nullptr;
}

EgressLeg::Source EgressLeg::source() const TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  return m_source;
}

bool EgressLeg::beginsKeyframe(const RtpView& packet) const TACTUS_REALTIME {
  return m_encoding == "VP8" ? beginsVp8Keyframe(packet.payload) : beginsH264Keyframe(packet.payload);
}

/// Of the packets those that go, if there is room: of the next source from its keyframe on.
std::span<const RtpView> EgressLeg::taken(Source source, std::span<const RtpView> packets,
                                          TimePoint now) TACTUS_REALTIME {
  if (source == m_source) return packets;
  if (source != m_next) return {};
  const auto first = std::find_if(packets.begin(), packets.end(), [this](const RtpView& packet) {
    return !isOfPictures() || beginsKeyframe(packet);
  });
  if (first == packets.end()) return {};
  begin(source);
  if (isOfPictures()) m_channel.beginPictures(now);
  ++m_figures.switches;
  return packets.subspan(static_cast<std::size_t>(first - packets.begin()));
}

void EgressLeg::forward(Source source, std::span<const RtpView> packets, TimePoint now) TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  if (!m_channel.isOpen()) return;
  for (const RtpView& packet : taken(source, packets, now)) {
    if (packet.payload.size() > kLongestRtpPayload) {
      ++m_figures.tooLong;
      continue;
    }
    if (!goes(packet, now)) {
      ++m_figures.withheld;
      continue;
    }
    const auto position = m_rewriter.rewrite(packet, now);
    if (!position) continue;
    const ClearPacket clear{
        .terms = &m_stream, .position = *position, .marker = packet.marker, .payload = packet.payload};
    if (!m_flow->send(m_channel, clear, now)) continue;
    ++m_figures.packets;
    m_figures.bytes += packet.payload.size();
  }
  m_flow->flush();
}

/// Pictures go as a whole, or not at all; what was withheld is not missing in the stream.
bool EgressLeg::goes(const RtpView& packet, TimePoint now) TACTUS_REALTIME {
  if (!isOfPictures() || m_picture == packet.timestamp) return m_goes;
  m_picture = packet.timestamp;
  const bool before = std::exchange(m_goes, m_channel.admits(beginsKeyframe(packet), m_goes, now));
  if (m_goes && !before) m_rewriter.restart();
  return m_goes;
}

bool EgressLeg::withholds() const TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  return !m_goes;
}

bool EgressLeg::wantsKeyframe(TimePoint now) const TACTUS_REALTIME {
  return withholds() && m_channel.hasRoomForPictures(now);
}

void EgressLeg::repeat(const RetransmissionHistory& history, std::uint16_t sequence,
                       TimePoint now) TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  ++m_figures.asked;
  if (sendAgainLocked(history, sequence, now) == 0) return;
  ++m_figures.repeated;
  m_flow->flush();
}

std::size_t EgressLeg::pad(const RetransmissionHistory& history, std::size_t bytes,
                           TimePoint now) TACTUS_REALTIME {
  constexpr std::uint16_t kNewest = 64;
  const std::lock_guard lock(m_mutex);
  std::size_t packets = 0, sent = 0;
  for (bool any = true; any && sent < bytes;) {
    any = false;
    for (std::uint16_t back = 0; back < kNewest && sent < bytes; ++back) {
      const auto sequence = static_cast<std::uint16_t>(m_rewriter.last() - back);
      const std::size_t went = sendAgainLocked(history, sequence, now);
      if (went == 0) continue;
      any = true;
      sent += went;
      ++packets;
    }
  }
  m_figures.padded += packets;
  m_flow->flush();
  return packets;
}

/// Its bytes; 0: it does not go.
std::size_t EgressLeg::sendAgainLocked(const RetransmissionHistory& history, std::uint16_t sequence,
                                       TimePoint now) TACTUS_REALTIME {
  const auto original = m_rewriter.originalOf(sequence);
  if (!m_retransmission || !original) return 0;
  const auto packet = history.find(m_rewriter.source(), *original, now);
  if (!packet) return 0;
  const ClearPacket clear{.terms = &*m_retransmission,
                          .position = {m_nextRepetition, m_rewriter.timestampOf(packet->timestamp)},
                          .marker = packet->marker,
                          .original = sequence,
                          .payload = packet->payload};
  ++m_nextRepetition;  // also if it does not go: the number was encrypted
  return m_flow->send(m_channel, clear, now) ? packet->payload.size() + kLongestRtpHeader : 0;
}

std::optional<SenderReport> EgressLeg::report(TimePoint now, std::uint64_t ntp) const {
  const std::lock_guard lock(m_mutex);
  const auto timestamp = m_rewriter.timestampAt(now);
  if (!timestamp || m_figures.packets == 0) return std::nullopt;
  return SenderReport{.ssrc = m_stream.ssrc,
                      .ntp = ntp,
                      .timestamp = *timestamp,
                      .packets = static_cast<std::uint32_t>(m_figures.packets),
                      .bytes = static_cast<std::uint32_t>(m_figures.bytes)};
}

EgressLeg::Figures EgressLeg::figures() const {
  const std::lock_guard lock(m_mutex);
  Figures figures = m_figures;
  figures.flow = m_flow->figures();
  return figures;
}

}  // namespace tactus::media
