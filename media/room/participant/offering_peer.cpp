// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/offering_peer.h"

#include <gst/sdp/sdp.h>
#include <nice/agent.h>

#include <chrono>
#include <utility>

#include "media/room/webrtc_bin.h"
#include "plugins/error_words.h"

namespace tactus::media {

using periodic::MonotonicClock;

namespace {

constexpr auto kPatience = std::chrono::seconds(10);
/// For webrtcbin to take the candidates that its agent has.
constexpr auto kTaken = std::chrono::milliseconds(300);
constexpr const char* kSessionEntry = "send_rtp_sink";  // of an rtpsession

}  // namespace

void OfferingPeer::prepare() {
  gst_init(nullptr, nullptr);
  // The first dtlsdec of a program makes the certificate.
  for (const char* name : {"webrtcbin", "dtlsdec", "nicesrc", "rtpbin", "rtpjitterbuffer", "srtpdec"})
    if (GstElement* element = gst_element_factory_make(name, nullptr))
      plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(element))).reset();
}

Result<std::unique_ptr<OfferingPeer>> OfferingPeer::create(const Options& options, Hooks hooks,
                                                           plugins::EventDescriptor& wake) {
  gst_init(nullptr, nullptr);
  std::unique_ptr<OfferingPeer> peer(new OfferingPeer(std::move(hooks), wake));
  if (auto built = peer->build(options); !built.ok()) return built.error();
  return peer;
}

OfferingPeer::~OfferingPeer() {
  stop();
}

Result<void> OfferingPeer::build(const Options& options) {
  m_pipeline = plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))));
  GstElement* webrtc = gst_element_factory_make("webrtcbin", nullptr);
  if (webrtc == nullptr)
    return Error{ErrorCode::Unavailable,
                 "GStreamer's webrtcbin is missing (package gstreamer1.0-plugins-bad)."};
  gst_bin_add(GST_BIN(m_pipeline.get()), webrtc);
  m_webrtc = plugins::share<plugins::ElementPtr>(webrtc);
  g_object_set(webrtc, "bundle-policy", GST_WEBRTC_BUNDLE_POLICY_MAX_BUNDLE, "latency",
               static_cast<guint>(options.latency / std::chrono::milliseconds(1)), nullptr);
  g_signal_connect(webrtc, "on-negotiation-needed", G_CALLBACK(onNegotiationNeeded), this);
  g_signal_connect(webrtc, "pad-added", G_CALLBACK(onPad), this);
  g_signal_connect(webrtc, "deep-element-added", G_CALLBACK(onElement), this);
  for (const char* property :
       {"notify::connection-state", "notify::ice-connection-state", "notify::ice-gathering-state"})
    g_signal_connect(webrtc, property, G_CALLBACK(onChange), this);
  const plugins::BusPtr bus(gst_pipeline_get_bus(GST_PIPELINE(m_pipeline.get())));
  gst_bus_set_sync_handler(bus.get(), onMessage, this, nullptr);
  return tuneIce(options);
}

Result<void> OfferingPeer::tuneIce(const Options& options) {
  const ObjectPtr ice = objectOf(m_webrtc.get(), "ice-agent");
  m_agent = ice ? objectOf(ice.get(), "agent") : nullptr;
  if (!m_agent)
    return Error{ErrorCode::Unavailable, "GStreamer's ICE agent is missing (package gstreamer1.0-nice)."};
  // UPnP costs 200 ms for each connection; a peer that is gone is noticed by its silence to these checks.
  g_signal_connect(m_agent.get(), "candidate-gathering-done", G_CALLBACK(onGathered), this);
  g_object_set(m_agent.get(), "upnp", FALSE, "keepalive-conncheck", TRUE, nullptr);
  for (const auto& text : options.addresses) {
    NiceAddress address;
    nice_address_init(&address);
    if (nice_address_set_from_string(&address, text.c_str()) == FALSE ||
        nice_agent_add_local_address(NICE_AGENT(m_agent.get()), &address) == FALSE)
      return Error{ErrorCode::InvalidArgument, "'" + text + "' is no IP address that can be offered."};
  }
  return {};
}

