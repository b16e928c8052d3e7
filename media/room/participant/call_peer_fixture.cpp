// SPDX-License-Identifier: Apache-2.0
#define GST_USE_UNSTABLE_API
#include "media/room/participant/call_peer_fixture.h"

#include <gst/sdp/sdp.h>
#include <gst/video/video.h>
#include <gst/webrtc/webrtc.h>
#include <gtest/gtest.h>
#include <nice/agent.h>

#include <algorithm>
#include <thread>

#include "core/periodic/time/time.h"

namespace tactus::media::testing {
namespace {

using namespace std::chrono_literals;
constexpr const char* kTransportWide =
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";
constexpr std::size_t kMostSamples = 48'000 * 300;

plugins::StructurePtr call(GstElement* webrtc, const char* action, GstWebRTCSessionDescription* description) {
  GstPromise* promise = gst_promise_new();
  g_signal_emit_by_name(webrtc, action, description, promise);
  const bool replied = gst_promise_wait(promise) == GST_PROMISE_RESULT_REPLIED;
  const GstStructure* reply = replied ? gst_promise_get_reply(promise) : nullptr;
  plugins::StructurePtr copy(reply != nullptr ? gst_structure_copy(reply) : nullptr);
  gst_promise_unref(promise);
  return copy;
}

std::string encodingOf(GstPad* pad) {
  const plugins::CapsPtr caps(gst_pad_get_current_caps(pad));
  const char* name =
      caps ? gst_structure_get_string(gst_caps_get_structure(caps.get(), 0), "encoding-name") : "";
  return name != nullptr ? name : "";
}

/// SRTP keeps the first bytes of RTP readable (RFC 7983, RFC 5761).
bool isRtp(GstBuffer* packet) {
  std::uint8_t head[2]{};
  if (gst_buffer_extract(packet, 0, head, sizeof head) != sizeof head) return false;
  return head[0] >= 128 && head[0] < 192 && (head[1] < 192 || head[1] > 223);
}

}  // namespace

bool comesTrue(const std::function<bool()>& condition, std::chrono::seconds patience) {
  const auto until = periodic::MonotonicClock::now() + patience;
  while (!condition()) {
    if (periodic::MonotonicClock::now() > until) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

double frequencyOf(const std::vector<std::int16_t>& samples) {
  std::size_t first = 0;
  std::size_t last = 0;
  int crossings = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i - 1] >= 0 || samples[i] < 0) continue;
    if (crossings++ == 0) first = i;
    last = i;
  }
  return last > first ? (crossings - 1) * 48'000.0 / static_cast<double>(last - first) : 0;
}

AnsweringPeer::AnsweringPeer(Options options) : m_options(std::move(options)) {
  gst_init(nullptr, nullptr);
  m_pipeline.reset(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))));
  GstElement* webrtc = gst_element_factory_make("webrtcbin", nullptr);
  gst_bin_add(GST_BIN(m_pipeline.get()), webrtc);
  m_webrtc = plugins::share<plugins::ElementPtr>(webrtc);
  g_object_set(webrtc, "bundle-policy", GST_WEBRTC_BUNDLE_POLICY_MAX_BUNDLE, "latency", m_options.latency,
               nullptr);
  g_signal_connect(webrtc, "pad-added", G_CALLBACK(onPad), this);
  g_signal_connect(webrtc, "deep-element-added", G_CALLBACK(onElement), this);
  g_signal_connect(webrtc, "on-new-transceiver", G_CALLBACK(onTransceiver), this);
  g_signal_connect(webrtc, "notify::ice-gathering-state", G_CALLBACK(onChange), this);
  GObject* ice = nullptr;
  g_object_get(webrtc, "ice-agent", &ice, nullptr);
  GObject* agent = nullptr;
  g_object_get(ice, "agent", &agent, nullptr);
  g_object_set(agent, "upnp", FALSE, nullptr);
  NiceAddress address;
  nice_address_init(&address);
  nice_address_set_from_string(&address, "127.0.0.1");
  nice_agent_add_local_address(NICE_AGENT(agent), &address);
  g_object_unref(agent);
  g_object_unref(ice);
  for (const auto& elements : m_options.sends) addSender(elements);
  gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
}

AnsweringPeer::~AnsweringPeer() {
  leave();
}

void AnsweringPeer::leave() {
  gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
}

