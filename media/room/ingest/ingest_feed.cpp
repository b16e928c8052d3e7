// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/ingest_feed.h"

#include <utility>

namespace tactus::media {
namespace {

IngestFeed& feedOf(GstPad* pad) {
  return *static_cast<IngestFeed*>(gst_pad_get_element_private(pad));
}

}  // namespace

IngestFeed::IngestFeed(TrackFormat format, plugins::EventDescriptor& wake)
    : m_format(std::move(format)), m_wake(wake) {}

IngestFeed::~IngestFeed() {
  detach();
}

void IngestFeed::requestKeyframe() noexcept {
  if (m_format.kind != MediaKind::Video) return;
  m_requests.fetch_add(1, std::memory_order_release);  // acquired by takeKeyframeRequests()
  m_wake.signal();
}

void IngestFeed::attach(GstPad* source) {
  plugins::PadPtr pad(GST_PAD(gst_object_ref_sink(gst_pad_new(nullptr, GST_PAD_SINK))));
  gst_pad_set_element_private(pad.get(), this);
  gst_pad_set_chain_function(pad.get(), onBuffer);
  gst_pad_set_chain_list_function(pad.get(), onList);
  gst_pad_set_event_function(pad.get(), onEvent);
  gst_pad_set_query_function(pad.get(), onQuery);
  gst_pad_set_active(pad.get(), TRUE);
  {
    const std::lock_guard lock(m_padMutex);
    m_heard.store(pad.get(), std::memory_order_release);  // only compared
    m_pads.push_back(plugins::share<plugins::PadPtr>(pad.get()));
  }
  // Our pads are in no pipeline, and their caps are the publisher's: there is nothing to check.
  gst_pad_link_full(source, pad.get(), GST_PAD_LINK_CHECK_NOTHING);
  m_wake.signal();  // keyframe requests may wait for it
}

void IngestFeed::detach() {
  std::vector<plugins::PadPtr> pads;
  {
    const std::lock_guard lock(m_padMutex);
    pads.swap(m_pads);
  }
  for (const auto& pad : pads) {
    gst_pad_set_active(pad.get(), FALSE);  // waits for a packet that is under way
    if (const plugins::PadPtr peer{gst_pad_get_peer(pad.get())}; peer) gst_pad_unlink(peer.get(), pad.get());
  }
}

/// Without SSRC and payload type, which the demultiplexers on the way to the session fill in: those of
/// whoever asks are not the publisher's.
void IngestFeed::sendKeyframeRequest() {
  plugins::PadPtr newest;
  {
    const std::lock_guard lock(m_padMutex);
    if (m_pads.empty()) return;
    newest = plugins::share<plugins::PadPtr>(m_pads.back().get());
  }
  GstStructure* fields = gst_structure_new("GstForceKeyUnit", "all-headers", G_TYPE_BOOLEAN, FALSE, nullptr);
  gst_pad_push_event(newest.get(), gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, fields));
}

IngestFeed::Counts IngestFeed::counts() const noexcept {
  constexpr auto kOrder = std::memory_order_relaxed;
  return {m_packets.load(kOrder), m_bytes.load(kOrder), m_pictures.load(kOrder), m_strays.load(kOrder)};
}

bool IngestFeed::enter(const GstPad* pad) noexcept {
  if (m_heard.load(std::memory_order_acquire) != pad) return false;
  return !m_entered.exchange(true, std::memory_order_acquire);
}

void IngestFeed::deliver() noexcept {
  if (!m_group.empty()) m_hub.deliver(m_group.packets());
  m_group.clear();
}

void IngestFeed::take(plugins::BufferPtr packet) noexcept {
  const auto size = gst_buffer_get_size(packet.get());
  const bool begun = !m_group.empty();
  const std::uint32_t before = m_group.header().timestamp;
  if (m_group.full()) deliver();
  if (!m_group.add(std::move(packet))) {
    m_strays.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  m_packets.fetch_add(1, std::memory_order_relaxed);
  m_bytes.fetch_add(size, std::memory_order_relaxed);
  const bool picture = m_format.kind == MediaKind::Video;
  const bool last = m_group.header().marker;
  if (picture && last) m_pictures.fetch_add(1, std::memory_order_relaxed);
  // A picture whose last packet was lost ends with the first of the next.
  if (!picture || last || (begun && m_group.header().timestamp != before)) deliver();
}

GstFlowReturn IngestFeed::onBuffer(GstPad* pad, GstObject*, GstBuffer* buffer) {
  IngestFeed& self = feedOf(pad);
  plugins::BufferPtr packet(buffer);
  if (!self.enter(pad)) {
    self.m_strays.fetch_add(1, std::memory_order_relaxed);
    return GST_FLOW_OK;
  }
  self.take(std::move(packet));
  self.leave();
  return GST_FLOW_OK;
}

GstFlowReturn IngestFeed::onList(GstPad* pad, GstObject* parent, GstBufferList* list) {
  for (guint i = 0; i < gst_buffer_list_length(list); ++i)
    onBuffer(pad, parent, gst_buffer_ref(gst_buffer_list_get(list, i)));
  gst_buffer_list_unref(list);
  return GST_FLOW_OK;
}

gboolean IngestFeed::onEvent(GstPad* pad, GstObject*, GstEvent* event) {
  IngestFeed& self = feedOf(pad);
  // The jitter buffer gave a packet up. Nobody behind us can have it repeated, as we do not have it: the next
  // keyframe is the way on, and receivers ask for it late.
  if (gst_event_has_name(event, "GstRTPPacketLost") && self.enter(pad)) {
    self.deliver();
    self.leave();
    self.requestKeyframe();
  }
  gst_event_unref(event);
  return TRUE;
}

gboolean IngestFeed::onQuery(GstPad*, GstObject*, GstQuery* query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_CAPS) {
    const plugins::CapsPtr any(gst_caps_new_any());
    gst_query_set_caps_result(query, any.get());
    return TRUE;
  }
  if (GST_QUERY_TYPE(query) != GST_QUERY_ACCEPT_CAPS) return FALSE;
  gst_query_set_accept_caps_result(query, TRUE);
  return TRUE;
}

}  // namespace tactus::media
