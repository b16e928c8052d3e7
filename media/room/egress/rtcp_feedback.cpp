// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/rtcp_feedback.h"

#include <gst/rtp/gstrtcpbuffer.h>

#include <utility>

#include "core/periodic/trace/format.h"
#include "media/room/egress/network_order.h"

namespace tactus::media {
namespace {

/// An RTCP packet mapped as a GstBuffer that borrows its bytes.
class MappedRtcp {
 public:
  explicit MappedRtcp(std::span<const std::byte> packet)
      : m_buffer(gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, const_cast<std::byte*>(packet.data()),
                                             packet.size(), 0, packet.size(), nullptr, nullptr)),
        m_mapped(gst_rtcp_buffer_map(m_buffer, GST_MAP_READ, &m_rtcp) != FALSE) {}
  ~MappedRtcp() {
    if (m_mapped) gst_rtcp_buffer_unmap(&m_rtcp);
    gst_buffer_unref(m_buffer);
  }
  MappedRtcp(const MappedRtcp&) = delete;
  MappedRtcp& operator=(const MappedRtcp&) = delete;
  [[nodiscard]] GstRTCPBuffer* get() noexcept { return m_mapped ? &m_rtcp : nullptr; }

 private:
  GstRTCPBuffer m_rtcp = GST_RTCP_BUFFER_INIT;
  GstBuffer* m_buffer;
  bool m_mapped;
};

void addReports(GstRTCPPacket& packet, RtcpFeedback& feedback) {
  for (guint i = 0; i < gst_rtcp_packet_get_rb_count(&packet); ++i) {
    ReceptionReport report;
    guint8 lostShare = 0;
    gst_rtcp_packet_get_rb(&packet, i, &report.ssrc, &lostShare, &report.lost, &report.highest,
                           &report.jitter, &report.lastReport, &report.sinceReport);
    report.lostShare = lostShare / 256.0;
    feedback.reports.push_back(report);
  }
}

/// What a feedback packet carries behind its two SSRCs; empty: nothing, or less than its length says.
std::span<const std::byte> informationOf(GstRTCPPacket& packet) {
  const guint8* const data = gst_rtcp_packet_fb_get_fci(&packet);
  if (data == nullptr) return {};
  return {reinterpret_cast<const std::byte*>(data),
          std::size_t{4} * gst_rtcp_packet_fb_get_fci_length(&packet)};
}

void addRetransmissions(std::uint32_t ssrc, std::span<const std::byte> information, RtcpFeedback& feedback) {
  RetransmissionRequest request{.ssrc = ssrc};
  for (std::size_t at = 0; at + 4 <= information.size(); at += 4) {
    const std::uint16_t first = get16(&information[at]);
    request.sequences.push_back(first);
    const unsigned following = get16(&information[at + 2]);
    for (unsigned i = 0; i < 16; ++i)
      if ((following >> i & 1u) != 0) request.sequences.push_back(static_cast<std::uint16_t>(first + 1 + i));
  }
  if (!request.sequences.empty()) feedback.retransmissions.push_back(std::move(request));
}

void addTransportFeedback(GstRTCPPacket& packet, RtcpFeedback& feedback) {
  const auto information = informationOf(packet);
  switch (gst_rtcp_packet_fb_get_type(&packet)) {
    case GST_RTCP_RTPFB_TYPE_NACK:
      addRetransmissions(gst_rtcp_packet_fb_get_media_ssrc(&packet), information, feedback);
      return;
    case GST_RTCP_RTPFB_TYPE_TWCC:
      if (auto read = readTransportFeedback(information); read.ok())
        feedback.transport.push_back(std::move(read).value());
      return;
    default:
      return;
  }
}

void addPayloadFeedback(GstRTCPPacket& packet, RtcpFeedback& feedback) {
  constexpr std::size_t kFirEntry = 8;
  switch (gst_rtcp_packet_fb_get_type(&packet)) {
    case GST_RTCP_PSFB_TYPE_PLI:
      feedback.keyframes.push_back(gst_rtcp_packet_fb_get_media_ssrc(&packet));
      return;
    case GST_RTCP_PSFB_TYPE_FIR: {
      const auto information = informationOf(packet);
      for (std::size_t at = 0; at + kFirEntry <= information.size(); at += kFirEntry)
        feedback.keyframes.push_back(get32(&information[at]));
      return;
    }
    default:
      return;
  }
}

void addGoodbyes(GstRTCPPacket& packet, RtcpFeedback& feedback) {
  const guint available = gst_rtcp_packet_get_length(&packet);  // in words behind the first
  for (guint i = 0; i < gst_rtcp_packet_bye_get_ssrc_count(&packet) && i < available; ++i)
    feedback.goodbyes.push_back(gst_rtcp_packet_bye_get_nth_ssrc(&packet, i));
}

void add(GstRTCPPacket& packet, RtcpFeedback& feedback) {
  constexpr guint kTwoSsrcs = 2;  // words behind the first
  switch (gst_rtcp_packet_get_type(&packet)) {
    case GST_RTCP_TYPE_SR:
    case GST_RTCP_TYPE_RR:
      return addReports(packet, feedback);
    case GST_RTCP_TYPE_RTPFB:
      if (gst_rtcp_packet_get_length(&packet) >= kTwoSsrcs) addTransportFeedback(packet, feedback);
      return;
    case GST_RTCP_TYPE_PSFB:
      if (gst_rtcp_packet_get_length(&packet) >= kTwoSsrcs) addPayloadFeedback(packet, feedback);
      return;
    case GST_RTCP_TYPE_BYE:
      return addGoodbyes(packet, feedback);
    default:
      return;
  }
}

/// Whether a report has the blocks that it announces: GstRTCPBuffer does not look (RFC 3550, 6.4).
bool holdsItsReports(GstRTCPPacket& packet) {
  const GstRTCPType type = gst_rtcp_packet_get_type(&packet);
  if (type != GST_RTCP_TYPE_SR && type != GST_RTCP_TYPE_RR) return true;
  const guint fixed = type == GST_RTCP_TYPE_SR ? 6 : 1;
  return gst_rtcp_packet_get_length(&packet) >= fixed + 6 * gst_rtcp_packet_get_rb_count(&packet);
}

}  // namespace

Result<RtcpFeedback> readRtcp(std::span<const std::byte> packet) {
  const Error notRtcp{ErrorCode::Corrupt,
                      periodic::format("A packet of %zu bytes is no RTCP packet.", packet.size())};
  auto* const data = reinterpret_cast<guint8*>(const_cast<std::byte*>(packet.data()));
  if (packet.empty() || packet.size() > 0xffff ||
      !gst_rtcp_buffer_validate_data_reduced(data, static_cast<guint>(packet.size())))
    return notRtcp;
  MappedRtcp mapped(packet);
  if (mapped.get() == nullptr) return notRtcp;
  RtcpFeedback feedback;
  GstRTCPPacket each;
  for (gboolean more = gst_rtcp_buffer_get_first_packet(mapped.get(), &each); more;
       more = gst_rtcp_packet_move_to_next(&each))
    if (holdsItsReports(each)) add(each, feedback);
  return feedback;
}

}  // namespace tactus::media
