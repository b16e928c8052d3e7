// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/rtp_figures.h"

#include <algorithm>

namespace tactus::media {
namespace {

constexpr double kWindow = 0.3;  // s over which rtpsession makes its figures of TWCC
constexpr double kNanoseconds = 1e-9;

guint numberIn(const GstStructure& from, const char* name) {
  guint number = 0;
  gst_structure_get_uint(&from, name, &number);
  return number;
}

std::uint64_t longNumberIn(const GstStructure& from, const char* name) {
  guint64 number = 0;
  gst_structure_get_uint64(&from, name, &number);
  return number;
}

bool flagIn(const GstStructure& from, const char* name) {
  gboolean flag = FALSE;
  gst_structure_get_boolean(&from, name, &flag);
  return flag != FALSE;
}

void addOwn(RtpFigures& sum, const GstStructure& source) {
  sum.packetsSent += longNumberIn(source, "packets-sent");
  sum.bytesSent += longNumberIn(source, "octets-sent");
  sum.nacksReceived += numberIn(source, "recv-nack-count");
}

void addOther(RtpFigures& sum, const GstStructure& source) {
  sum.packetsReceived += longNumberIn(source, "packets-received");
  sum.bytesReceived += longNumberIn(source, "octets-received");
  sum.nacksSent += numberIn(source, "sent-nack-count");
  gint lost = 0;
  gst_structure_get_int(&source, "packets-lost", &lost);
  sum.lost += static_cast<std::uint64_t>(std::max(0, lost));
  gint clockRate = 0;
  gst_structure_get_int(&source, "clock-rate", &clockRate);
  if (clockRate > 0)
    sum.jitter = std::max(sum.jitter,
                          periodic::fromSeconds(static_cast<double>(numberIn(source, "jitter")) / clockRate));
}

void addReport(RtpFigures& sum, const GstStructure& source) {
  if (!flagIn(source, "have-rb")) return;
  sum.lossThere = std::max(sum.lossThere, numberIn(source, "rb-fractionlost") / 256.0);
  sum.roundTrip = std::max(sum.roundTrip, periodic::fromSeconds(numberIn(source, "rb-round-trip") / 65536.0));
}

}  // namespace

RtpFigures readRtpFigures(const GstStructure* statistics) {
  RtpFigures sum;
  if (statistics == nullptr) return sum;
  const GValue* value = gst_structure_get_value(statistics, "source-stats");
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS  // rtpsession's interface has this type
      if (value == nullptr || !G_VALUE_HOLDS(value, g_value_array_get_type())) return sum;
  const auto* sources = static_cast<const GValueArray*>(g_value_get_boxed(value));
  for (guint i = 0; sources != nullptr && i < sources->n_values; ++i) {
    const GstStructure* source =
        gst_value_get_structure(g_value_array_get_nth(const_cast<GValueArray*>(sources), i));
    if (source == nullptr) continue;
    if (flagIn(*source, "internal")) {
      addOwn(sum, *source);
    } else {
      addOther(sum, *source);
    }
    addReport(sum, *source);
  }
  G_GNUC_END_IGNORE_DEPRECATIONS
  return sum;
}

std::optional<PathFeedback> readTransportWide(const GstStructure& statistics) {
  const guint sent = numberIn(statistics, "packets-sent");
  if (sent == 0) return std::nullopt;
  PathFeedback feedback;
  feedback.received = net::BitRate::perSecond(numberIn(statistics, "bitrate-recv"));
  double percent = 0;
  gst_structure_get_double(&statistics, "packet-loss-pct", &percent);
  feedback.loss = std::clamp(percent / 100, 0.0, 1.0);
  gint64 perPacket = 0;  // ns by which the distance between two packets grew, on average
  gst_structure_get_int64(&statistics, "avg-delta-of-delta", &perPacket);
  const double grown = static_cast<double>(perPacket) * kNanoseconds * numberIn(statistics, "packets-recv");
  feedback.delayGrowth = grown / kWindow;
  return feedback;
}

}  // namespace tactus::media