plugins::PadPtr OfferingPeer::send(MediaKind kind) {
  plugins::PadPtr pad(gst_element_request_pad_simple(m_webrtc.get(), "sink_%u"));
  if (!pad) return nullptr;
  const ObjectPtr transceiver = objectOf(pad.get(), "transceiver");
  g_object_set(transceiver.get(), "direction", GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_SENDONLY, "do-nack",
               kind == MediaKind::Video ? TRUE : FALSE, nullptr);
  return pad;
}

void OfferingPeer::receive(const GstCaps& caps) {
  GObject* raw = nullptr;
  g_signal_emit_by_name(m_webrtc.get(), "add-transceiver", GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_RECVONLY,
                        &caps, &raw);
  const ObjectPtr transceiver(raw);
  // Sound as well: what is not repaired by Opus's own redundancy may be repeated.
  if (transceiver) g_object_set(raw, "do-nack", TRUE, nullptr);
}

Result<void> OfferingPeer::start() {
  if (gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE) return {};
  const std::string why = fault();
  return Error{ErrorCode::Unavailable,
               why.empty() ? "GStreamer's webrtcbin does not start (is gstreamer1.0-nice installed?)." : why};
}

bool OfferingPeer::waitFor(bool (OfferingPeer::*condition)() const) {
  const auto end = MonotonicClock::now() + kPatience;
  std::unique_lock lock(m_mutex);
  while (!(this->*condition)()) {
    if (MonotonicClock::now() >= end) return false;
    m_changed.wait_for(lock, kTaken / 3);
  }
  return true;
}

/// webrtcbin gathers once for each media of a bundle, and the second time says that it gathers though the
/// agent already has: where the agent was done just then, webrtcbin never says that it is complete.
bool OfferingPeer::hasCandidates() const {
  GstWebRTCICEGatheringState state = GST_WEBRTC_ICE_GATHERING_STATE_NEW;
  g_object_get(m_webrtc.get(), "ice-gathering-state", &state, nullptr);
  return state == GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE || !m_fault.empty() ||
         (m_gathered && MonotonicClock::now() - *m_gathered >= kTaken);
}

