// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

namespace tactus::plugins {

// The GTypes of our elements, for registration. Thread-safe: yes.
[[nodiscard]] GType videoSinkType();
[[nodiscard]] GType audioSinkType();
[[nodiscard]] GType lbapType();

/// Registers all three with `plugin`, or statically when it is null; false if GStreamer refused one.
/// Thread-safe: yes.
bool registerElements(GstPlugin* plugin);

}  // namespace tactus::plugins
