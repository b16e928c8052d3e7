// SPDX-License-Identifier: Apache-2.0
// Subscribers that take packets and decode nothing, many in one process, as light as a webrtcbin is: one
// pipeline each. Told what to do by lines of JSON on stdin, answers by lines of JSON on stdout:
//   {"do":"offer","id":1}                 -> {"id":1,"sdp":...}   the subscriber offers (WHEP)
//   {"do":"accept","id":1,"sdp":...}      -> {"id":1}             the answer to it
//   {"do":"answer","id":1,"sdp":...}      -> {"id":1,"sdp":...}   the host offers (Janus)
//   {"do":"count"}                        -> {"packets":...,"bytes":...,"subscribers":...}
// Ends at the end of stdin.
#define GST_USE_UNSTABLE_API  // webrtcbin's interface, the same since 1.16
#include <gst/gst.h>
#include <gst/sdp/sdp.h>
#include <gst/webrtc/webrtc.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace {

using nlohmann::json;

constexpr const char* kTransportWide =
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";
constexpr auto kPatience = std::chrono::seconds(10);

struct Counts {
  std::atomic<std::uint64_t> packets{0}, bytes{0};  // relaxed: figures
};

template <auto Release>
struct Releaser {
  template <typename T>
  void operator()(T* owned) const {
    Release(owned);
  }
};
using Element = std::unique_ptr<GstElement, Releaser<gst_object_unref>>;
using Promise = std::unique_ptr<GstPromise, Releaser<gst_promise_unref>>;
using Session = std::unique_ptr<GstWebRTCSessionDescription, Releaser<gst_webrtc_session_description_free>>;
using Caps = std::unique_ptr<GstCaps, Releaser<gst_caps_unref>>;

/// The id of the transport-wide numbers in a description; 0: it does not offer them.
int transportWideId(const std::string& sdp) {
  const auto at = sdp.find(kTransportWide);
  if (at == std::string::npos) return 0;
  const auto colon = sdp.rfind("a=extmap:", at);
  return colon == std::string::npos ? 0 : std::stoi(sdp.substr(colon + 9));
}

class Subscriber {
 public:
  explicit Subscriber(Counts& counts) : m_counts(counts), m_pipeline(gst_pipeline_new(nullptr)) {
    m_webrtc = gst_element_factory_make("webrtcbin", nullptr);
    if (m_webrtc == nullptr) throw std::runtime_error("webrtcbin is missing");
    gst_bin_add(GST_BIN(m_pipeline.get()), m_webrtc);
    g_object_set(m_webrtc, "bundle-policy", GST_WEBRTC_BUNDLE_POLICY_MAX_BUNDLE, nullptr);
    g_signal_connect(m_webrtc, "pad-added", G_CALLBACK(onPad), this);
    g_signal_connect(m_webrtc, "on-new-transceiver", G_CALLBACK(onTransceiver), this);
    g_signal_connect(m_webrtc, "notify::ice-gathering-state", G_CALLBACK(onChange), this);
    withoutUpnp();
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  }
  ~Subscriber() { gst_element_set_state(m_pipeline.get(), GST_STATE_NULL); }
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  std::string offer() {
    add("video", "VP8", 96, 90000, 3);
    add("audio", "OPUS", 111, 48000, 0);
    return describe("create-offer", "offer");
  }
  void accept(const std::string& sdp) { setRemote(sdp, GST_WEBRTC_SDP_TYPE_ANSWER); }
  std::string answer(const std::string& sdp) {
    m_transportWide = transportWideId(sdp);
    setRemote(sdp, GST_WEBRTC_SDP_TYPE_OFFER);
    return describe("create-answer", "answer");
  }

 private:
  /// Which costs 200 ms for each connection.
  void withoutUpnp() {
    GObject* ice = nullptr;
    g_object_get(m_webrtc, "ice-agent", &ice, nullptr);
    GObject* agent = nullptr;
    g_object_get(ice, "agent", &agent, nullptr);
    g_object_set(agent, "upnp", FALSE, nullptr);
    g_object_unref(agent);
    g_object_unref(ice);
  }

  static Caps format(const char* media, const char* encoding, int payload, int rate, int transportWide) {
    Caps caps(gst_caps_new_simple("application/x-rtp", "media", G_TYPE_STRING, media, "encoding-name",
                                  G_TYPE_STRING, encoding, "clock-rate", G_TYPE_INT, rate, nullptr));
    if (payload > 0) gst_caps_set_simple(caps.get(), "payload", G_TYPE_INT, payload, nullptr);
    if (payload == 111) gst_caps_set_simple(caps.get(), "encoding-params", G_TYPE_STRING, "2", nullptr);
    if (transportWide > 0)
      gst_caps_set_simple(caps.get(), ("extmap-" + std::to_string(transportWide)).c_str(), G_TYPE_STRING,
                          kTransportWide, nullptr);
    return caps;
  }

  void add(const char* media, const char* encoding, int payload, int rate, int transportWide) {
    const auto caps = format(media, encoding, payload, rate, transportWide);
    GObject* transceiver = nullptr;
    g_signal_emit_by_name(m_webrtc, "add-transceiver", GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_RECVONLY,
                          caps.get(), &transceiver);
    if (transceiver != nullptr) g_object_unref(transceiver);
  }

