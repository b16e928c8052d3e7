// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/outgoing_capture.h"

#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "core/periodic/trace/format.h"
#include "media/streaming/stream_terms.h"
#include "plugins/error_words.h"

namespace tactus::media {
namespace {

using periodic::Duration;
using periodic::format;
using periodic::MonotonicClock;
using plugins::av::Cancellation;
using namespace std::chrono_literals;

constexpr Duration kLongestStart = 10s;
constexpr Duration kLook = 50ms;  // at the cancellation, while it starts
constexpr std::size_t kBuffersAhead = 50;
/// What a period takes beside the encoded bytes: tables, the clock, and packets that are not full.
constexpr std::size_t kTables = 4 * kTransportPacket;
constexpr double kPeaks = 1.25;  // of the encoded bytes, keyframes above all

struct Needed {
  const char* factory;
  const char* package;
};
constexpr Needed kForAll[]{{"appsink", "gstreamer1.0-plugins-base"},
                           {"mpegtsmux", "gstreamer1.0-plugins-bad"}};
constexpr Needed kForPictures[]{{"x264enc", "gstreamer1.0-plugins-ugly"},
                                {"h264parse", "gstreamer1.0-plugins-bad"},
                                {"decodebin", "gstreamer1.0-plugins-base"},
                                {"videoconvert", "gstreamer1.0-plugins-base"}};
constexpr Needed kForSound[]{{"opusenc", "gstreamer1.0-plugins-base"},
                             {"audioconvert", "gstreamer1.0-plugins-base"}};

/// What waits is given up, oldest first, where the receiver is slow.
constexpr const char* kLeaky = " ! queue leaky=downstream max-size-buffers=0 max-size-bytes=0 max-size-time=";

template <std::size_t N>
std::optional<Error> missing(const Needed (&all)[N], const char* what) {
  for (const Needed& each : all) {
    GstElementFactory* factory = gst_element_factory_find(each.factory);
    if (factory == nullptr)
      return Error{ErrorCode::Unsupported, format("%s cannot be sent: GStreamer's %s is missing; install %s.",
                                                  what, each.factory, each.package)};
    gst_object_unref(factory);
  }
  return std::nullopt;
}

std::optional<Error> missing(const OutgoingCapture::Options& options) {
  if (!options.camera && !options.microphone)
    return Error{ErrorCode::InvalidArgument, "There is no camera and no microphone to send."};
  if (auto none = missing(kForAll, "What is captured")) return none;
  if (options.camera)
    if (auto none = missing(kForPictures, "The camera")) return none;
  return options.microphone ? missing(kForSound, "The microphone") : std::nullopt;
}

std::string picturesOf(const OutgoingCapture::Device& camera) {
  const auto kilobits = std::max<std::int64_t>(1, camera.rate.bits() / 1000);
  constexpr const char* kSize = "width=[1,1280],height=[1,720],framerate=[1/1,30/1]";
  return camera.source + " name=camera ! video/x-raw," + kSize + ";image/jpeg," + kSize +
         " ! decodebin ! videoconvert ! video/x-raw,format=I420" + kLeaky + "200000000" +
         format(
             " ! x264enc tune=zerolatency speed-preset=veryfast key-int-max=60 vbv-buf-capacity=300 "
             "bitrate=%lld ! h264parse config-interval=-1 ! mux. ",
             static_cast<long long>(kilobits));
}

std::string soundOf(const OutgoingCapture::Device& microphone) {
  const auto bits = std::clamp<std::int64_t>(microphone.rate.bits(), 6'000, 510'000);  // Opus, RFC 6716
  return microphone.source + " name=microphone" + kLeaky + "200000000" +
         format(
             " ! audioconvert ! audioresample ! audio/x-raw,rate=48000,channels=[1,2] "
             "! opusenc bitrate=%lld ! mux. ",
             static_cast<long long>(bits));
}

Result<net::StreamContract> contractOf(const OutgoingCapture::Options& options) {
  std::int64_t bits = 0;
  for (const auto* device : {&options.camera, &options.microphone})
    if (*device) bits += (*device)->rate.bits();
  const auto rate = net::BitRate::create(bits);
  if (!rate.ok()) return rate.error();
  const auto encoded = static_cast<double>(rate.value().bytesIn(kStreamPeriod));
  return contractFor(options.transport, static_cast<std::size_t>(encoded * kPeaks) + kTables);
}

}  // namespace

OutgoingCapture::OutgoingCapture(const net::StreamContract& contract, bool pictures)
    : m_contract(contract),
      m_pictures(pictures),
      m_queue(kBuffersAhead * contract.largestBuffer, kTransportPacket) {}

OutgoingCapture::~OutgoingCapture() {
  m_queue.abandon();
  if (!m_pipeline) return;
  (void)gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  const plugins::BusPtr bus(gst_element_get_bus(m_pipeline.get()));
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
}

Result<std::unique_ptr<OutgoingCapture>> OutgoingCapture::open(const Options& options,
                                                               const Cancellation& cancellation) {
  gst_init(nullptr, nullptr);
  if (auto none = missing(options)) return *std::move(none);
  auto contract = contractOf(options);
  if (!contract.ok()) return contract.error();
  if (!options.camera) contract.value().linkClass = net::LinkClass::Audio;
  std::unique_ptr<OutgoingCapture> capture(new OutgoingCapture(contract.value(), options.camera.has_value()));
  if (auto built = capture->build(options); !built.ok()) return built.error();
  if (auto started = capture->start(options, cancellation); !started.ok()) return started.error();
  return capture;
}

Result<void> OutgoingCapture::build(const Options& options) {
  std::string text = "mpegtsmux name=mux ! appsink name=sink sync=false emit-signals=true max-buffers=8 ";
  if (options.camera) text += picturesOf(*options.camera);
  if (options.microphone) text += soundOf(*options.microphone);
  GError* raw = nullptr;
  GstElement* made = gst_parse_launch_full(text.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &raw);
  const plugins::ErrorPtr error(raw);
  if (made == nullptr)
    return Error{ErrorCode::Unsupported, "Nothing can be captured: " + plugins::wordsOf(*error) + "."};
  m_pipeline.reset(GST_ELEMENT(gst_object_ref_sink(made)));
  const auto named = [this](const char* name) {
    return plugins::ElementPtr(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), name));
  };
  for (const auto& [name, device] :
       {std::pair{"camera", &options.camera}, {"microphone", &options.microphone}})
    if (*device && !(*device)->name.empty())
      g_object_set(named(name).get(), "device", (*device)->name.c_str(), nullptr);
  g_signal_connect(named("sink").get(), "new-sample", G_CALLBACK(onSample), this);
  const plugins::BusPtr bus(gst_element_get_bus(m_pipeline.get()));
  gst_bus_set_sync_handler(bus.get(), onMessage, this, nullptr);
  return {};
}

