// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/looped_film.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/periodic/trace/format.h"
#include "plugins/clock_time.h"

namespace tactus::media {
namespace {

constexpr const char* kToPictures = "videoconvert name=first ! videoscale add-borders=true ! videorate ! ";
constexpr const char* kToSound = "audioconvert name=first ! audioresample ! ";

}  // namespace

LoopedFilm::LoopedFilm(const OutgoingTrack& track, GstElement* target,
                       std::function<void(GstMessage*)> onStreamStatus, plugins::EventDescriptor& wake)
    : m_name(track.source.name),
      m_kind(track.kind),
      m_target(plugins::share<plugins::ElementPtr>(target)),
      m_onStreamStatus(std::move(onStreamStatus)),
      m_wake(wake) {}

Result<std::unique_ptr<LoopedFilm>> LoopedFilm::create(const OutgoingTrack& track, GstElement* target,
                                                       std::function<void(GstMessage*)> onStreamStatus,
                                                       plugins::EventDescriptor& wake) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(track.source.name, failure))
    return Error{ErrorCode::NotFound, "There is no film '" + track.source.name + "' to be sent."};
  std::unique_ptr<LoopedFilm> film(new LoopedFilm(track, target, std::move(onStreamStatus), wake));
  if (auto built = film->build(track); !built.ok()) return built.error();
  return film;
}

LoopedFilm::~LoopedFilm() {
  stop();
}

Result<void> LoopedFilm::build(const OutgoingTrack& track) {
  const std::string text = "filesrc name=file ! decodebin name=decoder " +
                           std::string(m_kind == MediaKind::Video ? kToPictures : kToSound) +
                           capturedFormat(track) + " ! appsink name=taken max-buffers=4 emit-signals=true";
  GError* raw = nullptr;
  GstElement* made = gst_parse_launch_full(text.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &raw);
  const plugins::ErrorPtr error(raw);
  if (made == nullptr)
    return Error{ErrorCode::Unavailable, std::string("Films cannot be sent: ") + error->message};
  m_pipeline.reset(GST_ELEMENT(gst_object_ref_sink(made)));
  const auto named = [this](const char* name) {
    return plugins::ElementPtr(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), name));
  };
  m_first = named("first");
  g_object_set(named("file").get(), "location", m_name.c_str(), nullptr);
  const auto decoder = named("decoder");
  g_signal_connect(decoder.get(), "pad-added", G_CALLBACK(onPad), this);
  g_signal_connect(decoder.get(), "no-more-pads", G_CALLBACK(onAllPads), this);
  g_signal_connect(named("taken").get(), "new-sample", G_CALLBACK(onSample), this);
  const plugins::BusPtr bus(gst_element_get_bus(m_pipeline.get()));
  gst_bus_set_sync_handler(bus.get(), onMessage, this, nullptr);
  return {};
}

void LoopedFilm::start() {
  (void)gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);  // what fails says why
}

void LoopedFilm::stop() {
  if (!m_pipeline) return;
  (void)gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  const plugins::BusPtr bus(gst_element_get_bus(m_pipeline.get()));
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
}

void LoopedFilm::look() {
  if (!m_ended.exchange(false)) return;
  m_anew.store(true);
  constexpr auto kHow = static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT);
  if (gst_element_seek_simple(m_pipeline.get(), GST_FORMAT_TIME, kHow, 0) == FALSE)
    fail("The film '" + m_name + "' has ended, and cannot be played again from its beginning.");
}

std::string LoopedFilm::fault() const {
  const std::lock_guard lock(m_mutex);
  return m_fault;
}

void LoopedFilm::fail(std::string why) {
  {
    const std::lock_guard lock(m_mutex);
    if (m_fault.empty()) m_fault = std::move(why);
  }
  m_wake.signal();
}

void LoopedFilm::onPad(GstElement*, GstPad* pad, gpointer data) {
  auto& self = *static_cast<LoopedFilm*>(data);
  const plugins::CapsPtr caps(gst_pad_query_caps(pad, nullptr));
  const char* wanted = self.m_kind == MediaKind::Video ? "video/x-raw" : "audio/x-raw";
  const plugins::PadPtr sink(gst_element_get_static_pad(self.m_first.get(), "sink"));
  if (gst_structure_has_name(gst_caps_get_structure(caps.get(), 0), wanted) && !gst_pad_is_linked(sink.get()))
    (void)gst_pad_link(pad, sink.get());  // what does not fit posts an error
}

void LoopedFilm::onAllPads(GstElement*, gpointer data) {
  auto& self = *static_cast<LoopedFilm*>(data);
  const plugins::PadPtr sink(gst_element_get_static_pad(self.m_first.get(), "sink"));
  if (gst_pad_is_linked(sink.get())) return;
  self.fail("The film '" + self.m_name + "' has no " +
            (self.m_kind == MediaKind::Video ? "pictures" : "sound") + " that could be sent.");
}

GstFlowReturn LoopedFilm::onSample(GstElement* sink, gpointer data) {
  const plugins::SamplePtr sample(gst_app_sink_pull_sample(GST_APP_SINK(sink)));
  if (sample) static_cast<LoopedFilm*>(data)->give(sample.get());
  return GST_FLOW_OK;
}

/// The sink has waited for the buffer's time: its place in the film becomes its place in the call.
void LoopedFilm::give(GstSample* sample) {
  GstBuffer* buffer = gst_sample_get_buffer(sample);
  const GstSegment* segment = gst_sample_get_segment(sample);
  const GstClockTime at = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (!GST_CLOCK_TIME_IS_VALID(at)) return;
  if (m_anew.exchange(false)) m_base = std::max(plugins::presentRunningTime(m_target.get()), m_end + at) - at;
  GstBuffer* copy = gst_buffer_copy(buffer);  // of the header: the samples are shared
  GST_BUFFER_PTS(copy) = m_base + at;
  GST_BUFFER_DTS(copy) = GST_CLOCK_TIME_NONE;
  const GstClockTime length = GST_BUFFER_DURATION(buffer);
  m_end = m_base + at + (GST_CLOCK_TIME_IS_VALID(length) ? length : 0);
  auto* target = GST_APP_SRC(m_target.get());
  gst_app_src_set_caps(target, gst_sample_get_caps(sample));  // the same again changes nothing
  (void)gst_app_src_push_buffer(target, copy);                // a call that has ended takes none
}

GstBusSyncReply LoopedFilm::onMessage(GstBus*, GstMessage* message, gpointer data) {
  auto& self = *static_cast<LoopedFilm*>(data);
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_STREAM_STATUS:
      self.m_onStreamStatus(message);
      break;
    case GST_MESSAGE_EOS:
      self.m_ended.store(true);
      self.m_wake.signal();
      break;
    case GST_MESSAGE_ERROR: {
      GError* raw = nullptr;
      gst_message_parse_error(message, &raw, nullptr);
      const plugins::ErrorPtr error(raw);
      self.fail("The film '" + self.m_name + "' cannot be sent: " + error->message);
      break;
    }
    default:
      break;
  }
  gst_message_unref(message);
  return GST_BUS_DROP;
}

}  // namespace tactus::media
