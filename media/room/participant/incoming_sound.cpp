// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/incoming_sound.h"

#include <gst/audio/gstaudiodecoder.h>

#include <string>
#include <utility>

#include "media/room/participant/opus_packet.h"
#include "plugins/clock_time.h"

namespace tactus::media {
namespace {

using periodic::Stage;

constexpr const char* kElements =
    "rtpopusdepay name=depayloader "
    "! queue name=waiting max-size-buffers=0 max-size-bytes=0 max-size-time=1000000000 leaky=downstream "
    "! opusdec name=decoder plc=true use-inband-fec=true "
    "! audioconvert ! audioresample ! audio/x-raw,format=S16LE,rate=48000,channels=1 "
    "! queue name=samples max-size-buffers=10 ! fakesink name=played sync=true signal-handoffs=true "
    "enable-last-sample=false";
constexpr periodic::LbapContract kPackets{periodic::rowOf(Stage::Receive).rate, 10};
/// Opus decodes a packet in less; pictures wait for the sink that has the longest.
constexpr GstClockTime kProcessingDeadline = 5 * GST_MSECOND;

}  // namespace

Result<std::unique_ptr<IncomingSound>> IncomingSound::create(GstBin* pipeline, GstPad* pad,
                                                             StagedStream& stream, Listeners listeners) {
  std::unique_ptr<IncomingSound> sound(new IncomingSound(std::move(listeners)));
  if (auto built = sound->build(pipeline, pad, stream); !built.ok()) return built.error();
  return sound;
}

Result<void> IncomingSound::build(GstBin* pipeline, GstPad* pad, StagedStream& stream) {
  GError* raw = nullptr;
  GstElement* bin =
      gst_parse_bin_from_description_full(kElements, TRUE, nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &raw);
  const plugins::ErrorPtr error(raw);
  if (bin == nullptr)
    return Error{ErrorCode::Unsupported, std::string("Sound cannot be played: ") + error->message + "."};
  const auto named = [bin](const char* name) {
    return plugins::ElementPtr(gst_bin_get_by_name(GST_BIN(bin), name));
  };
  gst_bin_add(pipeline, bin);
  const auto decoder = named("decoder");
  const plugins::PadPtr decoded(gst_element_get_static_pad(decoder.get(), "sink"));
  gst_pad_add_probe(decoded.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, onEvent, this, nullptr);
  gst_pad_add_probe(decoded.get(), GST_PAD_PROBE_TYPE_BUFFER, onEncoded, this, nullptr);
  stream.addDecoder(decoder.get(), Stage::AudioDecode, "the call");
  m_sink = named("played");
  gst_base_sink_set_processing_deadline(GST_BASE_SINK(m_sink.get()), kProcessingDeadline);
  g_signal_connect(m_sink.get(), "handoff", G_CALLBACK(onPlayed), this);
  const plugins::PadPtr samples(gst_element_get_static_pad(named("samples").get(), "sink"));
  m_playout = std::make_unique<SinkPlayout>(samples.get(), m_sink.get());
  m_stage = std::make_unique<SinkStage>(m_sink.get(), Stage::Audio, stream.adopter(), SinkStage::Hooks{});
  const plugins::PadPtr packets(gst_element_get_static_pad(named("depayloader").get(), "sink"));
  m_receive = std::make_unique<CallStage>(
      stream.adopter(), CallStage::Terms{.stage = Stage::Receive, .name = "sound", .lbap = kPackets},
      packets.get(), nullptr);
  const plugins::PadPtr sink(gst_element_get_static_pad(bin, "sink"));
  if (gst_element_sync_state_with_parent(bin) == FALSE || gst_pad_link(pad, sink.get()) != GST_PAD_LINK_OK)
    return Error{ErrorCode::Unavailable, "Sound cannot be played: GStreamer does not link its elements."};
  return {};
}

/// The depayloader tells of each packet that the jitter buffer gave up.
GstPadProbeReturn IncomingSound::onEvent(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<IncomingSound*>(data);
  GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_GAP) return GST_PAD_PROBE_OK;
  GstClockTime length = GST_CLOCK_TIME_NONE;
  gst_event_parse_gap(event, nullptr, &length);
  const auto missing = plugins::durationOf(length).value_or(periodic::Duration{0});
  self.m_concealed.fetch_add(missing.count(), std::memory_order_relaxed);
  return GST_PAD_PROBE_OK;
}

/// With in-band FEC a packet is decoded once the next one is there. opusdec does not know when that is, and
/// claims the longest packet's time, for which the pictures would wait as well.
GstPadProbeReturn IncomingSound::onEncoded(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<IncomingSound*>(data);
  GstMapInfo map;
  if (gst_buffer_map(GST_PAD_PROBE_INFO_BUFFER(info), &map, GST_MAP_READ) == FALSE) return GST_PAD_PROBE_OK;
  const auto length = opusPacketLength({map.data, map.size}).value_or(periodic::Duration{0});
  gst_buffer_unmap(GST_PAD_PROBE_INFO_BUFFER(info), &map);
  if (length <= self.m_longestPacket) return GST_PAD_PROBE_OK;
  self.m_longestPacket = length;
  const plugins::ElementPtr decoder(gst_pad_get_parent_element(pad));
  const auto latency = static_cast<GstClockTime>(length.count());
  if (decoder) gst_audio_decoder_set_latency(GST_AUDIO_DECODER(decoder.get()), latency, latency);
  return GST_PAD_PROBE_OK;
}

void IncomingSound::onPlayed(GstElement*, GstBuffer* buffer, GstPad*, gpointer data) {
  auto& self = *static_cast<IncomingSound*>(data);
  const auto length = plugins::durationOf(GST_BUFFER_DURATION(buffer)).value_or(periodic::Duration{0});
  self.m_played.fetch_add(length.count(), std::memory_order_relaxed);
  if (GST_BUFFER_PTS_IS_VALID(buffer)) {
    if (GST_BUFFER_PTS(buffer) < self.m_last) self.m_disordered.fetch_add(1, std::memory_order_relaxed);
    self.m_last = GST_BUFFER_PTS(buffer);
  }
  const auto& [output, heard] = self.m_listeners;
  GstMapInfo map;
  if ((output == nullptr && !heard) || gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) return;
  const std::span samples{reinterpret_cast<const std::int16_t*>(map.data), map.size / sizeof(std::int16_t)};
  if (output != nullptr) output->push(samples);
  if (heard) heard(samples);
  gst_buffer_unmap(buffer, &map);
}

IncomingSound::Figures IncomingSound::figures() const noexcept {
  return {.packets = m_receive->entered(),
          .played = periodic::Duration(m_played.load(std::memory_order_relaxed)),
          .concealed = periodic::Duration(m_concealed.load(std::memory_order_relaxed)),
          .disordered = m_disordered.load(std::memory_order_relaxed),
          .delay = playoutDelayOf(m_sink.get())};
}

}  // namespace tactus::media
