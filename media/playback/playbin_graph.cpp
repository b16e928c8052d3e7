// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <utility>

#include "media/playback/added_element.h"
#include "media/playback/graph.h"

namespace tactus::media {
namespace {

// GstPlayFlags: video, audio, text, soft-volume, deinterlace. Without native-video the converters stay, which
// raw formats outside our sinks' caps need; soft-colorbalance (0x400) would cost a pass over every picture.
constexpr int kVideo = 0x1, kAudio = 0x2, kText = 0x4, kSoftVolume = 0x10, kDeinterlace = 0x200;

class PlaybinGraph final : public Graph {
 public:
  PlaybinGraph(plugins::ElementPtr playbin, Listener& listener, Duration timeout, bool canGoOn)
      : m_playbin(std::move(playbin)), m_listener(listener), m_timeout(timeout), m_canGoOn(canGoOn) {}
  ~PlaybinGraph() override { disconnect(); }
  PlaybinGraph(const PlaybinGraph&) = delete;
  PlaybinGraph& operator=(const PlaybinGraph&) = delete;

  void setUp(const Config& config);
  void connect();

  [[nodiscard]] GstElement* element() const noexcept override { return m_playbin.get(); }
  void setVolume(double linear, bool muted) override {
    g_object_set(m_playbin.get(), "volume", linear, "mute", static_cast<gboolean>(muted), nullptr);
  }
  Result<void> addSubtitles(const std::string&, bool) override {
    return Error{ErrorCode::Unsupported, "Subtitles are named before the film is opened."};
  }
  void setSecondSubtitles(const std::string&) override {}
  void setSubtitles(const SubtitleSettings& settings) override {
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(m_playbin.get()), "text-offset") != nullptr)
      g_object_set(m_playbin.get(), "text-offset", static_cast<gint64>(settings.delay.count()), nullptr);
    if (settings.visible == m_visible.exchange(settings.visible)) return;
    gint flags = 0;
    g_object_get(m_playbin.get(), "flags", &flags, nullptr);
    g_object_set(m_playbin.get(), "flags", settings.visible ? flags | kText : flags & ~kText, nullptr);
  }
  void disconnect() override { g_signal_handlers_disconnect_by_data(m_playbin.get(), this); }

 private:
  void onElementAdded(GstElement* element);
  void onAboutToFinish();

  const plugins::ElementPtr m_playbin;
  Listener& m_listener;
  const Duration m_timeout;
  const bool m_canGoOn;
  std::atomic<bool> m_visible{true};  // the subtitles
};

void PlaybinGraph::setUp(const Config& config) {
  int flags = kText | kSoftVolume | kDeinterlace;
  if (config.player.video) flags |= kVideo;
  if (config.player.audio) flags |= kAudio;
  g_object_set(m_playbin.get(), "uri", config.uri.c_str(), "video-sink", config.videoSink, "audio-sink",
               config.audioSink, "flags", flags, "subtitle-font-desc", "Sans Bold 22", nullptr);
  if (!config.subtitles.empty()) g_object_set(m_playbin.get(), "suburi", config.subtitles.c_str(), nullptr);
  // Keeps the pitch at any speed; does nothing at 1.
  if (GstElement* tempo = gst_element_factory_make("scaletempo", nullptr))
    g_object_set(m_playbin.get(), "audio-filter", tempo, nullptr);
}

void PlaybinGraph::connect() {
  using Deep = void (*)(GstBin*, GstBin*, GstElement*, gpointer);
  const Deep added = [](GstBin*, GstBin*, GstElement* element, gpointer self) {
    static_cast<PlaybinGraph*>(self)->onElementAdded(element);
  };
  const Deep removed = [](GstBin*, GstBin*, GstElement* element, gpointer self) {
    static_cast<PlaybinGraph*>(self)->m_listener.onDecoderRemoved(element);
  };
  const auto source = +[](GstElement*, GstElement* element, gpointer self) {
    configureSource(element, static_cast<PlaybinGraph*>(self)->m_timeout);
  };
  const auto finishing =
      +[](GstElement*, gpointer self) { static_cast<PlaybinGraph*>(self)->onAboutToFinish(); };
  g_signal_connect(m_playbin.get(), "deep-element-added", G_CALLBACK(added), this);
  g_signal_connect(m_playbin.get(), "deep-element-removed", G_CALLBACK(removed), this);
  g_signal_connect(m_playbin.get(), "source-setup", G_CALLBACK(source), this);
  g_signal_connect(m_playbin.get(), "about-to-finish", G_CALLBACK(finishing), this);
}

void PlaybinGraph::onAboutToFinish() {
  const std::string next = m_listener.onReadToEnd(m_canGoOn);
  if (!next.empty()) g_object_set(m_playbin.get(), "uri", next.c_str(), nullptr);
}

void PlaybinGraph::onElementAdded(GstElement* element) {
  switch (roleOf(element)) {
    case ElementRole::TypeFinder:
      letGoWhenConnected(element);
      break;
    case ElementRole::DemuxerOrParser:
      m_listener.onTypeFound();
      holdUntilConnected(element);
      break;
    case ElementRole::PictureQueue:
      m_listener.onPictureQueue(element);
      break;
    case ElementRole::SubtitleRenderer:
      keepTextEventsFromVideo(element);
      break;
    case ElementRole::VideoDecoder:
      m_listener.onDecoderAdded(element, true);
      break;
    case ElementRole::AudioDecoder:
      m_listener.onDecoderAdded(element, false);
      break;
    case ElementRole::Other:
      break;
  }
}

}  // namespace

Result<std::unique_ptr<Graph>> makePlaybinGraph(const std::string& engine, const Graph::Config& config,
                                                Graph::Listener& listener) {
  GstElement* playbin = gst_element_factory_make(engine.c_str(), nullptr);
  if (playbin == nullptr) {
    return Error{ErrorCode::Unsupported,
                 "GStreamer's playback plugin is missing; install gstreamer1.0-plugins-base."};
  }
  gst_object_ref_sink(playbin);
  auto graph = std::make_unique<PlaybinGraph>(plugins::ElementPtr(playbin), listener,
                                              config.player.networkTimeout, engine == "playbin");
  graph->setUp(config);
  graph->connect();
  return std::unique_ptr<Graph>(std::move(graph));
}

}  // namespace tactus::media
