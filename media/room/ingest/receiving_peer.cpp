// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/receiving_peer.h"

#include <gst/sdp/sdp.h>
#include <nice/agent.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "media/room/webrtc_bin.h"

namespace tactus::media {
namespace {

constexpr guint kLatency = 200;    // ms: room for one repetition over a round trip of 100 ms
constexpr guint kMostSources = 8;  // of RTP: each costs a jitter buffer and its threads
constexpr auto kGatheringLimit = std::chrono::seconds(5);
constexpr const char* kTransportWide =
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";

plugins::CapsPtr preferenceFor(const OfferedMedia& offered) {
  const bool video = offered.format.kind == MediaKind::Video;
  const plugins::CharPtr encoding(g_ascii_strup(offered.format.encoding.c_str(), -1));
  plugins::CapsPtr caps(gst_caps_new_simple(
      "application/x-rtp", "media", G_TYPE_STRING, video ? "video" : "audio", "encoding-name", G_TYPE_STRING,
      encoding.get(), "clock-rate", G_TYPE_INT, static_cast<gint>(offered.format.clockRate), nullptr));
  // Without this webrtcbin's answer drops every extension of the offer.
  if (offered.transportWideId) {
    const std::string field = "extmap-" + std::to_string(*offered.transportWideId);
    gst_caps_set_simple(caps.get(), field.c_str(), G_TYPE_STRING, kTransportWide, nullptr);
  }
  return caps;
}

/// Which of the offer's media it is of.
std::size_t mediaOf(GObject* transceiver) {
  guint line = 0;
  g_object_get(transceiver, "mlineindex", &line, nullptr);
  return line;
}

}  // namespace

Result<std::unique_ptr<ReceivingPeer>> ReceivingPeer::create(const PublishOffer& offer,
                                                             const std::vector<std::string>& addresses,
                                                             plugins::EventDescriptor& wake) {
  std::unique_ptr<ReceivingPeer> peer(new ReceivingPeer(wake));
  peer->m_offered = offer.media;
  for (const auto& media : offer.media)
    peer->m_feeds.push_back(std::make_unique<IngestFeed>(media.format, wake));
  if (auto built = peer->build(addresses); !built.ok()) return built.error();
  if (auto answered = peer->negotiate(offer); !answered.ok()) return answered.error();
  return peer;
}

ReceivingPeer::~ReceivingPeer() {
  stop();
}

Result<void> ReceivingPeer::build(const std::vector<std::string>& addresses) {
  m_pipeline = plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))));
  GstElement* webrtc = gst_element_factory_make("webrtcbin", nullptr);
  if (webrtc == nullptr)
    return Error{ErrorCode::Unavailable,
                 "GStreamer's webrtcbin is missing (package gstreamer1.0-plugins-bad)."};
  gst_bin_add(GST_BIN(m_pipeline.get()), webrtc);
  m_webrtc = plugins::share<plugins::ElementPtr>(webrtc);
  g_object_set(webrtc, "bundle-policy", GST_WEBRTC_BUNDLE_POLICY_MAX_BUNDLE, "latency", kLatency, nullptr);
  m_rtpbin = plugins::ElementPtr(gst_bin_get_by_name(GST_BIN(webrtc), "rtpbin"));
  if (!m_rtpbin)
    return Error{ErrorCode::Unavailable,
                 "GStreamer's rtpbin is missing (package gstreamer1.0-plugins-good)."};
  g_object_set(m_rtpbin.get(), "max-streams", kMostSources, nullptr);
  g_signal_connect(m_rtpbin.get(), "new-jitterbuffer", G_CALLBACK(onJitterBuffer), this);
  g_signal_connect(webrtc, "on-new-transceiver", G_CALLBACK(onTransceiver), this);
  g_signal_connect(webrtc, "deep-element-added", G_CALLBACK(onElement), this);
  g_signal_connect(webrtc, "pad-added", G_CALLBACK(onPad), this);
  g_signal_connect(webrtc, "notify::connection-state", G_CALLBACK(onChange), this);
  g_signal_connect(webrtc, "notify::ice-connection-state", G_CALLBACK(onChange), this);
  g_signal_connect(webrtc, "notify::ice-gathering-state", G_CALLBACK(onChange), this);
  const plugins::BusPtr bus(gst_pipeline_get_bus(GST_PIPELINE(m_pipeline.get())));
  gst_bus_set_sync_handler(bus.get(), onMessage, this, nullptr);
  if (auto tuned = tuneIce(addresses); !tuned.ok()) return tuned.error();
  if (gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    return Error{ErrorCode::Unavailable,
                 "GStreamer's webrtcbin does not start (is gstreamer1.0-nice installed?)."};
  return {};
}

