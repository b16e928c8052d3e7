// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include "plugins/gst_handle.h"

namespace tactus::plugins::av {

/// For tests: plays the pipeline and stops it. False if it failed, or did not end within a minute.
[[nodiscard]] inline bool playsToItsEnd(GstElement* pipeline) {
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  const BusPtr bus(gst_element_get_bus(pipeline));
  const MessagePtr end(gst_bus_timed_pop_filtered(
      bus.get(), 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS;
}

}  // namespace tactus::plugins::av
