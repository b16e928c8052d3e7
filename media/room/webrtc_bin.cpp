// SPDX-License-Identifier: Apache-2.0
#include "media/room/webrtc_bin.h"

#include <gst/sdp/sdp.h>

#include <string>

namespace tactus::media {
namespace {

constexpr double kRtcpBandwidth = 2e6;
constexpr double kRtcpFraction = 0.5;

using PromisePtr = std::unique_ptr<GstPromise, plugins::Releaser<gst_promise_unref>>;

}  // namespace

ObjectPtr objectOf(gpointer owner, const char* property) {
  GObject* object = nullptr;
  g_object_get(owner, property, &object, nullptr);
  return ObjectPtr(object);
}

Result<plugins::StructurePtr> callWebrtc(GstElement* webrtc, const char* action,
                                         GstWebRTCSessionDescription* description, const char* what) {
  const PromisePtr promise(gst_promise_new());
  g_signal_emit_by_name(webrtc, action, description, promise.get());
  const bool replied = gst_promise_wait(promise.get()) == GST_PROMISE_RESULT_REPLIED;
  const GstStructure* reply = replied ? gst_promise_get_reply(promise.get()) : nullptr;
  if (reply == nullptr) return plugins::StructurePtr();
  if (gst_structure_has_field(reply, "error")) {
    GError* raw = nullptr;
    gst_structure_get(reply, "error", G_TYPE_ERROR, &raw, nullptr);
    const plugins::ErrorPtr error(raw);
    return Error{ErrorCode::InvalidArgument,
                 std::string(what) + ": " + (error ? error->message : "unknown reason")};
  }
  return plugins::StructurePtr(gst_structure_copy(reply));
}

SessionPtr sessionFrom(std::string_view sdp, GstWebRTCSDPType type) {
  GstSDPMessage* message = nullptr;
  if (sdp.empty() || gst_sdp_message_new(&message) != GST_SDP_OK) return nullptr;
  const auto* bytes = reinterpret_cast<const guint8*>(sdp.data());
  // GStreamer takes any text for an empty description.
  if (gst_sdp_message_parse_buffer(bytes, static_cast<guint>(sdp.size()), message) == GST_SDP_OK &&
      gst_sdp_message_medias_len(message) > 0)
    return SessionPtr(gst_webrtc_session_description_new(type, message));
  gst_sdp_message_free(message);
  return nullptr;
}

void raiseRtcpRate(GObject* session) {
  g_object_set(session, "bandwidth", kRtcpBandwidth, "rtcp-fraction", kRtcpFraction, nullptr);
}

}  // namespace tactus::media