Result<std::string> OfferingPeer::offer() {
  if (!waitFor(&OfferingPeer::hasFormats))
    return Error{ErrorCode::Timeout, "Nothing came of the devices in 10 s."};
  if (auto why = fault(); !why.empty()) return Error{ErrorCode::Unavailable, why};
  auto made = callWebrtc(m_webrtc.get(), "create-offer", nullptr, "There can be no offer");
  if (!made.ok()) return made.error();
  GstWebRTCSessionDescription* raw = nullptr;
  if (!made.value() ||
      !gst_structure_get(made.value().get(), "offer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &raw, nullptr))
    return Error{ErrorCode::Unavailable, "There can be no offer: webrtcbin made none."};
  const SessionPtr offered(raw);
  if (auto set = callWebrtc(m_webrtc.get(), "set-local-description", raw, "There can be no offer"); !set.ok())
    return set.error();
  tuneRtp();
  if (!waitFor(&OfferingPeer::hasCandidates))
    return Error{ErrorCode::Timeout, "No network address was found within 10 s."};
  GstWebRTCSessionDescription* gathered = nullptr;
  g_object_get(m_webrtc.get(), "local-description", &gathered, nullptr);
  const SessionPtr local(gathered);
  if (!local) return Error{ErrorCode::Unavailable, "There can be no offer: webrtcbin forgot it."};
  const plugins::CharPtr text(gst_sdp_message_as_text(local->sdp));
  const std::string description(text.get());
  if (description.find("a=candidate:") == std::string::npos)
    return Error{ErrorCode::Unavailable, "No network address was found."};
  return description;
}

/// The session exists once the description is set.
void OfferingPeer::tuneRtp() {
  const plugins::ElementPtr rtpbin(gst_bin_get_by_name(GST_BIN(m_webrtc.get()), "rtpbin"));
  if (!rtpbin) return;
  GstElement* session = nullptr;
  g_signal_emit_by_name(rtpbin.get(), "get-session", 0U, &session);
  if (session == nullptr) return;
  {
    const std::lock_guard lock(m_mutex);
    m_session.reset(session);
  }
  const ObjectPtr inner = objectOf(session, "internal-session");
  raiseRtcpRate(inner.get());
  // Where packets enter the session, what became of them comes out. The pad may be there, or come with the
  // answer.
  g_signal_connect(session, "pad-added", G_CALLBACK(onSessionPad), this);
  if (const plugins::PadPtr pad(gst_element_get_static_pad(session, kSessionEntry)); pad)
    watchFeedback(pad.get());
}

void OfferingPeer::onSessionPad(GstElement*, GstPad* pad, gpointer data) {
  const plugins::CharPtr name(gst_pad_get_name(pad));
  if (std::string_view(name.get()) == kSessionEntry) static_cast<OfferingPeer*>(data)->watchFeedback(pad);
}

void OfferingPeer::watchFeedback(GstPad* pad) {
  if (!m_watched.exchange(true))
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, onUpstream, this, nullptr);
}

GstPadProbeReturn OfferingPeer::onUpstream(GstPad*, GstPadProbeInfo* info, gpointer data) {
  const auto& self = *static_cast<OfferingPeer*>(data);
  const GstStructure* said = gst_event_get_structure(GST_PAD_PROBE_INFO_EVENT(info));
  if (said != nullptr && gst_structure_has_name(said, "RTPTWCCPackets") && self.m_hooks.onTransportWide)
    self.m_hooks.onTransportWide(*said);
  return GST_PAD_PROBE_OK;
}

Result<void> OfferingPeer::accept(std::string_view answer) {
  const SessionPtr remote = sessionFrom(answer, GST_WEBRTC_SDP_TYPE_ANSWER);
  if (!remote) return Error{ErrorCode::InvalidArgument, "The answer cannot be used: it is no SDP."};
  auto taken =
      callWebrtc(m_webrtc.get(), "set-remote-description", remote.get(), "The answer cannot be used");
  if (!taken.ok()) return taken.error();
  return {};
}

TransportState OfferingPeer::state() const {
  GstWebRTCPeerConnectionState whole{};
  GstWebRTCICEConnectionState ice{};
  g_object_get(m_webrtc.get(), "connection-state", &whole, "ice-connection-state", &ice, nullptr);
  if (whole == GST_WEBRTC_PEER_CONNECTION_STATE_CLOSED) return TransportState::Closed;
  if (whole == GST_WEBRTC_PEER_CONNECTION_STATE_FAILED || ice == GST_WEBRTC_ICE_CONNECTION_STATE_FAILED)
    return TransportState::Lost;
  return whole == GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED ? TransportState::Connected
                                                             : TransportState::Connecting;
}

std::optional<MediaKind> OfferingPeer::brokenDevice() const {
  const std::lock_guard lock(m_mutex);
  return m_broken;
}

void OfferingPeer::fail(MediaKind broken, const std::string& why) {
  const std::lock_guard lock(m_mutex);
  if (!m_fault.empty()) return;
  m_fault = why;
  m_broken = broken;
  m_changed.notify_all();
}

std::string OfferingPeer::fault() const {
  const std::lock_guard lock(m_mutex);
  return m_fault;
}

plugins::StructurePtr OfferingPeer::rtpStatistics() const {
  plugins::ElementPtr session;
  {
    const std::lock_guard lock(m_mutex);
    session = plugins::share<plugins::ElementPtr>(m_session.get());
  }
  if (!session) return nullptr;
  GstStructure* statistics = nullptr;
  const ObjectPtr inner = objectOf(session.get(), "internal-session");
  g_object_get(inner.get(), "stats", &statistics, nullptr);
  return plugins::StructurePtr(statistics);
}

void OfferingPeer::followLatency() {
  if (m_latencyChanged.exchange(false)) (void)gst_bin_recalculate_latency(GST_BIN(m_pipeline.get()));
}

void OfferingPeer::stop() {
  if (std::exchange(m_stopped, true) || !m_pipeline) return;
  if (m_session) g_signal_handlers_disconnect_by_data(m_session.get(), this);
  (void)gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  if (m_webrtc) g_signal_handlers_disconnect_by_data(m_webrtc.get(), this);
  if (m_agent) g_signal_handlers_disconnect_by_data(m_agent.get(), this);
  const plugins::BusPtr bus(gst_pipeline_get_bus(GST_PIPELINE(m_pipeline.get())));
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
}

void OfferingPeer::onNegotiationNeeded(GstElement*, gpointer data) {
  auto& self = *static_cast<OfferingPeer*>(data);
  const std::lock_guard lock(self.m_mutex);
  self.m_hasFormats = true;
  self.m_changed.notify_all();
}

void OfferingPeer::onGathered(GObject*, guint, gpointer data) {
  auto& self = *static_cast<OfferingPeer*>(data);
  const std::lock_guard lock(self.m_mutex);
  self.m_gathered = MonotonicClock::now();
  self.m_changed.notify_all();
}

void OfferingPeer::onPad(GstElement*, GstPad* pad, gpointer data) {
  const auto& self = *static_cast<OfferingPeer*>(data);
  if (GST_PAD_IS_SRC(pad) && self.m_hooks.onPad) self.m_hooks.onPad(pad);
}

void OfferingPeer::onElement(GstBin*, GstBin*, GstElement* element, gpointer data) {
  const auto& self = *static_cast<OfferingPeer*>(data);
  // What is captured is sent at once: webrtcbin would keep each packet until the source's latency is over.
  const GstElementFactory* factory = gst_element_get_factory(element);
  if (factory != nullptr && g_strcmp0(GST_OBJECT_NAME(factory), "clocksync") == 0)
    g_object_set(element, "sync", FALSE, nullptr);
  if (self.m_hooks.onElement) self.m_hooks.onElement(element);
}

void OfferingPeer::onChange(GObject*, GParamSpec*, gpointer data) {
  auto& self = *static_cast<OfferingPeer*>(data);
  const std::lock_guard lock(self.m_mutex);
  self.m_changed.notify_all();
  self.m_wake.signal();
}

GstBusSyncReply OfferingPeer::onMessage(GstBus*, GstMessage* message, gpointer data) {
  auto& self = *static_cast<OfferingPeer*>(data);
  const GstMessageType type = GST_MESSAGE_TYPE(message);
  if (type == GST_MESSAGE_STREAM_STATUS && self.m_hooks.onStreamStatus) self.m_hooks.onStreamStatus(message);
  if (type == GST_MESSAGE_ERROR) self.fail(message);
  if (type == GST_MESSAGE_LATENCY) {
    self.m_latencyChanged.store(true);
    self.m_wake.signal();
  }
  gst_message_unref(message);
  return GST_BUS_DROP;
}

/// The first failure is the cause of those that follow.
void OfferingPeer::fail(GstMessage* message) {
  const std::string words = plugins::wordsOf(message);
  const std::string source = GST_MESSAGE_SRC_NAME(message);
  std::optional<MediaKind> broken;
  if (source == "camera" || source == "screen") broken = MediaKind::Video;
  if (source == "microphone") broken = MediaKind::Audio;
  const std::lock_guard lock(m_mutex);
  if (m_fault.empty()) {
    m_fault = "The " + (broken ? source : "call") + " does not work: " + words + ".";
    m_broken = broken;
  }
  m_changed.notify_all();
  m_wake.signal();
}

}  // namespace tactus::media