Result<void> ReceivingPeer::tuneIce(const std::vector<std::string>& addresses) {
  const ObjectPtr ice = objectOf(m_webrtc.get(), "ice-agent");
  const ObjectPtr agent = ice ? objectOf(ice.get(), "agent") : nullptr;
  if (!agent)
    return Error{ErrorCode::Unavailable, "GStreamer's ICE agent is missing (package gstreamer1.0-nice)."};
  // It costs 200 ms for each connection.
  g_object_set(agent.get(), "upnp", FALSE, nullptr);
  for (const auto& text : addresses) {
    NiceAddress address;
    nice_address_init(&address);
    if (nice_address_set_from_string(&address, text.c_str()) == FALSE ||
        nice_agent_add_local_address(NICE_AGENT(agent.get()), &address) == FALSE)
      return Error{ErrorCode::InvalidArgument,
                   "'" + text + "' is no IP address that can be offered to publishers."};
  }
  return {};
}

Result<void> ReceivingPeer::negotiate(const PublishOffer& offer) {
  const SessionPtr remote = sessionFrom(sdpOf(offer), GST_WEBRTC_SDP_TYPE_OFFER);
  if (!remote) return Error{ErrorCode::InvalidArgument, "The offer cannot be answered: it is no SDP."};
  const auto call = [&](const char* action, GstWebRTCSessionDescription* description) {
    return callWebrtc(m_webrtc.get(), action, description, "The offer cannot be answered");
  };
  if (const auto taken = call("set-remote-description", remote.get()); !taken.ok()) return taken.error();
  const auto made = call("create-answer", nullptr);
  if (!made.ok()) return made.error();
  GstWebRTCSessionDescription* description = nullptr;
  if (!made.value() || !gst_structure_get(made.value().get(), "answer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION,
                                          &description, nullptr))
    return Error{ErrorCode::InvalidArgument, "The offer cannot be answered: webrtcbin made no answer."};
  const SessionPtr local(description);
  if (const auto set = call("set-local-description", local.get()); !set.ok()) return set.error();
  tuneRtcp();
  return waitForCandidates();
}

void ReceivingPeer::tuneRtcp() {
  GObject* session = nullptr;
  g_signal_emit_by_name(m_rtpbin.get(), "get-internal-session", 0U, &session);
  const ObjectPtr owned(session);
  if (owned) raiseRtcpRate(session);
}

bool ReceivingPeer::hasAllCandidates() const {
  GstWebRTCICEGatheringState state = GST_WEBRTC_ICE_GATHERING_STATE_NEW;
  g_object_get(m_webrtc.get(), "ice-gathering-state", &state, nullptr);
  return state == GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE;
}

Result<void> ReceivingPeer::waitForCandidates() {
  onChange(nullptr, nullptr, this);
  {
    std::unique_lock lock(m_mutex);
    if (!m_changed.wait_for(lock, kGatheringLimit, [this] { return m_gathered; }))
      return Error{ErrorCode::Timeout,
                   "No network address was found within 5 s at which the publisher could connect."};
  }
  GstWebRTCSessionDescription* description = nullptr;
  g_object_get(m_webrtc.get(), "local-description", &description, nullptr);
  const SessionPtr local(description);
  const plugins::CharPtr text(local ? gst_sdp_message_as_text(local->sdp) : nullptr);
  if (!text)
    return Error{ErrorCode::InvalidArgument, "The offer cannot be answered: webrtcbin has no answer."};
  m_answer = text.get();
  return {};
}

Connection ReceivingPeer::connection() const {
  if (closedByPeer()) return Connection::Closed;
  GstWebRTCPeerConnectionState state = GST_WEBRTC_PEER_CONNECTION_STATE_NEW;
  g_object_get(m_webrtc.get(), "connection-state", &state, nullptr);
  switch (state) {
    case GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED:
      return Connection::Connected;
    case GST_WEBRTC_PEER_CONNECTION_STATE_DISCONNECTED:
      return Connection::Connected;  // perhaps for a moment only; else the life's limit says so
    case GST_WEBRTC_PEER_CONNECTION_STATE_FAILED:
      return Connection::Lost;
    case GST_WEBRTC_PEER_CONNECTION_STATE_CLOSED:
      return Connection::Closed;
    default:
      return Connection::Connecting;
  }
}

/// webrtcbin's own state says nothing of a DTLS connection that was closed by the other side.
bool ReceivingPeer::closedByPeer() const {
  GstWebRTCRTPTransceiver* first = nullptr;
  g_signal_emit_by_name(m_webrtc.get(), "get-transceiver", 0, &first);
  const ObjectPtr transceiver(reinterpret_cast<GObject*>(first));
  const ObjectPtr receiver = transceiver ? objectOf(transceiver.get(), "receiver") : nullptr;
  const ObjectPtr transport = receiver ? objectOf(receiver.get(), "transport") : nullptr;
  if (!transport) return false;
  GstWebRTCDTLSTransportState state = GST_WEBRTC_DTLS_TRANSPORT_STATE_NEW;
  g_object_get(transport.get(), "state", &state, nullptr);
  return state == GST_WEBRTC_DTLS_TRANSPORT_STATE_CLOSED;
}

std::string ReceivingPeer::fault() const {
  const std::lock_guard lock(m_mutex);
  return m_fault;
}

