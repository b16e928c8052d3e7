// SPDX-License-Identifier: Apache-2.0
#include "plugins/elements.h"

#include <mutex>

#include "plugins/video_sink.h"

namespace tactus::plugins {

bool registerElements(GstPlugin* plugin) {
  // Ranked NONE: nothing autoplugs them; whoever wants our scheduler asks for it.
  return gst_element_register(plugin, "tactusvideosink", GST_RANK_NONE, videoSinkType()) &&
         gst_element_register(plugin, "tactusaudiosink", GST_RANK_NONE, audioSinkType()) &&
         gst_element_register(plugin, "tactuslbap", GST_RANK_NONE, lbapType());
}

void registerElements() {
  static std::once_flag once;
  std::call_once(once, [] { registerElements(nullptr); });
}

}  // namespace tactus::plugins
