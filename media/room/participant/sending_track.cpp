// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/sending_track.h"

#include <gst/video/video.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "media/room/participant/loudness.h"
#include "media/room/participant/picture_stamp.h"
#include "plugins/video_sink.h"

namespace tactus::media {
namespace {

using periodic::Stage;

constexpr auto kSilence = std::chrono::seconds(5);  // of a screen that is repeated while it stands still

/// What the registry names may be gone.
bool canProcess() {
  GstElement* made = gst_element_factory_make("webrtcdsp", nullptr);
  if (made != nullptr) plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(made))).reset();
  return made != nullptr;
}

}  // namespace

Result<std::unique_ptr<SendingTrack>> SendingTrack::create(const OutgoingTrack& track, OfferingPeer& peer,
                                                           StageAdopter& adopter,
                                                           plugins::EventDescriptor& wake,
                                                           std::shared_ptr<plugins::VideoTarget> preview) {
  if (auto valid = validate(track); !valid.ok()) return valid.error();
  const bool lacks = track.voice.any() && !canProcess();
  OutgoingTrack possible = track;
  if (lacks) possible.voice = {};
  std::unique_ptr<SendingTrack> sending(new SendingTrack(std::move(possible), lacks));
  const bool previewed = preview && track.kind == MediaKind::Video;
  if (auto built = sending->build(peer, previewed); !built.ok()) return built.error();
  sending->watch(adopter);
  if (track.voice.echo && !lacks) sending->referToEcho();
  if (previewed) sending->showPreview(adopter, std::move(preview));
  if (track.source.kind == CaptureSource::Kind::Player) sending->tapPlayer();
  if (track.source.kind != CaptureSource::Kind::File) return sending;
  const plugins::ElementPtr target(gst_bin_get_by_name(GST_BIN(sending->m_bin.get()), "film"));
  auto film = LoopedFilm::create(
      track, target.get(), [&adopter](GstMessage* message) { adopter.onStreamStatus(message); }, wake);
  if (!film.ok()) return film.error();
  sending->m_film = std::move(film).value();
  return sending;
}

Result<void> SendingTrack::build(OfferingPeer& peer, bool previewed) {
  if (previewed) plugins::registerElements();
  GError* raw = nullptr;
  GstElement* made = gst_parse_bin_from_description_full(elementsOf(m_track, previewed).c_str(), FALSE,
                                                         nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &raw);
  const plugins::ErrorPtr error(raw);
  if (made == nullptr)
    return Error{ErrorCode::Unsupported, std::string("The track cannot be sent: ") + error->message + "."};
  gst_bin_add(GST_BIN(peer.pipeline()), made);
  m_bin = plugins::share<plugins::ElementPtr>(made);
  if (m_track.source.lent)
    if (auto connected = connectScreen(); !connected.ok()) return connected.error();
  for (std::size_t i = 0; i < layersOf(m_track).size(); ++i)
    if (auto linked = linkLayer(peer, i); !linked.ok()) return linked.error();
  return {};
}

Result<void> SendingTrack::linkLayer(OfferingPeer& peer, std::size_t number) {
  const std::string name = "packets" + std::to_string(number);
  GstPad* source = gst_ghost_pad_new(name.c_str(), padOf(name.c_str(), "src").get());
  const plugins::PadPtr sink = peer.send(m_track.kind);
  if (gst_element_add_pad(m_bin.get(), source) == FALSE || !sink ||
      gst_pad_link(source, sink.get()) != GST_PAD_LINK_OK)
    return Error{ErrorCode::Unavailable, "The track cannot be sent: webrtcbin does not take it."};
  return {};
}

void SendingTrack::tapPlayer() {
  const auto named = [this](const char* name) {
    return plugins::ElementPtr(gst_bin_get_by_name(GST_BIN(m_bin.get()), name));
  };
  m_tapped = std::make_unique<TappedFilm>(m_track, named("player").get(), named("upright").get());
}

Result<void> SendingTrack::connectScreen() {
  auto connected = m_track.source.lent->connect();
  if (!connected.ok()) return connected.error();
  m_remote = std::move(connected).value();
  const plugins::ElementPtr screen(gst_bin_get_by_name(GST_BIN(m_bin.get()), "screen"));
  g_object_set(screen.get(), "fd", m_remote.get(), nullptr);
  // Its clock stands still with the pictures.
  GST_OBJECT_FLAG_UNSET(screen.get(), GST_ELEMENT_FLAG_PROVIDE_CLOCK);
  return {};
}

