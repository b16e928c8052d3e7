// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include "media/room/participant/playout_delay.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// Lets a sink of a call show what comes at the PlayoutDelay of what comes to it, and no later than its
/// pipeline's latency: as long as that lost packets are waited for, which few need.
class SinkPlayout {
 public:
  /// `decoded`: the pad that what is decoded passes, at once, on its way to the sink. Before data flows. Both
  /// are at state NULL before this ends.
  SinkPlayout(GstPad* decoded, GstElement* sink);
  ~SinkPlayout();
  SinkPlayout(const SinkPlayout&) = delete;
  SinkPlayout& operator=(const SinkPlayout&) = delete;

 private:
  static GstPadProbeReturn onDecoded(GstPad* pad, GstPadProbeInfo* info, gpointer self);

  const plugins::PadPtr m_pad;
  const plugins::ElementPtr m_sink;
  gulong m_probe = 0;
  PlayoutDelay m_delay;  // thread that decodes
};

/// From arrival to display, for a packet without jitter, at this moment; any thread.
[[nodiscard]] periodic::Duration playoutDelayOf(GstElement* sink) noexcept;

}  // namespace tactus::media
