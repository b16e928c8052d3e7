// SPDX-License-Identifier: Apache-2.0
#define GST_USE_UNSTABLE_API
#include "media/room/ingest/webrtc_publisher_fixture.h"

#include <gst/sdp/sdp.h>
#include <gst/webrtc/webrtc.h>
#include <gtest/gtest.h>
#include <nice/agent.h>

#include <chrono>

#include "media/room/packet_checks_fixture.h"

namespace tactus::media {
namespace {

std::string videoBranch(const std::string& kind) {
  const std::string pictures =
      "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=25/1 ! ";
  if (kind == "vp8" || kind == "junk")
    return pictures +
           "vp8enc name=encoder deadline=1 cpu-used=8 keyframe-max-dist=9999 ! rtpvp8pay name=payloader "
           "pt=96 ! "
           "application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96 ! webrtc. ";
  if (kind == "h264")
    return pictures +
           "x264enc name=encoder tune=zerolatency speed-preset=ultrafast key-int-max=9999 ! "
           "video/x-h264,profile=constrained-baseline ! rtph264pay pt=96 config-interval=-1 ! "
           "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,payload=96,"
           "packetization-mode=(string)1,profile-level-id=(string)42c01f ! webrtc. ";
  return "";
}

constexpr const char* kAudioBranch =
    "audiotestsrc is-live=true wave=sine ! opusenc ! rtpopuspay pt=97 ! "
    "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,payload=97 ! webrtc. ";

}  // namespace

WebrtcPublisher::WebrtcPublisher(const Settings& settings) : m_junk(settings.video == "junk") {
  gst_init(nullptr, nullptr);
  const std::string description = "webrtcbin name=webrtc bundle-policy=max-bundle " +
                                  videoBranch(settings.video) + (settings.audio ? kAudioBranch : "");
  GError* error = nullptr;
  m_pipeline =
      plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(description.c_str(), &error))));
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
  watchPackets();
  if (const plugins::ElementPtr encoder{gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "encoder")}; encoder) {
    const plugins::PadPtr source(gst_element_get_static_pad(encoder.get(), "src"));
    gst_pad_add_probe(source.get(), GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, onUpstream, this, nullptr);
  }
}

void WebrtcPublisher::watchPackets() {
  const plugins::ElementPtr payloader(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "payloader"));
  if (!payloader) return;
  const plugins::PadPtr source(gst_element_get_static_pad(payloader.get(), "src"));
  constexpr auto kBoth =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);
  gst_pad_add_probe(source.get(), kBoth, onPacket, this, nullptr);
}

/// Random bytes for the payload and marker of each packet, and for the time stamp of some. Its number stays:
/// who encrypts refuses to go back.
void WebrtcPublisher::mangle(GstBuffer* packet) {
  GstMapInfo map;
  if (gst_buffer_map(packet, &map, GST_MAP_READWRITE) == FALSE) return;
  for (gsize i = 12; i < map.size; ++i) map.data[i] = static_cast<guint8>(m_random());
  map.data[1] = static_cast<guint8>(map.data[1] ^ (m_random() % 2) << 7);
  if (m_random() % 20 == 0)
    for (gsize i = 4; i < 8; ++i) map.data[i] = static_cast<guint8>(m_random());
  gst_buffer_unmap(packet, &map);
}

GstPadProbeReturn WebrtcPublisher::onPacket(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<WebrtcPublisher*>(data);
  if (self.m_lose.exchange(false)) return GST_PAD_PROBE_DROP;
  if (!self.m_junk) return GST_PAD_PROBE_OK;
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    GstBuffer* packet = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    self.mangle(packet);
    GST_PAD_PROBE_INFO_DATA(info) = packet;
    return GST_PAD_PROBE_OK;
  }
  GstBufferList* packets = gst_buffer_list_make_writable(GST_PAD_PROBE_INFO_BUFFER_LIST(info));
  for (guint i = 0; i < gst_buffer_list_length(packets); ++i)
    self.mangle(gst_buffer_list_get_writable(packets, i));
  GST_PAD_PROBE_INFO_DATA(info) = packets;
  return GST_PAD_PROBE_OK;
}

WebrtcPublisher::~WebrtcPublisher() {
  gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  g_signal_handlers_disconnect_by_data(m_webrtc.get(), this);
  g_object_unref(m_agent);
  g_object_unref(m_ice);
}

void WebrtcPublisher::call(const char* action, gpointer argument) {
  GstPromise* promise = gst_promise_new();
  g_signal_emit_by_name(m_webrtc.get(), action, argument, promise);
  gst_promise_wait(promise);
  gst_promise_unref(promise);
}

bool WebrtcPublisher::knowsItsFormats() const {
  gboolean known = TRUE;
  gst_element_foreach_sink_pad(
      m_webrtc.get(),
      [](GstElement*, GstPad* pad, gpointer all) -> gboolean {
        if (gst_pad_has_current_caps(pad) == FALSE) *static_cast<gboolean*>(all) = FALSE;
        return TRUE;
      },
      &known);
  return known != FALSE;
}

std::string WebrtcPublisher::offer() {
  gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  EXPECT_TRUE(becomesTrue([this] { return knowsItsFormats(); }));
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

void WebrtcPublisher::leave() {
  // The element that encrypts closes the connection when it stops, which it does too late when all stop at
  // once.
  GstIterator* elements = gst_bin_iterate_recurse(GST_BIN(m_webrtc.get()));
  gst_iterator_foreach(
      elements,
      [](const GValue* value, gpointer) {
        auto* element = GST_ELEMENT(g_value_get_object(value));
        GstElementFactory* factory = gst_element_get_factory(element);
        if (factory != nullptr && g_strcmp0(GST_OBJECT_NAME(factory), "dtlsenc") == 0)
          gst_element_send_event(element, gst_event_new_eos());
      },
      nullptr);
  gst_iterator_free(elements);
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
