// SPDX-License-Identifier: Apache-2.0
#include "media/capture/device_preview.h"

#include <gst/gst.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "media/room/participant/loudness.h"
#include "plugins/error_words.h"
#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::media {

class DevicePreview::Inside {
 public:
  explicit Inside(MediaKind kind) : m_kind(kind) {}
  ~Inside() {
    if (!m_pipeline) return;
    gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
    const auto bus = busOf(m_pipeline.get());
    gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  Result<void> open(const CaptureSource& source, std::shared_ptr<plugins::VideoTarget> target) {
    gst_init(nullptr, nullptr);
    plugins::registerElements();
    const OutgoingTrack track = m_kind == MediaKind::Video ? OutgoingTrack::video("preview", source)
                                                           : OutgoingTrack::audio("preview", source);
    GError* raw = nullptr;
    GstElement* made =
        gst_parse_launch_full(previewElementsOf(track).c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &raw);
    const plugins::ErrorPtr error(raw);
    if (made == nullptr)
      return Error{ErrorCode::Unsupported, std::string("It cannot be tried: ") + error->message + "."};
    m_pipeline.reset(GST_ELEMENT(gst_object_ref_sink(made)));
    const plugins::ElementPtr sink(
        gst_bin_get_by_name(GST_BIN(made), m_kind == MediaKind::Video ? "preview" : "heard"));
    if (m_kind == MediaKind::Video) {
      plugins::setVideoTarget(sink.get(), std::move(target));
    } else {
      g_signal_connect(sink.get(), "handoff", G_CALLBACK(onHeard), this);
    }
    const plugins::PadPtr pad(gst_element_get_static_pad(sink.get(), "sink"));
    gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, onBuffer, this, nullptr);
    const auto bus = busOf(made);
    gst_bus_set_sync_handler(bus.get(), onMessage, this, nullptr);
    gst_element_set_state(made, GST_STATE_PLAYING);  // what fails is told on the bus
    return {};
  }
  double loudness() const noexcept { return m_loudness.load(std::memory_order_relaxed); }
  bool works() const noexcept { return m_works.load(std::memory_order_relaxed); }
  std::string fault() const {
    const std::lock_guard lock(m_mutex);
    return m_fault;
  }

 private:
  static plugins::BusPtr busOf(GstElement* pipeline) {
    return plugins::BusPtr(gst_element_get_bus(pipeline));
  }
  static void onHeard(GstElement*, GstBuffer* buffer, GstPad*, gpointer data) {
    GstMapInfo map;
    if (gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) return;
    static_cast<Inside*>(data)->m_loudness.store(
        loudnessOf({reinterpret_cast<const std::int16_t*>(map.data), map.size / sizeof(std::int16_t)}),
        std::memory_order_relaxed);
    gst_buffer_unmap(buffer, &map);
  }
  static GstPadProbeReturn onBuffer(GstPad*, GstPadProbeInfo*, gpointer data) {
    static_cast<Inside*>(data)->m_works.store(true, std::memory_order_relaxed);
    return GST_PAD_PROBE_REMOVE;
  }
  static GstBusSyncReply onMessage(GstBus*, GstMessage* message, gpointer data) {
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) static_cast<Inside*>(data)->fail(message);
    gst_message_unref(message);
    return GST_BUS_DROP;
  }
  void fail(GstMessage* message) {
    const std::lock_guard lock(m_mutex);
    if (m_fault.empty())
      m_fault =
          (m_kind == MediaKind::Video ? "The camera does not work: " : "The microphone does not work: ") +
          plugins::wordsOf(message) + ".";
  }

  const MediaKind m_kind;
  plugins::ElementPtr m_pipeline;
  std::atomic<double> m_loudness{0};
  std::atomic<bool> m_works{false};
  mutable std::mutex m_mutex;
  std::string m_fault;  // guarded by it
};

DevicePreview::DevicePreview(std::unique_ptr<Inside> inside) : m_inside(std::move(inside)) {}

DevicePreview::~DevicePreview() = default;

Result<std::unique_ptr<DevicePreview>> DevicePreview::create(MediaKind kind, const CaptureSource& source,
                                                             std::shared_ptr<plugins::VideoTarget> target) {
  if (source.kind == CaptureSource::Kind::File)
    return Error{ErrorCode::InvalidArgument, "A film is no device that could be tried."};
  auto inside = std::make_unique<Inside>(kind);
  if (auto opened = inside->open(source, std::move(target)); !opened.ok()) return opened.error();
  return std::unique_ptr<DevicePreview>(new DevicePreview(std::move(inside)));
}

double DevicePreview::loudness() const noexcept {
  return m_inside->loudness();
}

bool DevicePreview::works() const noexcept {
  return m_inside->works();
}

std::string DevicePreview::fault() const {
  return m_inside->fault();
}

}  // namespace tactus::media