/// A device that is not there may say so only once it is asked for data.
Result<void> OutgoingCapture::start(const Options& options, const Cancellation& cancellation) {
  (void)gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);  // what fails says why
  const auto until = MonotonicClock::now() + kLongestStart;
  for (;;) {
    if (auto why = failure()) return *std::move(why);
    if (m_begun.load(std::memory_order_relaxed)) return checkMicrophone(options);
    if (cancellation.raised()) return Error{ErrorCode::Unavailable, "The capture was cancelled."};
    if (MonotonicClock::now() > until)
      return Error{ErrorCode::Timeout, format("Nothing came of the devices in %.3g s.",
                                              std::chrono::duration<double>(kLongestStart).count())};
    m_changed.wait(kLook);
  }
}

/// PipeWire takes its default for a name that it does not know.
Result<void> OutgoingCapture::checkMicrophone(const Options& options) const {
  if (!options.microphone || options.microphone->name.empty()) return {};
  const plugins::ElementPtr source(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "microphone"));
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(source.get()), "current-device") == nullptr) return {};
  gchar* raw = nullptr;
  g_object_get(source.get(), "current-device", &raw, nullptr);
  const plugins::CharPtr present(raw);
  if (present == nullptr || options.microphone->name == present.get()) return {};
  return Error{ErrorCode::NotFound, "There is no microphone '" + options.microphone->name + "'."};
}

void OutgoingCapture::noteBegun() {
  if (!m_begun.exchange(true, std::memory_order_relaxed)) m_changed.signal();
}

/// Nothing that is old is sent: the stream begins once it is wanted, with a picture that needs no other.
bool OutgoingCapture::joins(GstElement* sink, const GstBuffer* buffer) {
  if (!m_wanted.load(std::memory_order_relaxed)) return false;
  if (m_joining == Joining::Done) return true;
  if (m_joining == Joining::No) {
    m_joining = Joining::Asked;
    GstEvent* keyframe = gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 1);
    (void)gst_element_send_event(sink, keyframe);
  }
  if (m_pictures && GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT)) return false;
  m_joining = Joining::Done;
  return true;
}

GstFlowReturn OutgoingCapture::onSample(GstElement* sink, gpointer data) {
  auto& self = *static_cast<OutgoingCapture*>(data);
  GstSample* raw = nullptr;
  g_signal_emit_by_name(sink, "pull-sample", &raw);
  const plugins::SamplePtr sample(raw);
  self.noteBegun();
  GstBuffer* buffer = sample ? gst_sample_get_buffer(sample.get()) : nullptr;
  GstMapInfo bytes;
  if (buffer == nullptr || !self.joins(sink, buffer)) return GST_FLOW_OK;
  if (gst_buffer_map(buffer, &bytes, GST_MAP_READ) == FALSE) return GST_FLOW_OK;
  const bool put = self.m_queue.put(std::as_bytes(std::span(bytes.data, bytes.size)), Duration{0});
  gst_buffer_unmap(buffer, &bytes);
  return put ? GST_FLOW_OK : GST_FLOW_FLUSHING;
}

GstBusSyncReply OutgoingCapture::onMessage(GstBus*, GstMessage* message, gpointer data) {
  const GstMessageType type = GST_MESSAGE_TYPE(message);
  if (type == GST_MESSAGE_ERROR || type == GST_MESSAGE_EOS)
    static_cast<OutgoingCapture*>(data)->fail(message);
  gst_message_unref(message);
  return GST_BUS_DROP;
}

/// Any thread of the pipeline's. The first failure is the cause of those that follow.
void OutgoingCapture::fail(GstMessage* message) {
  Error failure{ErrorCode::Unavailable, "The capture ended."};
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError* raw = nullptr;
    gst_message_parse_error(message, &raw, nullptr);
    const plugins::ErrorPtr error(raw);
    const bool absent =
        g_error_matches(error.get(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND) != FALSE;
    const std::string source = GST_MESSAGE_SRC_NAME(message);
    const char* what = source == "camera" || source == "microphone" ? source.c_str() : "capture";
    failure = {absent ? ErrorCode::NotFound : ErrorCode::Unavailable,
               format("The %s does not work: %s.", what, plugins::wordsOf(*error).c_str())};
  }
  {
    const std::lock_guard lock(m_mutex);
    if (!m_failure) m_failure = std::move(failure);
  }
  m_queue.end();
  m_changed.signal();
}

std::optional<Error> OutgoingCapture::failure() const {
  const std::lock_guard lock(m_mutex);
  return m_failure;
}

std::string OutgoingCapture::problem() const {
  const auto why = failure();
  return why ? why->message : "";
}

}  // namespace tactus::media