plugins::PadPtr SendingTrack::padOf(const char* element, const char* pad) const {
  const plugins::ElementPtr found(gst_bin_get_by_name(GST_BIN(m_bin.get()), element));
  return plugins::PadPtr(gst_element_get_static_pad(found.get(), pad));
}

void SendingTrack::watch(StageAdopter& adopter) {
  const bool video = m_track.kind == MediaKind::Video;
  const auto captured = padOf("captured", "src");
  CallStage::Look look;
  if (video && m_track.source.kind == CaptureSource::Kind::Test)
    look = [this](GstPad*, GstPadProbeInfo* info) { stampPicture(info); };
  if (!video) look = [this](GstPad*, GstPadProbeInfo* info) { hear(info); };
  gst_pad_add_probe(padOf("captured", "sink").get(), GST_PAD_PROBE_TYPE_BUFFER, onCaptured, this, nullptr);
  m_capture = std::make_unique<CallStage>(
      adopter,
      CallStage::Terms{
          .stage = Stage::Capture, .name = video ? "camera" : "microphone", .lbap = lbapOf(m_track)},
      captured.get(), nullptr, std::move(look));
  for (std::size_t i = 0; i < layersOf(m_track).size(); ++i)
    m_layers.push_back(std::make_unique<SendingLayer>(GST_BIN(m_bin.get()), m_track, i, adopter));
}

/// The reference of a piece of sound is there before the piece is processed.
void SendingTrack::referToEcho() {
  m_echo = EchoReference::create(m_track.voice.monitorOf);
  const plugins::ElementPtr voice(gst_bin_get_by_name(GST_BIN(m_bin.get()), "voice"));
  g_object_set(voice.get(), "probe", m_echo->probe().c_str(), nullptr);
  gst_pad_add_probe(
      padOf("voice", "sink").get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer reference) {
        const gsize bytes = gst_buffer_get_size(GST_PAD_PROBE_INFO_BUFFER(info));
        static_cast<EchoReference*>(reference)->follow(bytes / sizeof(std::int16_t));
        return GST_PAD_PROBE_OK;
      },
      m_echo.get(), nullptr);
}

std::string SendingTrack::voiceFault(periodic::TimePoint now) const {
  if (m_voiceLacks)
    return "The microphone's sound is sent as it is: GStreamer's webrtcdsp is missing (package "
           "gstreamer1.0-plugins-bad).";
  if (m_echo && m_echo->isMissing(now))
    return "The others may hear themselves: PipeWire does not tell what the speakers play, so its "
           "echo is not cancelled.";
  return "";
}

void SendingTrack::showPreview(StageAdopter& adopter, std::shared_ptr<plugins::VideoTarget> preview) {
  const plugins::ElementPtr sink(gst_bin_get_by_name(GST_BIN(m_bin.get()), "preview"));
  plugins::setVideoTarget(sink.get(), std::move(preview));
  const double rate = m_track.picturesPerSecond;
  m_preview = std::make_unique<SinkStage>(
      sink.get(), Stage::VideoDisplay, adopter,
      SinkStage::Hooks{
          .pace = [rate] { return SinkStage::Pace{.rate = rate}; }, .onStream = {}, .onFormat = {}});
}

/// webrtcbin offers nothing before it knows what comes: until anything is encoded all passes, black or
/// silent.
GstPadProbeReturn SendingTrack::onCaptured(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& self = *static_cast<SendingTrack*>(data);
  if (!self.m_muted.load(std::memory_order_relaxed)) return GST_PAD_PROBE_OK;
  const auto& layers = self.m_layers;
  if (std::all_of(layers.begin(), layers.end(), [](const auto& layer) { return layer->hasBegun(); }))
    return GST_PAD_PROBE_DROP;
  blank(info, self.m_track.kind);
  return GST_PAD_PROBE_OK;
}

void SendingTrack::blank(GstPadProbeInfo* info, MediaKind kind) {
  GstBuffer* buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  info->data = buffer;
  const gsize size = gst_buffer_get_size(buffer);
  (void)gst_buffer_memset(buffer, 0, 0, size);
  if (kind == MediaKind::Audio) return;
  // Of I420: the chroma is the last third.
  constexpr guint8 kNoColour = 128;
  const gsize luma = size / 3 * 2;
  (void)gst_buffer_memset(buffer, luma, kNoColour, size - luma);
}

