// SPDX-License-Identifier: Apache-2.0
#include "plugins/elements.h"

#include <mutex>

#include "plugins/video_sink.h"

namespace tactus::plugins {

namespace {

/// A process of ours that also loads libgsttactus.so has the type already: one name, one type.
bool registerElement(GstPlugin* plugin, const char* name, const char* typeName, GType (*type)()) {
  const GType known = g_type_from_name(typeName);
  // Ranked NONE: nothing autoplugs them; whoever wants our scheduler asks for it.
  return gst_element_register(plugin, name, GST_RANK_NONE, known != 0 ? known : type()) == TRUE;
}

}  // namespace

bool registerElements(GstPlugin* plugin) {
  return registerElement(plugin, "tactusvideosink", "TactusVideoSink", videoSinkType) &&
         registerElement(plugin, "tactusaudiosink", "TactusAudioSink", audioSinkType) &&
         registerElement(plugin, "tactuslbap", "TactusLbap", lbapType) &&
         registerElement(plugin, "tactuslink", "TactusLink", linkType) &&
         registerElement(plugin, "tactusavsrc", "TactusAvSrc", avSourceType) &&
         registerElement(plugin, "tactusavdec", "TactusAvDec", avDecoderType);
}

void registerElements() {
  static std::once_flag once;
  std::call_once(once, [] { registerElements(nullptr); });
}

}  // namespace tactus::plugins
