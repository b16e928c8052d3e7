// SPDX-License-Identifier: Apache-2.0
// The loadable plugin, for gst-launch-1.0 and gst-inspect-1.0.
#include "plugins/elements.h"

#define PACKAGE "tactus"

static gboolean initialise(GstPlugin* plugin) {
  return tactus::plugins::registerElements(plugin) ? TRUE : FALSE;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, tactus,
                  "Periodic real-time scheduling for media streams", initialise, TACTUS_VERSION, "Apache 2.0",
                  "tactus", "Tactus")
