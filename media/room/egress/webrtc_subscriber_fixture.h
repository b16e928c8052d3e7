// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only for tests.

#define GST_USE_UNSTABLE_API
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/webrtc/webrtc.h>
#include <nice/agent.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "plugins/gst_handle.h"

namespace tactus::media {

/// Waits patiently for what `holds` looks at.
template <typename Condition>
[[nodiscard]] bool eventually(Condition holds) {
  using namespace std::chrono_literals;
  for (const auto end = std::chrono::steady_clock::now() + 30s; std::chrono::steady_clock::now() < end;) {
    if (holds()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return holds();
}

/// A receiver by GStreamer's webrtcbin on the loopback device, which decodes what it gets.
class WebrtcSubscriber {
 public:
  struct Wants {
    bool pictures = true, sound = false;
    bool feedback = true;  ///< transport-wide; without it webrtcbin sends reports
    int losesEach = 0;     ///< each packet of media of this number is lost before it is decrypted; 0: none
  };
  explicit WebrtcSubscriber(Wants wants) : m_wants(wants) {
    m_pipeline.reset(gst_pipeline_new(nullptr));
    gst_object_ref_sink(m_pipeline.get());
    m_peer = gst_element_factory_make("webrtcbin", nullptr);
    g_object_set(m_peer, "bundle-policy", GST_WEBRTC_BUNDLE_POLICY_MAX_BUNDLE, "latency", 200u, nullptr);
    gst_bin_add(GST_BIN(m_pipeline.get()), m_peer);
    g_signal_connect(m_pipeline.get(), "deep-element-added", G_CALLBACK(&WebrtcSubscriber::elementAdded),
                     this);
    g_signal_connect(m_peer, "pad-added", G_CALLBACK(&WebrtcSubscriber::padAdded), this);
    useLoopback();
    if (wants.pictures)
      addTransceiver(
          std::string("application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000") +
          (wants.feedback ? kTransportNumbers : ""));
    if (wants.sound)
      addTransceiver(
          "application/"
          "x-rtp,media=audio,encoding-name=OPUS,payload=97,clock-rate=48000,encoding-params=(string)2");
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  }
  ~WebrtcSubscriber() { gst_element_set_state(m_pipeline.get(), GST_STATE_NULL); }
  WebrtcSubscriber(const WebrtcSubscriber&) = delete;
  WebrtcSubscriber& operator=(const WebrtcSubscriber&) = delete;

  /// With all its candidates; empty: there was none.
  [[nodiscard]] std::string offer() {
    GstWebRTCSessionDescription* made = nullptr;
    const plugins::StructurePtr reply = ask("create-offer", nullptr);
    if (reply == nullptr ||
        !gst_structure_get(reply.get(), "offer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &made, nullptr))
      return {};
    (void)ask("set-local-description", made);
    gst_webrtc_session_description_free(made);
    const bool gathered = eventually([this] {
      GstWebRTCICEGatheringState state{};
      g_object_get(m_peer, "ice-gathering-state", &state, nullptr);
      return state == GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE;
    });
    if (!gathered) return {};
    GstWebRTCSessionDescription* local = nullptr;
    g_object_get(m_peer, "local-description", &local, nullptr);
    const plugins::CharPtr text(gst_sdp_message_as_text(local->sdp));
    gst_webrtc_session_description_free(local);
    return text.get();
  }
  void answer(const std::string& description) {
    GstSDPMessage* message = nullptr;
    gst_sdp_message_new_from_text(description.c_str(), &message);
    GstWebRTCSessionDescription* const made =
        gst_webrtc_session_description_new(GST_WEBRTC_SDP_TYPE_ANSWER, message);
    (void)ask("set-remote-description", made);
    gst_webrtc_session_description_free(made);
  }

  /// Pictures whose middle is rather red, green or blue: 'r', 'g', 'b'.
  [[nodiscard]] int pictures(char colour) const {
    const std::lock_guard lock(m_mutex);
    const auto found = m_pictures.find(colour);
    return found == m_pictures.end() ? 0 : found->second;
  }
  /// Buffers of sound that are not silent.
  [[nodiscard]] int heard() const noexcept { return m_heard; }
  [[nodiscard]] int lost() const noexcept { return m_lost; }
  /// Packets that came again and were of use, by the jitter buffers.
  [[nodiscard]] guint64 repaired() const {
    const std::lock_guard lock(m_mutex);
    guint64 sum = 0;
    for (const plugins::ElementPtr& each : m_buffers) {
      GstStructure* figures = nullptr;
      g_object_get(each.get(), "stats", &figures, nullptr);
      guint64 repaired = 0;
      gst_structure_get_uint64(figures, "rtx-success-count", &repaired);
      gst_structure_free(figures);
      sum += repaired;
    }
    return sum;
  }

 private:
  plugins::StructurePtr ask(const char* what, GstWebRTCSessionDescription* description) {
    GstPromise* const promise = gst_promise_new();
    g_signal_emit_by_name(m_peer, what, description, promise);
    gst_promise_wait(promise);
    const GstStructure* const reply = gst_promise_get_reply(promise);
    plugins::StructurePtr copy(reply != nullptr ? gst_structure_copy(reply) : nullptr);
    gst_promise_unref(promise);
    return copy;
  }
  void addTransceiver(const std::string& format) {
    const plugins::CapsPtr caps(gst_caps_from_string(format.c_str()));
    GstWebRTCRTPTransceiver* made = nullptr;
    g_signal_emit_by_name(m_peer, "add-transceiver", GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_RECVONLY,
                          caps.get(), &made);
    g_object_set(made, "do-nack", TRUE, nullptr);
    gst_object_unref(made);
  }
  void useLoopback() {
    GObject *ice = nullptr, *agent = nullptr;
    g_object_get(m_peer, "ice-agent", &ice, nullptr);
    g_object_get(ice, "agent", &agent, nullptr);
    NiceAddress address;
    nice_address_init(&address);
    nice_address_set_from_string(&address, "127.0.0.1");
    nice_agent_add_local_address(NICE_AGENT(agent), &address);
    g_object_set(agent, "upnp", FALSE, nullptr);
    g_object_unref(agent);
    g_object_unref(ice);
  }
  static void elementAdded(GstBin*, GstBin*, GstElement* element, gpointer self) {
    auto& subscriber = *static_cast<WebrtcSubscriber*>(self);
    GstElementFactory* const factory = gst_element_get_factory(element);
    const std::string kind = factory != nullptr ? GST_OBJECT_NAME(factory) : "";
    if (kind == "rtpjitterbuffer") {
      const std::lock_guard lock(subscriber.m_mutex);
      subscriber.m_buffers.push_back(plugins::share<plugins::ElementPtr>(element));
    }
    if (kind != "nicesrc" || subscriber.m_wants.losesEach == 0) return;
    const plugins::PadPtr pad(gst_element_get_static_pad(element, "src"));
    gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, &WebrtcSubscriber::lose, self, nullptr);
  }
  static GstPadProbeReturn lose(GstPad*, GstPadProbeInfo* info, gpointer self) {
    auto& subscriber = *static_cast<WebrtcSubscriber*>(self);
    std::array<guint8, 2> start{};
    gst_buffer_extract(GST_PAD_PROBE_INFO_BUFFER(info), 0, start.data(), start.size());
    const bool isMedia = start[0] >> 6 == 2 && (start[1] < 192 || start[1] > 223);
    if (!isMedia || ++subscriber.m_media % subscriber.m_wants.losesEach != 0) return GST_PAD_PROBE_OK;
    ++subscriber.m_lost;
    return GST_PAD_PROBE_DROP;
  }
  static void padAdded(GstElement*, GstPad* pad, gpointer self) {
    if (GST_PAD_DIRECTION(pad) != GST_PAD_SRC) return;
    auto& subscriber = *static_cast<WebrtcSubscriber*>(self);
    const plugins::CapsPtr caps(gst_pad_get_current_caps(pad));
    const std::string media = gst_structure_get_string(gst_caps_get_structure(caps.get(), 0), "media");
    const bool sound = media == "audio";
    GstElement* const decoding = gst_parse_bin_from_description(
        sound ? "rtpopusdepay ! opusdec ! audioconvert ! audio/x-raw,format=S16LE,channels=1 ! appsink "
                "name=sink sync=false"
              : "rtpvp8depay ! vp8dec ! videoconvert ! video/x-raw,format=RGB ! appsink name=sink sync=false",
        TRUE, nullptr);
    const plugins::ElementPtr sink(gst_bin_get_by_name(GST_BIN(decoding), "sink"));
    GstAppSinkCallbacks callbacks{};
    callbacks.new_sample = sound ? &WebrtcSubscriber::soundCame : &WebrtcSubscriber::pictureCame;
    gst_app_sink_set_callbacks(GST_APP_SINK(sink.get()), &callbacks, self, nullptr);
    gst_bin_add(GST_BIN(subscriber.m_pipeline.get()), decoding);
    gst_element_sync_state_with_parent(decoding);
    const plugins::PadPtr into(gst_element_get_static_pad(decoding, "sink"));
    gst_pad_link(pad, into.get());
  }
  static GstFlowReturn pictureCame(GstAppSink* sink, gpointer self) {
    const plugins::SamplePtr sample(gst_app_sink_pull_sample(sink));
    GstMapInfo map;
    if (sample == nullptr || !gst_buffer_map(gst_sample_get_buffer(sample.get()), &map, GST_MAP_READ))
      return GST_FLOW_OK;
    const guint8* const middle = map.data + (120 * 320 + 160) * 3;
    const char colour = "rgb"[std::max_element(middle, middle + 3) - middle];
    gst_buffer_unmap(gst_sample_get_buffer(sample.get()), &map);
    auto& subscriber = *static_cast<WebrtcSubscriber*>(self);
    const std::lock_guard lock(subscriber.m_mutex);
    ++subscriber.m_pictures[colour];
    return GST_FLOW_OK;
  }
  static GstFlowReturn soundCame(GstAppSink* sink, gpointer self) {
    const plugins::SamplePtr sample(gst_app_sink_pull_sample(sink));
    GstMapInfo map;
    if (sample == nullptr || !gst_buffer_map(gst_sample_get_buffer(sample.get()), &map, GST_MAP_READ))
      return GST_FLOW_OK;
    const auto* const samples = reinterpret_cast<const gint16*>(map.data);
    const bool loud =
        std::any_of(samples, samples + map.size / 2, [](gint16 each) { return std::abs(each) > 3000; });
    gst_buffer_unmap(gst_sample_get_buffer(sample.get()), &map);
    if (loud) ++static_cast<WebrtcSubscriber*>(self)->m_heard;
    return GST_FLOW_OK;
  }

  static constexpr const char* kTransportNumbers =
      ",extmap-3=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";
  const Wants m_wants;
  plugins::ElementPtr m_pipeline;
  GstElement* m_peer = nullptr;  // the pipeline's
  mutable std::mutex m_mutex;    // guards the next two
  std::map<char, int> m_pictures;
  std::vector<plugins::ElementPtr> m_buffers;
  std::atomic<int> m_heard{0}, m_media{0}, m_lost{0};
};

}  // namespace tactus::media