void SendingTrack::hear(GstPadProbeInfo* info) {
  GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstMapInfo map;
  if (gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) return;
  m_loudness.store(
      loudnessOf({reinterpret_cast<const std::int16_t*>(map.data), map.size / sizeof(std::int16_t)}),
      std::memory_order_relaxed);
  gst_buffer_unmap(buffer, &map);
}

void SendingTrack::stampPicture(GstPadProbeInfo* info) {
  GstBuffer* buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  info->data = buffer;
  GstVideoInfo format;
  gst_video_info_set_format(&format, GST_VIDEO_FORMAT_I420, static_cast<guint>(m_track.width),
                            static_cast<guint>(m_track.height));
  GstVideoFrame frame;
  if (gst_video_frame_map(&frame, &format, buffer, GST_MAP_READWRITE) == FALSE) return;
  const int stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
  auto* samples = static_cast<std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  const auto size = static_cast<std::size_t>(stride) * static_cast<std::size_t>(m_track.height);
  const auto now = periodic::MonotonicClock::now().time_since_epoch() / std::chrono::microseconds(1);
  // A picture that is too small for it goes without.
  (void)drawStamp({{samples, size}, m_track.width, m_track.height, stride},
                  {m_number++, static_cast<std::uint64_t>(now)});
  gst_video_frame_unmap(&frame);
}

std::string SendingTrack::fault() const {
  if (m_film) return m_film->fault();
  if (m_tapped) return m_tapped->fault();
  if (!m_track.source.lent) return "";
  const std::string taken = m_track.source.lent->fault();
  return taken.empty() && m_silent ? "The pictures of the screen have stopped." : taken;
}

void SendingTrack::start() {
  if (m_film) m_film->start();
}

/// What the compositor lends is repeated while it stands still: silence means that it has gone, which nobody
/// else tells. Its first picture may take as long as nothing changes.
void SendingTrack::look(periodic::TimePoint now) {
  if (m_film) m_film->look();
  if (!m_track.source.lent) return;
  const std::uint64_t captured = m_capture->entered();
  const bool comes = captured != m_seen || m_muted.load(std::memory_order_relaxed);
  m_seen = captured;
  if (comes) m_seenAt = now;
  m_silent = captured > 0 && now - m_seenAt > kSilence;
}

void SendingTrack::stop() {
  if (m_film) m_film->stop();
  if (m_tapped) m_tapped->stop();
}

void SendingTrack::setRate(net::BitRate rate) {
  if (m_track.kind != MediaKind::Video) return;
  std::vector<TrackLayer> layers;
  for (const auto& each : m_layers) layers.push_back(each->terms());
  m_shares = shareRate(rate, layers, m_wanted.load(std::memory_order_relaxed), m_shares);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    m_layers[i]->setRate(m_shares[i].rate);
    m_layers[i]->setPaused(!m_shares[i].goes);
  }
}

void SendingTrack::setWanted(std::optional<PictureSize> wanted) {
  std::vector<PictureSize> sizes;
  for (const auto& each : m_layers) sizes.push_back(each->terms().size);
  m_wanted.store(wanted ? layerFor(*wanted, sizes) : sizes.size(), std::memory_order_relaxed);
}

void SendingTrack::setMuted(bool muted) {
  if (m_muted.exchange(muted) == muted) return;
  m_loudness.store(0, std::memory_order_relaxed);
  if (muted) return;
  for (const auto& layer : m_layers) layer->requestKeyframe();
}

std::vector<SendingFigures> SendingTrack::figures() const {
  std::vector<SendingFigures> all;
  const std::size_t wanted = m_wanted.load(std::memory_order_relaxed);
  for (const auto& layer : m_layers) {
    SendingFigures figures{layer->figures()};
    // After it: no picture is encoded that was not captured.
    figures.captured = m_capture->entered();
    figures.kind = m_track.kind;
    figures.cid = m_track.cid;
    figures.size = layer->terms().size;
    figures.most = layer->terms().rate;
    figures.wanted = all.size() >= wanted;
    figures.muted = m_muted.load(std::memory_order_relaxed);
    figures.loudness = loudness();
    all.push_back(std::move(figures));
  }
  return all;
}

double SendingTrack::loudness() const {
  return m_muted.load(std::memory_order_relaxed) ? 0 : m_loudness.load(std::memory_order_relaxed);
}

}  // namespace tactus::media
