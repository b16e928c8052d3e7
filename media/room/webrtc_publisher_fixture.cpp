// SPDX-License-Identifier: Apache-2.0
#define GST_USE_UNSTABLE_API
#include "media/room/webrtc_publisher_fixture.h"

#include <gst/sdp/sdp.h>
#include <gst/webrtc/webrtc.h>
#include <gtest/gtest.h>
#include <nice/agent.h>

#include <chrono>

namespace tactus::media {
namespace {

std::string videoBranch(const std::string& kind) {
  const std::string pictures =
      "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=25/1 ! ";
  if (kind == "vp8")
    return pictures +
           "vp8enc name=encoder deadline=1 cpu-used=8 keyframe-max-dist=9999 ! rtpvp8pay pt=96 ! "
           "application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96 ! webrtc. ";
  if (kind == "h264")
    return pictures +
           "x264enc name=encoder tune=zerolatency speed-preset=ultrafast key-int-max=9999 ! "
           "video/x-h264,profile=constrained-baseline ! rtph264pay pt=96 config-interval=-1 ! "
           "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,payload=96,"
           "packetization-mode=(string)1,profile-level-id=(string)42c01f ! webrtc. ";
  if (kind == "junk")
    return "fakesrc is-live=true do-timestamp=true filltype=random sizetype=random sizemin=1 sizemax=1200 "
           "datarate=60000 format=time ! rtpgstpay pt=96 ! "
           "capssetter join=false replace=true "
           "caps=application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96 ! webrtc. ";
  return "";
}

constexpr const char* kAudioBranch =
    "audiotestsrc is-live=true wave=sine ! opusenc ! rtpopuspay pt=97 ! "
    "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,payload=97 ! webrtc. ";

}  // namespace

WebrtcPublisher::WebrtcPublisher(const Settings& settings) {
  gst_init(nullptr, nullptr);
  const std::string description = "webrtcbin name=webrtc bundle-policy=max-bundle " +
                                  videoBranch(settings.video) + (settings.audio ? kAudioBranch : "");
  GError* error = nullptr;
  m_pipeline = plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(
      gst_parse_launch_full(description.c_str(), nullptr, GST_PARSE_FLAG_PLACE_IN_BIN, &error))));
  EXPECT_EQ(error, nullptr) << (error != nullptr ? error->message : "");
  m_webrtc = plugins::ElementPtr(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "webrtc"));
  g_object_get(m_webrtc.get(), "ice-agent", &m_ice, nullptr);
  g_object_get(m_ice, "agent", &m_agent, nullptr);
  g_object_set(m_agent, "upnp", FALSE, nullptr);
  NiceAddress loopback;
  nice_address_init(&loopback);
  nice_address_set_from_string(&loopback, "127.0.0.1");
  nice_agent_add_local_address(NICE_AGENT(m_agent), &loopback);
  g_signal_connect(m_webrtc.get(), "notify::ice-gathering-state", G_CALLBACK(onGathering), this);
  if (const plugins::ElementPtr encoder{gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "encoder")}; encoder) {
    const plugins::PadPtr source(gst_element_get_static_pad(encoder.get(), "src"));
    gst_pad_add_probe(source.get(), GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, onUpstream, this, nullptr);
  }
}

WebrtcPublisher::~WebrtcPublisher() {
  gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  g_signal_handlers_disconnect_by_data(m_webrtc.get(), this);
  g_clear_object(&m_agent);
  g_clear_object(&m_ice);
}

void WebrtcPublisher::call(const char* action, gpointer argument) {
  GstPromise* promise = gst_promise_new();
  g_signal_emit_by_name(m_webrtc.get(), action, argument, promise);
  gst_promise_wait(promise);
  gst_promise_unref(promise);
}

std::string WebrtcPublisher::offer() {
  gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  GstPromise* promise = gst_promise_new();
  g_signal_emit_by_name(m_webrtc.get(), "create-offer", nullptr, promise);
  gst_promise_wait(promise);
  GstWebRTCSessionDescription* made = nullptr;
  gst_structure_get(gst_promise_get_reply(promise), "offer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &made,
                    nullptr);
  gst_promise_unref(promise);
  call("set-local-description", made);
  gst_webrtc_session_description_free(made);
  waitForCandidates();
  GstWebRTCSessionDescription* local = nullptr;
  g_object_get(m_webrtc.get(), "local-description", &local, nullptr);
  const plugins::CharPtr text(gst_sdp_message_as_text(local->sdp));
  gst_webrtc_session_description_free(local);
  return text.get();
}

void WebrtcPublisher::waitForCandidates() {
  std::unique_lock lock(m_mutex);
  EXPECT_TRUE(m_gathered.wait_for(lock, std::chrono::seconds(20), [this] {
    GstWebRTCICEGatheringState state = GST_WEBRTC_ICE_GATHERING_STATE_NEW;
    g_object_get(m_webrtc.get(), "ice-gathering-state", &state, nullptr);
    return state == GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE;
  }));
}

void WebrtcPublisher::accept(const std::string& answer) {
  GstSDPMessage* message = nullptr;
  gst_sdp_message_new(&message);
  ASSERT_EQ(gst_sdp_message_parse_buffer(reinterpret_cast<const guint8*>(answer.data()),
                                         static_cast<guint>(answer.size()), message),
            GST_SDP_OK);
  GstWebRTCSessionDescription* remote =
      gst_webrtc_session_description_new(GST_WEBRTC_SDP_TYPE_ANSWER, message);
  call("set-remote-description", remote);
  gst_webrtc_session_description_free(remote);
}

void WebrtcPublisher::vanish() {
  // webrtcbin has one stream, as all media are bundled; libnice numbers from 1.
  nice_agent_remove_stream(NICE_AGENT(m_agent), 1);
}

void WebrtcPublisher::onGathering(GObject*, GParamSpec*, gpointer data) {
  auto& self = *static_cast<WebrtcPublisher*>(data);
  { const std::lock_guard lock(self.m_mutex); }
  self.m_gathered.notify_all();
}

GstPadProbeReturn WebrtcPublisher::onUpstream(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<WebrtcPublisher*>(data);
  if (gst_event_has_name(GST_PAD_PROBE_INFO_EVENT(info), "GstForceKeyUnit")) ++self.m_keyframeRequests;
  return GST_PAD_PROBE_OK;
}

}  // namespace tactus::media
