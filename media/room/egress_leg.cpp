// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress_leg.h"

#include <mutex>
#include <utility>

namespace tactus::media {

using periodic::TimePoint;

EgressLeg::EgressLeg(EgressChannel& channel, const AgreedTrack& track, RtpPosition first,
                     std::unique_ptr<EgressFlow> flow)
    : m_channel(channel),
      m_stream(track.stream),
      m_retransmission(track.retransmission),
      m_rewriter(track.codec.clockRate, first),
      m_flow(std::move(flow)) {}

void EgressLeg::forward(std::span<const RtpView> packets, TimePoint now) TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  if (!m_channel.isOpen()) return;
  for (const RtpView& packet : packets) {
    if (packet.payload.size() > kLongestRtpPayload) {
      ++m_figures.tooLong;
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

void EgressLeg::repeat(const RetransmissionHistory& history, std::uint16_t sequence,
                       TimePoint now) TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  ++m_figures.asked;
  const auto original = m_rewriter.originalOf(sequence);
  if (!m_retransmission || !original) return;
  const auto packet = history.find(m_rewriter.source(), *original, now);
  if (!packet) return;
  const ClearPacket clear{.terms = &*m_retransmission,
                          .position = {m_nextRepetition, m_rewriter.timestampOf(packet->timestamp)},
                          .marker = packet->marker,
                          .original = sequence,
                          .payload = packet->payload};
  ++m_nextRepetition;  // also if it does not go: the number was encrypted
  if (!m_flow->send(m_channel, clear, now)) return;
  ++m_figures.repeated;
  m_flow->flush();
}

void EgressLeg::restart() TACTUS_REALTIME {
  const std::lock_guard lock(m_mutex);
  m_rewriter.restart();
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
