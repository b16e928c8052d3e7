// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/incoming_pictures.h"

#include <gst/video/video.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "plugins/clock_time.h"
#include "plugins/due_instant.h"

namespace tactus::media {
namespace {

using periodic::Stage;

/// So long, beside the latency, may packets come of which nothing is decoded, before a keyframe is asked for;
/// and so often it is.
constexpr periodic::Duration kPatience = std::chrono::milliseconds(500);
/// Packets of 1 kB at 1.6 Mbit/s; those of a keyframe come at once.
constexpr periodic::LbapContract kPackets{periodic::Rate::perSecond(200), 64};

std::string elementsFor(std::string_view encoding) {
  // What is lost is asked for again, and waited for; then it is missing until the next keyframe.
  const std::string waiting = " request-keyframe=true wait-for-keyframe=true";
  const std::string queue = "queue name=waiting max-size-buffers=60 max-size-bytes=0 max-size-time=0 ! ";
  const std::string decoded = " ! queue name=pictures max-size-buffers=5 max-size-bytes=0 max-size-time=0";
  if (encoding == "VP8")
    return "rtpvp8depay name=depayloader" + waiting + " ! " + queue + "vp8dec name=decoder" + decoded;
  if (encoding == "H264")
    return "rtph264depay name=depayloader" + waiting + " ! h264parse ! " + queue + "avdec_h264 name=decoder" +
           decoded;
  return "";
}

}  // namespace

IncomingPictures::IncomingPictures(GstPad* pad, periodic::Duration latency, StagedStream& stream)
    : m_pad(plugins::share<plugins::PadPtr>(pad)), m_patience(latency + kPatience), m_stream(stream) {}

Result<std::unique_ptr<IncomingPictures>> IncomingPictures::create(GstBin* pipeline, GstPad* pad,
                                                                   const char* encoding, StagedStream& stream,
                                                                   periodic::Duration latency) {
  std::unique_ptr<IncomingPictures> pictures(new IncomingPictures(pad, latency, stream));
  if (auto built = pictures->build(pipeline, encoding); !built.ok()) return built.error();
  return pictures;
}

Result<void> IncomingPictures::build(GstBin* pipeline, const char* encoding) {
  const std::string elements = elementsFor(encoding);
  if (elements.empty())
    return Error{ErrorCode::Unsupported,
                 std::string("Pictures encoded as ") + encoding + " cannot be shown."};
  GError* raw = nullptr;
  GstElement* bin =
      gst_parse_bin_from_description_full(elements.c_str(), TRUE, nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &raw);
  const plugins::ErrorPtr error(raw);
  if (bin == nullptr)
    return Error{ErrorCode::Unsupported, std::string("Pictures cannot be shown: ") + error->message + "."};
  const auto named = [bin](const char* name) {
    return plugins::ElementPtr(gst_bin_get_by_name(GST_BIN(bin), name));
  };
  gst_bin_add_many(pipeline, bin, GST_ELEMENT(gst_object_ref(m_stream.videoSink())), nullptr);
  m_stream.addDecoder(named("decoder").get(), Stage::VideoDecode, "the call");
  m_stream.attachQueue(named("pictures").get());
  const plugins::PadPtr decoded(gst_element_get_static_pad(named("pictures").get(), "sink"));
  m_playout = std::make_unique<SinkPlayout>(decoded.get(), m_stream.videoSink());
  const auto depayloader = named("depayloader");
  const plugins::PadPtr packets(gst_element_get_static_pad(depayloader.get(), "sink"));
  const plugins::PadPtr whole(gst_element_get_static_pad(depayloader.get(), "src"));
  m_receive = std::make_unique<CallStage>(
      m_stream.adopter(), CallStage::Terms{.stage = Stage::Receive, .name = "pictures", .lbap = kPackets},
      packets.get(), whole.get(), CallStage::Look{},
      [this](GstPad*, GstPadProbeInfo* info) { onWhole(info); });
  gst_pad_add_probe(m_pad.get(), GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, onUpstream, this, nullptr);
  m_waiting = named("waiting");
  const plugins::PadPtr taken(gst_element_get_static_pad(m_waiting.get(), "src"));
  gst_pad_add_probe(taken.get(), GST_PAD_PROBE_TYPE_BUFFER, onTaken, this, nullptr);
  const plugins::PadPtr sink(gst_element_get_static_pad(bin, "sink"));
  if (gst_element_link(bin, m_stream.videoSink()) == FALSE ||
      gst_element_sync_state_with_parent(m_stream.videoSink()) == FALSE ||
      gst_element_sync_state_with_parent(bin) == FALSE ||
      gst_pad_link(m_pad.get(), sink.get()) != GST_PAD_LINK_OK)
    return Error{ErrorCode::Unavailable, "Pictures cannot be shown: GStreamer does not link their elements."};
  return {};
}

/// The stamps of a call are running times. Noted before the queue, where a picture does not wait for the
/// decoder yet.
void IncomingPictures::onWhole(const GstPadProbeInfo* info) {
  m_received.fetch_add(1, std::memory_order_relaxed);
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) == 0) return;
  const auto stamp = plugins::durationOf(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
  if (!stamp) return;
  periodic::TimeSource& time = m_stream.adopter().time();
  const auto due = plugins::dueInstant(m_stream.videoSink(), *stamp, time);
  const periodic::TimePoint now = time.now();
  if (due) m_comes.note(*due - now, now);
}

/// A picture has left the queue for the decoder: the queue counts it no more.
GstPadProbeReturn IncomingPictures::onTaken(GstPad*, GstPadProbeInfo*, gpointer self) {
  auto& pictures = *static_cast<IncomingPictures*>(self);
  guint waiting = 0;
  g_object_get(pictures.m_waiting.get(), "current-level-buffers", &waiting, nullptr);
  if (waiting == 0) pictures.m_caughtUp.fetch_add(1, std::memory_order_relaxed);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn IncomingPictures::onUpstream(GstPad*, GstPadProbeInfo* info, gpointer data) {
  if (gst_video_event_is_force_key_unit(GST_PAD_PROBE_INFO_EVENT(info)) != FALSE)
    static_cast<IncomingPictures*>(data)->m_asked.fetch_add(1, std::memory_order_relaxed);
  return GST_PAD_PROBE_OK;
}

void IncomingPictures::look(periodic::TimePoint now, std::uint64_t decoded) {
  const std::uint64_t packets = this->packets();
  const bool starves = packets != m_packetsThen && decoded == m_decodedThen;
  if (!std::exchange(m_begun, true) || !starves || m_resting.load()) {
    // Without packets the time does not count.
    if (decoded != m_decodedThen || packets == m_packetsThen || m_resting.load()) m_since = now;
    m_decodedThen = decoded;
    m_packetsThen = packets;
    return;
  }
  if (now - m_since < m_patience) return;
  m_since = now;
  m_packetsThen = packets;
  requestKeyframe();
}

void IncomingPictures::setResting(bool resting) {
  if (m_resting.exchange(resting) && !resting) requestKeyframe();
}

void IncomingPictures::requestKeyframe() {
  GstEvent* wanted = gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, FALSE, 0);
  (void)gst_pad_send_event(m_pad.get(), wanted);  // false: the call has ended
}

}  // namespace tactus::media
