// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/sender_report.h"

#include <gst/rtp/gstrtcpbuffer.h>

#include <chrono>

namespace tactus::media {

using periodic::Duration;

namespace {

constexpr std::uint64_t kFrom1900To1970 = 2'208'988'800;
constexpr std::uint64_t kNanoseconds = 1'000'000'000;
constexpr guint kLargestReport = 512;

}  // namespace

std::uint64_t NtpClock::at(periodic::TimePoint now) const TACTUS_REALTIME {
  const auto since1970 = static_cast<std::uint64_t>((now.time_since_epoch() + m_offset).count());
  const std::uint64_t seconds = since1970 / kNanoseconds + kFrom1900To1970;
  const std::uint64_t fraction = ((since1970 % kNanoseconds) << 32) / kNanoseconds;
  return seconds << 32 | fraction;
}

std::vector<std::byte> writeSenderReport(const SenderReport& report) {
  GstBuffer* const buffer = gst_rtcp_buffer_new(kLargestReport);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  gst_rtcp_buffer_map(buffer, GST_MAP_READWRITE, &rtcp);
  GstRTCPPacket packet;
  gst_rtcp_buffer_add_packet(&rtcp, GST_RTCP_TYPE_SR, &packet);
  gst_rtcp_packet_sr_set_sender_info(&packet, report.ssrc, report.ntp, report.timestamp, report.packets,
                                     report.bytes);
  gst_rtcp_buffer_add_packet(&rtcp, GST_RTCP_TYPE_SDES, &packet);
  gst_rtcp_packet_sdes_add_item(&packet, report.ssrc);
  constexpr std::size_t kLongestName = 255;
  const std::size_t length = std::min(report.name.size(), kLongestName);
  gst_rtcp_packet_sdes_add_entry(&packet, GST_RTCP_SDES_CNAME, static_cast<guint8>(length),
                                 reinterpret_cast<const guint8*>(report.name.data()));
  gst_rtcp_buffer_unmap(&rtcp);
  std::vector<std::byte> bytes(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  gst_buffer_unref(buffer);
  return bytes;
}

std::optional<Duration> roundTripOf(const ReceptionReport& report, std::uint64_t now) {
  if (report.lastReport == 0) return std::nullopt;
  const auto middle = static_cast<std::uint32_t>(now >> 16);
  const std::uint32_t units = middle - report.lastReport - report.sinceReport;  // of 1/65,536 s
  constexpr std::uint32_t kLongest = 60u << 16;
  if (units > kLongest) return std::nullopt;
  return Duration(static_cast<std::int64_t>(units) * static_cast<std::int64_t>(kNanoseconds) / 65'536);
}

}  // namespace tactus::media