JitterBuffer::Figures ReceivingPeer::figuresOf(const IngestFeed& feed) const {
  const std::lock_guard lock(m_mutex);
  JitterBuffer::Figures sum;
  for (const auto& [source, buffer] : m_buffers) {
    const auto owner = m_sources.find(source);
    if (owner == m_sources.end() || owner->second != &feed) continue;
    const auto figures = buffer->figures();
    sum.lost += figures.lost;
    sum.dropped += figures.dropped;
    sum.jitter = std::max(sum.jitter, figures.jitter);
    if (figures.retransmissionTime)
      sum.retransmissionTime = std::max(sum.retransmissionTime, figures.retransmissionTime);
  }
  return sum;
}

void ReceivingPeer::stop() {
  if (std::exchange(m_stopped, true) || !m_pipeline) return;
  gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  const plugins::BusPtr bus(gst_pipeline_get_bus(GST_PIPELINE(m_pipeline.get())));
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  if (m_rtpbin) g_signal_handlers_disconnect_by_data(m_rtpbin.get(), this);
  if (m_webrtc) g_signal_handlers_disconnect_by_data(m_webrtc.get(), this);
  for (const auto& feed : m_feeds) feed->detach();
}

IngestFeed* ReceivingPeer::feedOf(GObject* transceiver) const {
  const std::size_t media = mediaOf(transceiver);
  return media < m_feeds.size() ? m_feeds[media].get() : nullptr;
}

void ReceivingPeer::onElement(GstBin*, GstBin*, GstElement* element, gpointer self) {
  GstElementFactory* factory = gst_element_get_factory(element);
  if (factory == nullptr || g_strcmp0(GST_OBJECT_NAME(factory), "nicesrc") != 0) return;
  const plugins::PadPtr source(gst_element_get_static_pad(element, "src"));
  gst_pad_add_probe(source.get(), GST_PAD_PROBE_TYPE_BUFFER, onDatagram, self, nullptr);
}

GstPadProbeReturn ReceivingPeer::onDatagram(GstPad*, GstPadProbeInfo*, gpointer self) {
  static_cast<ReceivingPeer*>(self)->m_datagrams.fetch_add(1, std::memory_order_relaxed);
  return GST_PAD_PROBE_OK;
}

void ReceivingPeer::onTransceiver(GstElement*, GObject* transceiver, gpointer data) {
  const auto& self = *static_cast<ReceivingPeer*>(data);
  const std::size_t media = mediaOf(transceiver);
  if (media >= self.m_offered.size()) return;
  const OfferedMedia& offered = self.m_offered[media];
  const auto caps = preferenceFor(offered);
  const gboolean repeats = offered.format.kind == MediaKind::Video ? TRUE : FALSE;
  g_object_set(transceiver, "direction", GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_RECVONLY, "codec-preferences",
               caps.get(), "do-nack", repeats, nullptr);
}

void ReceivingPeer::onPad(GstElement*, GstPad* pad, gpointer data) {
  auto& self = *static_cast<ReceivingPeer*>(data);
  if (GST_PAD_DIRECTION(pad) != GST_PAD_SRC) return;
  const ObjectPtr transceiver = objectOf(pad, "transceiver");
  IngestFeed* feed = transceiver ? self.feedOf(transceiver.get()) : nullptr;
  if (feed == nullptr) return;
  guint source = 0;
  if (const plugins::CapsPtr caps(gst_pad_get_current_caps(pad)); caps && gst_caps_get_size(caps.get()) > 0)
    gst_structure_get_uint(gst_caps_get_structure(caps.get(), 0), "ssrc", &source);
  {
    const std::lock_guard lock(self.m_mutex);
    self.m_sources[source] = feed;
  }
  feed->attach(pad);
}

void ReceivingPeer::onJitterBuffer(GstElement*, GstElement* buffer, guint, guint ssrc, gpointer data) {
  auto& self = *static_cast<ReceivingPeer*>(data);
  auto made = std::make_unique<JitterBuffer>(buffer);
  const std::lock_guard lock(self.m_mutex);
  self.m_buffers[ssrc] = std::move(made);
}

void ReceivingPeer::onChange(GObject*, GParamSpec*, gpointer data) {
  auto& self = *static_cast<ReceivingPeer*>(data);
  // Asked without our lock: webrtcbin has locks of its own.
  if (self.hasAllCandidates()) {
    const std::lock_guard lock(self.m_mutex);
    self.m_gathered = true;
  }
  self.m_changed.notify_all();
  self.m_wake.signal();
}

GstBusSyncReply ReceivingPeer::onMessage(GstBus*, GstMessage* message, gpointer data) {
  auto& self = *static_cast<ReceivingPeer*>(data);
  const plugins::MessagePtr owned(message);
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR) return GST_BUS_DROP;
  GError* error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  const plugins::ErrorPtr ownedError(error);
  const std::lock_guard lock(self.m_mutex);
  if (self.m_fault.empty())
    self.m_fault =
        std::string("The connection broke off: ") + (error != nullptr ? error->message : "unknown reason");
  self.m_wake.signal();
  return GST_BUS_DROP;
}

}  // namespace tactus::media
