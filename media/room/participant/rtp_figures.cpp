// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/rtp_figures.h"

#include <algorithm>

namespace tactus::media {
namespace {

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

/// Of an array in the type that rtpsession's interface has.
std::vector<const GstStructure*> structuresIn(const GstStructure& from, const char* name) {
  std::vector<const GstStructure*> found;
  const GValue* value = gst_structure_get_value(&from, name);
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  if (value == nullptr || !G_VALUE_HOLDS(value, g_value_array_get_type())) return found;
  const auto* array = static_cast<const GValueArray*>(g_value_get_boxed(value));
  for (guint i = 0; array != nullptr && i < array->n_values; ++i)
    if (const GValue* each = g_value_array_get_nth(const_cast<GValueArray*>(array), i);
        each != nullptr && GST_VALUE_HOLDS_STRUCTURE(each) && gst_value_get_structure(each) != nullptr)
      found.push_back(gst_value_get_structure(each));
  G_GNUC_END_IGNORE_DEPRECATIONS
  return found;
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
  for (const GstStructure* source : structuresIn(*statistics, "source-stats")) {
    if (flagIn(*source, "internal")) {
      addOwn(sum, *source);
    } else {
      addOther(sum, *source);
    }
    addReport(sum, *source);
  }
  return sum;
}

std::vector<net::PacketOutcome> readTransportWide(const GstStructure& feedback) {
  std::vector<net::PacketOutcome> outcomes;
  for (const GstStructure* packet : structuresIn(feedback, "packets")) {
    const GstClockTime sent = longNumberIn(*packet, "local-ts"), arrived = longNumberIn(*packet, "remote-ts");
    const bool lost = flagIn(*packet, "lost");
    if (!lost && (!GST_CLOCK_TIME_IS_VALID(sent) || !GST_CLOCK_TIME_IS_VALID(arrived))) continue;
    net::PacketOutcome& outcome = outcomes.emplace_back();
    outcome.bytes = numberIn(*packet, "size");
    if (GST_CLOCK_TIME_IS_VALID(sent)) outcome.sent += periodic::Duration(static_cast<std::int64_t>(sent));
    if (!lost) outcome.arrived = periodic::Duration(static_cast<std::int64_t>(arrived));
  }
  return outcomes;
}

}  // namespace tactus::media
