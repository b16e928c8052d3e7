// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/sink_playout.h"

#include <gst/base/gstbasesink.h>

#include "plugins/clock_time.h"

namespace tactus::media {
namespace {

using periodic::Duration;

Duration latencyOf(GstElement* sink) noexcept {
  return plugins::durationOf(gst_base_sink_get_latency(GST_BASE_SINK(sink))).value_or(Duration{0});
}

}  // namespace

SinkPlayout::SinkPlayout(GstPad* decoded, GstElement* sink)
    : m_pad(plugins::share<plugins::PadPtr>(decoded)), m_sink(plugins::share<plugins::ElementPtr>(sink)) {
  m_probe = gst_pad_add_probe(decoded, GST_PAD_PROBE_TYPE_BUFFER, onDecoded, this, nullptr);
}

SinkPlayout::~SinkPlayout() {
  gst_pad_remove_probe(m_pad.get(), m_probe);
}

/// The stamps of a call are running times: when a packet came, without jitter.
GstPadProbeReturn SinkPlayout::onDecoded(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<SinkPlayout*>(data);
  GstElement* sink = self.m_sink.get();
  const auto stamp = plugins::durationOf(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
  const auto now = plugins::durationOf(gst_element_get_current_running_time(sink));
  const Duration latency = latencyOf(sink);
  if (!stamp || !now || latency == Duration{0}) return GST_PAD_PROBE_OK;
  const Duration delay = self.m_delay.update(periodic::TimePoint(*now), *now - *stamp, latency);
  gst_base_sink_set_ts_offset(GST_BASE_SINK(sink), (delay - latency).count());
  return GST_PAD_PROBE_OK;
}

Duration playoutDelayOf(GstElement* sink) noexcept {
  return latencyOf(sink) + Duration(gst_base_sink_get_ts_offset(GST_BASE_SINK(sink)));
}

}  // namespace tactus::media
