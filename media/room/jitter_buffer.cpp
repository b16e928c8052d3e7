// SPDX-License-Identifier: Apache-2.0
#include "media/room/jitter_buffer.h"

namespace tactus::media {
namespace {

plugins::StructurePtr statsOf(GstElement* element) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  return plugins::StructurePtr(stats);
}

std::uint64_t numberIn(const GstStructure* stats, const char* name) {
  guint64 number = 0;
  if (stats != nullptr) gst_structure_get_uint64(stats, name, &number);
  return number;
}

}  // namespace

JitterBuffer::JitterBuffer(GstElement* element)
    : m_element(plugins::share<plugins::ElementPtr>(element)),
      m_sink(gst_element_get_static_pad(element, "sink")),
      m_source(gst_element_get_static_pad(element, "src")) {
  // Else the next packet is declared lost as soon as it is late by its predecessors' spacing: a burst of a
  // publisher that paces is taken for loss, with no packet missing.
  g_object_set(element, "rtx-next-seqnum", FALSE, nullptr);
  m_probe = gst_pad_add_probe(m_sink.get(), GST_PAD_PROBE_TYPE_BUFFER, onPacket, this, nullptr);
}

JitterBuffer::~JitterBuffer() {
  gst_pad_remove_probe(m_sink.get(), m_probe);
}

JitterBuffer::Figures JitterBuffer::figures() const {
  const auto stats = statsOf(m_element.get());
  Figures figures;
  figures.lost = numberIn(stats.get(), "num-lost");
  figures.dropped = m_dropped.load(std::memory_order_relaxed);
  figures.jitter = periodic::Duration(static_cast<std::int64_t>(numberIn(stats.get(), "avg-jitter")));
  if (numberIn(stats.get(), "rtx-success-count") > 0)
    figures.retransmissionTime =
        periodic::Duration(static_cast<std::int64_t>(numberIn(stats.get(), "rtx-rtt")));
  return figures;
}

bool JitterBuffer::overflows() {
  if (m_full || --m_untilLook == 0) {
    m_untilLook = kLook;
    const auto stats = statsOf(m_element.get());
    const std::uint64_t pushed = numberIn(stats.get(), "num-pushed");
    const std::uint64_t gone =
        pushed + numberIn(stats.get(), "num-late") + numberIn(stats.get(), "num-duplicates");
    // Nobody blocks and nothing more comes out: the rest was discarded without being counted, as packets are
    // whose numbers jump.
    if (m_full && pushed == m_pushed && idle()) m_arrived = gone;
    m_pushed = pushed;
    m_full = m_arrived > gone + kMostWaiting;
  }
  return m_full;
}

bool JitterBuffer::idle() const {
  const plugins::PadPtr next(gst_pad_get_peer(m_source.get()));
  if (!next) return true;
  // Held while a packet is pushed, until its consumers return.
  if (g_rec_mutex_trylock(GST_PAD_GET_STREAM_LOCK(next.get())) == FALSE) return false;
  GST_PAD_STREAM_UNLOCK(next.get());
  return true;
}

GstPadProbeReturn JitterBuffer::onPacket(GstPad*, GstPadProbeInfo*, gpointer data) {
  auto& self = *static_cast<JitterBuffer*>(data);
  if (self.overflows()) {
    self.m_dropped.fetch_add(1, std::memory_order_relaxed);
    return GST_PAD_PROBE_DROP;
  }
  ++self.m_arrived;
  return GST_PAD_PROBE_OK;
}

}  // namespace tactus::media