  GstPromise* call(const char* action, GstWebRTCSessionDescription* description) {
    GstPromise* promise = gst_promise_new();
    g_signal_emit_by_name(m_webrtc, action, description, promise);
    gst_promise_wait(promise);
    return promise;
  }

  void setRemote(const std::string& sdp, GstWebRTCSDPType type) {
    GstSDPMessage* message = nullptr;
    gst_sdp_message_new(&message);
    gst_sdp_message_parse_buffer(reinterpret_cast<const guint8*>(sdp.data()), static_cast<guint>(sdp.size()),
                                 message);
    const Session remote(gst_webrtc_session_description_new(type, message));
    const Promise promise(call("set-remote-description", remote.get()));
  }

  std::string describe(const char* action, const char* field) {
    const Promise promise(call(action, nullptr));
    const GstStructure* reply = gst_promise_get_reply(promise.get());
    GstWebRTCSessionDescription* raw = nullptr;
    if (reply == nullptr ||
        !gst_structure_get(reply, field, GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &raw, nullptr))
      throw std::runtime_error(std::string(action) + " failed");
    const Session made(raw);
    const Promise set(call("set-local-description", raw));
    std::unique_lock lock(m_mutex);
    if (!m_changed.wait_for(lock, kPatience, [this] { return gathered(); }))
      throw std::runtime_error("no candidates");
    GstWebRTCSessionDescription* whole = nullptr;
    g_object_get(m_webrtc, "local-description", &whole, nullptr);
    const Session local(whole);
    gchar* text = gst_sdp_message_as_text(local->sdp);
    const std::string sdp = text;
    g_free(text);
    return sdp;
  }

  [[nodiscard]] bool gathered() const {
    GstWebRTCICEGatheringState state = GST_WEBRTC_ICE_GATHERING_STATE_NEW;
    g_object_get(m_webrtc, "ice-gathering-state", &state, nullptr);
    return state == GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE;
  }

  static void onChange(GObject*, GParamSpec*, gpointer data) {
    auto& self = *static_cast<Subscriber*>(data);
    const std::lock_guard lock(self.m_mutex);
    self.m_changed.notify_all();
  }

  /// webrtcbin's answer drops every extension that is not among the preferences.
  static void onTransceiver(GstElement*, GObject* transceiver, gpointer data) {
    const auto& self = *static_cast<Subscriber*>(data);
    GstWebRTCKind kind = GST_WEBRTC_KIND_UNKNOWN;
    g_object_get(transceiver, "kind", &kind, nullptr);
    const bool video = kind == GST_WEBRTC_KIND_VIDEO;
    g_object_set(transceiver, "direction", GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_RECVONLY, "do-nack",
                 static_cast<gboolean>(video), nullptr);
    if (!video || self.m_transportWide == 0) return;
    const auto caps = format("video", "VP8", 0, 90000, self.m_transportWide);
    g_object_set(transceiver, "codec-preferences", caps.get(), nullptr);
  }

  static void onPad(GstElement*, GstPad* pad, gpointer data) {
    auto& self = *static_cast<Subscriber*>(data);
    if (!GST_PAD_IS_SRC(pad)) return;
    GstElement* sink = gst_element_factory_make("fakesink", nullptr);
    g_object_set(sink, "sync", FALSE, "async", FALSE, "enable-last-sample", FALSE, nullptr);
    gst_bin_add(GST_BIN(self.m_pipeline.get()), sink);
    gst_element_sync_state_with_parent(sink);
    GstPad* into = gst_element_get_static_pad(sink, "sink");
    gst_pad_add_probe(into, GST_PAD_PROBE_TYPE_BUFFER, onPacket, &self.m_counts, nullptr);
    gst_pad_link(pad, into);
    gst_object_unref(into);
  }

  static GstPadProbeReturn onPacket(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto& counts = *static_cast<Counts*>(data);
    counts.packets.fetch_add(1, std::memory_order_relaxed);
    counts.bytes.fetch_add(gst_buffer_get_size(GST_PAD_PROBE_INFO_BUFFER(info)), std::memory_order_relaxed);
    return GST_PAD_PROBE_OK;
  }

  Counts& m_counts;
  Element m_pipeline;
  GstElement* m_webrtc = nullptr;  // the pipeline's
  int m_transportWide = 0;         // id in the offer; set before its transceivers are made
  std::mutex m_mutex;
  std::condition_variable m_changed;
};

json obey(const json& order, std::map<int, std::unique_ptr<Subscriber>>& all, Counts& counts) {
  const std::string what = order.at("do");
  if (what == "count")
    return {{"packets", counts.packets.load()}, {"bytes", counts.bytes.load()}, {"subscribers", all.size()}};
  const int id = order.at("id");
  auto& subscriber = all[id];
  if (!subscriber) subscriber = std::make_unique<Subscriber>(counts);
  if (what == "offer") return {{"id", id}, {"sdp", subscriber->offer()}};
  if (what == "answer") return {{"id", id}, {"sdp", subscriber->answer(order.at("sdp"))}};
  if (what == "accept") subscriber->accept(order.at("sdp"));
  return {{"id", id}};
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  Counts counts;
  std::map<int, std::unique_ptr<Subscriber>> all;
  std::string line;
  while (std::getline(std::cin, line)) {
    json answer;
    try {
      answer = obey(json::parse(line), all, counts);
    } catch (const std::exception& failure) {
      answer = {{"error", failure.what()}};
    }
    std::cout << answer.dump() << std::endl;
  }
  return 0;
}