void AnsweringPeer::addSender(const std::string& elements) {
  GError* error = nullptr;
  GstElement* bin = gst_parse_bin_from_description(elements.c_str(), TRUE, &error);
  ASSERT_NE(bin, nullptr) << error->message;
  gst_bin_add(GST_BIN(m_pipeline.get()), bin);
  m_sending.emplace_back(gst_element_get_static_pad(bin, "src"));
  const plugins::PadPtr& source = m_sending.back();
  const plugins::PadPtr sink(gst_element_request_pad_simple(m_webrtc.get(), "sink_%u"));
  GObject* transceiver = nullptr;
  g_object_get(sink.get(), "transceiver", &transceiver, nullptr);
  g_object_set(transceiver, "do-nack", TRUE, "direction", GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_SENDONLY,
               nullptr);
  g_object_unref(transceiver);
  gst_pad_add_probe(
      source.get(), GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      [](GstPad*, GstPadProbeInfo* info, gpointer self) {
        if (gst_video_event_is_force_key_unit(GST_PAD_PROBE_INFO_EVENT(info)) != FALSE)
          static_cast<AnsweringPeer*>(self)->m_keyframesAsked.fetch_add(1);
        return GST_PAD_PROBE_OK;
      },
      this, nullptr);
  ASSERT_EQ(gst_pad_link(source.get(), sink.get()), GST_PAD_LINK_OK);
}

std::string AnsweringPeer::answer(const std::string& offer) {
  // webrtcbin answers "inactive" for what has no format yet.
  const auto hasFormat = [](const plugins::PadPtr& pad) {
    return plugins::CapsPtr(gst_pad_get_current_caps(pad.get())) != nullptr;
  };
  if (!comesTrue([&] { return std::all_of(m_sending.begin(), m_sending.end(), hasFormat); })) return "";
  GstSDPMessage* message = nullptr;
  gst_sdp_message_new_from_text(offer.c_str(), &message);
  GstWebRTCSessionDescription* remote =
      gst_webrtc_session_description_new(GST_WEBRTC_SDP_TYPE_OFFER, message);
  (void)call(m_webrtc.get(), "set-remote-description", remote);
  gst_webrtc_session_description_free(remote);
  const auto made = call(m_webrtc.get(), "create-answer", nullptr);
  GstWebRTCSessionDescription* local = nullptr;
  if (!made || !gst_structure_get(made.get(), "answer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &local, nullptr))
    return "";
  (void)call(m_webrtc.get(), "set-local-description", local);
  gst_webrtc_session_description_free(local);
  if (!waitForCandidates()) return "";
  GstWebRTCSessionDescription* gathered = nullptr;
  g_object_get(m_webrtc.get(), "local-description", &gathered, nullptr);
  const plugins::CharPtr text(gst_sdp_message_as_text(gathered->sdp));
  gst_webrtc_session_description_free(gathered);
  return text.get();
}

bool AnsweringPeer::waitForCandidates() {
  std::unique_lock lock(m_mutex);
  return m_changed.wait_for(lock, 60s, [this] {
    GstWebRTCICEGatheringState state{};
    g_object_get(m_webrtc.get(), "ice-gathering-state", &state, nullptr);
    return state == GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE;
  });
}

void AnsweringPeer::onChange(GObject*, GParamSpec*, gpointer data) {
  auto& self = *static_cast<AnsweringPeer*>(data);
  const std::lock_guard lock(self.m_mutex);
  self.m_changed.notify_all();
}

void AnsweringPeer::onTransceiver(GstElement*, GObject* transceiver, gpointer data) {
  const auto& self = *static_cast<AnsweringPeer*>(data);
  GstWebRTCKind kind{};
  g_object_get(transceiver, "kind", &kind, nullptr);
  g_object_set(transceiver, "do-nack", self.m_options.repairs ? TRUE : FALSE, nullptr);
  if (!self.m_options.transportWide || !self.m_options.sends.empty()) return;
  const char* media = kind == GST_WEBRTC_KIND_AUDIO ? "audio" : "video";
  GstCaps* caps = gst_caps_new_simple("application/x-rtp", "media", G_TYPE_STRING, media, "extmap-3",
                                      G_TYPE_STRING, kTransportWide, nullptr);
  g_object_set(transceiver, "codec-preferences", caps, nullptr);
  gst_caps_unref(caps);
}

void AnsweringPeer::onPad(GstElement*, GstPad* pad, gpointer data) {
  if (GST_PAD_IS_SRC(pad)) static_cast<AnsweringPeer*>(data)->receive(pad);
}

void AnsweringPeer::receive(GstPad* pad) {
  const std::string encoding = encodingOf(pad);
  const bool video = encoding != "OPUS";
  const std::string elements =
      (encoding == "VP8"    ? "rtpvp8depay ! vp8dec ! videoconvert ! video/x-raw,format=I420"
       : encoding == "H264" ? "rtph264depay ! h264parse ! avdec_h264 ! videoconvert ! video/x-raw,format=I420"
                            : "rtpopusdepay ! opusdec ! audioconvert ! audio/x-raw,format=S16LE,channels=1") +
      std::string(" ! fakesink name=taken signal-handoffs=true sync=false");
  GstElement* bin = gst_parse_bin_from_description(elements.c_str(), TRUE, nullptr);
  const plugins::ElementPtr sink(gst_bin_get_by_name(GST_BIN(bin), "taken"));
  g_signal_connect(sink.get(), "handoff",
                   G_CALLBACK(+[](GstElement*, GstBuffer* buffer, GstPad* at, gpointer self) {
                     static_cast<AnsweringPeer*>(self)->onDecoded(buffer, at);
                   }),
                   this);
  gst_bin_add(GST_BIN(m_pipeline.get()), bin);
  gst_element_sync_state_with_parent(bin);
  const plugins::PadPtr entry(gst_element_get_static_pad(bin, "sink"));
  gst_pad_link(pad, entry.get());
  const std::lock_guard lock(m_mutex);
  if (video) m_videoPad = plugins::share<plugins::PadPtr>(pad);
}

void AnsweringPeer::onDecoded(GstBuffer* buffer, GstPad* pad) {
  const plugins::CapsPtr caps(gst_pad_get_current_caps(pad));
  GstVideoInfo format;
  GstVideoFrame frame;
  if (gst_video_info_from_caps(&format, caps.get()) == FALSE) {
    std::vector<std::int16_t> heard(gst_buffer_get_size(buffer) / 2);
    gst_buffer_extract(buffer, 0, heard.data(), heard.size() * 2);
    const std::lock_guard lock(m_mutex);
    if (m_samples.size() < kMostSamples) m_samples.insert(m_samples.end(), heard.begin(), heard.end());
    return;
  }
  if (gst_video_frame_map(&frame, &format, buffer, GST_MAP_READ) == FALSE) return;
  const int stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
  const int height = GST_VIDEO_FRAME_HEIGHT(&frame);
  const auto stamp = readStamp({{static_cast<std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)),
                                 static_cast<std::size_t>(stride) * static_cast<std::size_t>(height)},
                                GST_VIDEO_FRAME_WIDTH(&frame),
                                height,
                                stride});
  gst_video_frame_unmap(&frame);
  m_pictures.fetch_add(1);
  const std::lock_guard lock(m_mutex);
  if (stamp) m_stamps.push_back(*stamp);
}

