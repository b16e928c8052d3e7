// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/sending_layer.h"

#include <gst/video/video.h>

#include <string>

namespace tactus::media {
namespace {

using periodic::Stage;

constexpr std::uint32_t kPicturesWaiting = 3;  // the queue before the encoder, and the one being encoded
constexpr int kSoundPackets = 50;              // a second, of 20 ms

plugins::ElementPtr elementOf(GstBin* bin, const char* name, std::size_t number) {
  return plugins::ElementPtr(gst_bin_get_by_name(bin, (name + std::to_string(number)).c_str()));
}

plugins::PadPtr padOf(const plugins::ElementPtr& element, const char* pad) {
  return plugins::PadPtr(gst_element_get_static_pad(element.get(), pad));
}

/// "vp8enc 320x180"; of a track in one size without it.
std::string nameOf(GstElement* encoder, const OutgoingTrack& track, const TrackLayer& layer) {
  const std::string factory = GST_OBJECT_NAME(gst_element_get_factory(encoder));
  if (!track.inTwoSizes || track.kind == MediaKind::Audio) return factory;
  return factory + " " + std::to_string(layer.size.width) + "x" + std::to_string(layer.size.height);
}

}  // namespace

periodic::LbapContract lbapOf(const OutgoingTrack& track) {
  const int perSecond = track.kind == MediaKind::Video ? track.picturesPerSecond : kSoundPackets;
  return {periodic::Rate::perSecond(perSecond), kPicturesWaiting};
}

SendingLayer::SendingLayer(GstBin* bin, const OutgoingTrack& track, std::size_t number, StageAdopter& adopter)
    : m_kind(track.kind),
      m_encoding(track.encoding),
      m_terms(layersOf(track)[number]),
      m_encoder(elementOf(bin, "encoder", number)),
      m_rate(m_terms.rate.bits()) {
  const bool video = m_kind == MediaKind::Video;
  gst_pad_add_probe(padOf(elementOf(bin, "waiting", number), "sink").get(), GST_PAD_PROBE_TYPE_BUFFER,
                    onWaiting, this, nullptr);
  const auto count = [this, video](GstPad*, GstPadProbeInfo* info) {
    m_encoded.fetch_add(1, std::memory_order_release);
    if (video && !GST_BUFFER_FLAG_IS_SET(GST_PAD_PROBE_INFO_BUFFER(info), GST_BUFFER_FLAG_DELTA_UNIT))
      m_keyframes.fetch_add(1, std::memory_order_release);
  };
  m_encode = std::make_unique<CallStage>(adopter,
                                         CallStage::Terms{.stage = Stage::Encode,
                                                          .name = nameOf(m_encoder.get(), track, m_terms),
                                                          .lbap = lbapOf(track),
                                                          .enforces = video},
                                         padOf(m_encoder, "sink").get(), padOf(m_encoder, "src").get(),
                                         CallStage::Look{}, count);
  const auto payloader = elementOf(bin, "payloader", number);
  const auto packets = padOf(payloader, "src");
  m_send = std::make_unique<CallStage>(
      adopter,
      CallStage::Terms{.stage = Stage::Send, .name = video ? "pictures" : "sound", .lbap = lbapOf(track)},
      padOf(payloader, "sink").get(), packets.get());
  gst_pad_add_probe(packets.get(), GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, onUpstream, this, nullptr);
}

/// webrtcbin offers nothing before it knows what comes of each layer.
GstPadProbeReturn SendingLayer::onWaiting(GstPad*, GstPadProbeInfo*, gpointer data) {
  const auto& self = *static_cast<SendingLayer*>(data);
  const bool drops = self.m_paused.load(std::memory_order_relaxed) && self.hasBegun();
  return drops ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

GstPadProbeReturn SendingLayer::onUpstream(GstPad*, GstPadProbeInfo* info, gpointer data) {
  if (gst_video_event_is_force_key_unit(GST_PAD_PROBE_INFO_EVENT(info)))
    static_cast<SendingLayer*>(data)->m_asked.fetch_add(1, std::memory_order_relaxed);
  return GST_PAD_PROBE_OK;
}

void SendingLayer::setRate(net::BitRate rate) {
  if (m_kind != MediaKind::Video || m_rate.exchange(rate.bits(), std::memory_order_relaxed) == rate.bits())
    return;
  if (m_encoding == VideoEncoding::Vp8) {
    g_object_set(m_encoder.get(), "target-bitrate", static_cast<gint>(rate.bits()), nullptr);
  } else {
    g_object_set(m_encoder.get(), "bitrate", static_cast<guint>(rate.bits() / 1000), nullptr);
  }
}

void SendingLayer::setPaused(bool paused) {
  if (m_paused.exchange(paused, std::memory_order_relaxed) && !paused) requestKeyframe();
}

void SendingLayer::requestKeyframe() {
  if (m_kind != MediaKind::Video) return;
  const plugins::PadPtr encoded(gst_element_get_static_pad(m_encoder.get(), "src"));
  (void)gst_pad_send_event(encoded.get(),
                           gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, FALSE, 0));
}

SendingLayer::Figures SendingLayer::figures() const {
  // What comes later is read first.
  Figures figures;
  figures.sent = m_send->entered();
  figures.keyframes = m_keyframes.load(std::memory_order_acquire);
  figures.encoded = m_encoded.load(std::memory_order_acquire);
  figures.taken = m_encode->entered();
  figures.keyframesAsked = m_asked.load(std::memory_order_relaxed);
  figures.rate = net::BitRate::perSecond(m_rate.load(std::memory_order_relaxed));
  figures.paused = m_paused.load(std::memory_order_relaxed);
  return figures;
}

}  // namespace tactus::media
