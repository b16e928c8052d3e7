// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to media/room: how both ends of a connection speak to webrtcbin.

#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API  // webrtcbin's interface, the same since 1.16
#endif
#include <gst/gst.h>
#include <gst/webrtc/webrtc.h>

#include <memory>
#include <string_view>

#include "core/periodic/result.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

using ObjectPtr = std::unique_ptr<GObject, plugins::Releaser<g_object_unref>>;
using SessionPtr =
    std::unique_ptr<GstWebRTCSessionDescription, plugins::Releaser<gst_webrtc_session_description_free>>;

/// A property that is an object; null if it has none. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] ObjectPtr objectOf(gpointer owner, const char* property);
/// Calls webrtcbin and waits for what it replies; null if that is nothing. Error InvalidArgument: the error
/// in it, as a sentence that begins with `what`. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<plugins::StructurePtr> callWebrtc(GstElement* webrtc, const char* action,
                                                       GstWebRTCSessionDescription* description,
                                                       const char* what);
/// Null: the text is no SDP, or has no media. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] SessionPtr sessionFrom(std::string_view sdp, GstWebRTCSDPType type);
/// At GStreamer's rate for RTCP a request for a lost packet waits longer than the packet can be waited for.
/// `session`: an RTPSession, not null. Thread-safe: yes. Real-time-safe: no.
void raiseRtcpRate(GObject* session);

}  // namespace tactus::media
