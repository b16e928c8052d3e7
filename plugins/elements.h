// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <memory>

#include "core/net/link/link_task.h"
#include "core/periodic/time/time.h"

namespace tactus::plugins {

// The GTypes of our elements, for registration. Thread-safe: yes.
[[nodiscard]] GType videoSinkType();
[[nodiscard]] GType audioSinkType();
[[nodiscard]] GType lbapType();
[[nodiscard]] GType linkType();
[[nodiscard]] GType avSourceType();
[[nodiscard]] GType avDecoderType();

/// What a `tactuslbap` waits by, instead of the kernel's clocks. Before data flows; `time` must outlive the
/// element.
void setRegulatorTime(GstElement* regulator, periodic::TimeSource& time);

/// The link on which a `tactuslink` waits, instead of the one that its property names. Before data flows.
void setLink(GstElement* element, std::shared_ptr<net::LinkTask> link);

/// Registers all six with `plugin`, or statically when it is null; false if GStreamer refused one.
/// Thread-safe: yes.
bool registerElements(GstPlugin* plugin);

}  // namespace tactus::plugins
