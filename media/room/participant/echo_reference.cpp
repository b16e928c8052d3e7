// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/echo_reference.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::media {
namespace {

constexpr const char* kFormat = "audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=1";
/// Samples that lack for less are late: a turn of PipeWire's may last 43 ms.
constexpr std::size_t kLate = 4800;
constexpr std::size_t kPiece = 480;  // that webrtcdsp takes at once
constexpr std::size_t kSecond = 48'000;

}  // namespace

std::unique_ptr<EchoReference> EchoReference::create(const std::string& sink) {
  static std::atomic<unsigned> number{0};
  const std::string name = periodic::format("tactus-echo-%u", number.fetch_add(1));
  GstElement* made = gst_element_factory_make("webrtcechoprobe", name.c_str());
  if (made == nullptr) return nullptr;
  return std::unique_ptr<EchoReference>(
      new EchoReference(plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(made))), sink));
}

EchoReference::EchoReference(plugins::ElementPtr probe, const std::string& sink)
    : m_probe(std::move(probe)),
      m_input(gst_element_get_static_pad(m_probe.get(), "sink")),
      m_backlog(kPiece, kSecond),
      m_monitor(sink) {
  open();
}

/// The probe gives nothing before it knows its format, and the latency of what plays.
void EchoReference::open() {
  (void)gst_element_set_state(m_probe.get(), GST_STATE_PLAYING);
  (void)gst_pad_send_event(m_input.get(), gst_event_new_stream_start(probe().c_str()));
  const plugins::CapsPtr format(gst_caps_from_string(kFormat));
  (void)gst_pad_send_event(m_input.get(), gst_event_new_caps(format.get()));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  (void)gst_pad_send_event(m_input.get(), gst_event_new_segment(&segment));
  const plugins::PadPtr output(gst_element_get_static_pad(m_probe.get(), "src"));
  (void)gst_pad_send_event(output.get(), gst_event_new_latency(0));
}

EchoReference::~EchoReference() {
  (void)gst_element_set_state(m_probe.get(), GST_STATE_NULL);
}

std::string EchoReference::probe() const {
  return GST_OBJECT_NAME(m_probe.get());
}

/// webrtcdsp takes the oldest of what waits for it: were what stands there kept, the echo would be in the
/// microphone before the sound that it is of.
void EchoReference::follow(std::size_t captured) {
  m_lacking += captured;
  std::size_t pushed = 0;
  while (const std::size_t came = m_monitor.read(m_some)) {
    pushed += push(std::span(m_some).first(came));
    m_lacking = m_filled = 0;
  }
  if (m_lacking >= kLate) {
    m_some.fill(0);
    while (m_filled < m_lacking) {
      const std::size_t part = std::min(m_lacking - m_filled, m_some.size());
      pushed += push(std::span(m_some).first(part));
      m_filled += part;
    }
  }
  m_late += m_backlog.passed(pushed, captured);
}

/// Nothing is behind the probe: it has taken the samples when the pad says that it is not linked.
std::size_t EchoReference::push(std::span<const std::int16_t> samples) {
  const std::size_t late = std::min(m_late, samples.size());
  m_late -= late;
  samples = samples.subspan(late);
  if (samples.empty()) return 0;
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, samples.size_bytes(), nullptr);
  gst_buffer_fill(buffer, 0, samples.data(), samples.size_bytes());
  (void)gst_pad_chain(m_input.get(), buffer);
  return samples.size();
}

}  // namespace tactus::media