std::vector<PictureStamp> AnsweringPeer::stamps() const {
  const std::lock_guard lock(m_mutex);
  return m_stamps;
}

std::vector<std::int16_t> AnsweringPeer::samplesFrom(std::size_t count) const {
  const std::lock_guard lock(m_mutex);
  return {m_samples.begin() + static_cast<std::ptrdiff_t>(std::min(count, m_samples.size())),
          m_samples.end()};
}

void AnsweringPeer::askForKeyframe() {
  const std::lock_guard lock(m_mutex);
  if (m_videoPad)
    gst_pad_send_event(m_videoPad.get(),
                       gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
}

void AnsweringPeer::onElement(GstBin*, GstBin*, GstElement* element, gpointer data) {
  GstElementFactory* made = gst_element_get_factory(element);  // null: of webrtcbin's own
  const std::string factory = made != nullptr ? GST_OBJECT_NAME(made) : "";
  const char* name = factory == "nicesrc" ? "src" : factory == "nicesink" ? "sink" : nullptr;
  if (factory == "rtpjitterbuffer") g_object_set(element, "rtx-next-seqnum", FALSE, nullptr);
  if (name == nullptr) return;
  const plugins::PadPtr pad(gst_element_get_static_pad(element, name));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, onPacket, data, nullptr);
}

GstPadProbeReturn AnsweringPeer::onPacket(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<AnsweringPeer*>(data);
  if (self.m_vanished.load()) return GST_PAD_PROBE_DROP;
  if (!isRtp(GST_PAD_PROBE_INFO_BUFFER(info))) return GST_PAD_PROBE_OK;
  const auto oneOf = static_cast<unsigned>(self.m_options.losesOneOf);
  const bool regularly = oneOf != 0 && self.m_packets.fetch_add(1) % oneOf == oneOf - 1;
  if (!regularly && self.m_burst.fetch_sub(1) <= 0) {
    self.m_burst.store(0);
    return GST_PAD_PROBE_OK;
  }
  self.m_lost.fetch_add(1);
  return GST_PAD_PROBE_DROP;
}

}  // namespace tactus::media::testing
