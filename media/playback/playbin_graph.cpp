// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "media/playback/drawn_subtitles.h"
#include "media/playback/graph.h"

namespace tactus::media {
namespace {

using periodic::Stage;

// GstPlayFlags: video, audio, text, soft-volume, deinterlace. Without native-video the converters stay, which
// raw formats outside our sinks' caps need; soft-colorbalance (0x400) would cost a pass over every picture.
constexpr int kVideo = 0x1, kAudio = 0x2, kText = 0x4, kSoftVolume = 0x10, kDeinterlace = 0x200;

bool hasClass(GstElementFactory* factory, const char* part) {
  return std::strstr(gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS), part) != nullptr;
}

/// GStreamer's playbin3 brings an adaptive stream, or one of a protocol of its own. Subtitle files beside it
/// are ours to draw, the stream's own are playbin3's.
class PlaybinGraph final : public Graph {
 public:
  PlaybinGraph(plugins::ElementPtr playbin, const Config& config, Listener& listener);
  ~PlaybinGraph() override { disconnect(); }
  PlaybinGraph(const PlaybinGraph&) = delete;
  PlaybinGraph& operator=(const PlaybinGraph&) = delete;

  [[nodiscard]] GstElement* element() const noexcept override { return m_playbin.get(); }
  void setVolume(double linear, bool muted) override {
    g_object_set(m_playbin.get(), "volume", linear, "mute", static_cast<gboolean>(muted), nullptr);
  }
  void addSubtitles(plugins::av::SubtitleFile file, bool chosen) override {
    m_files->add(std::move(file), "beside", chosen);
  }
  void setSecondSubtitles(const std::string&) override {}
  void setSubtitles(const SubtitleSettings& settings) override;
  void disconnect() override { g_signal_handlers_disconnect_by_data(m_playbin.get(), this); }

 private:
  void connect();
  void onElementAdded(GstElement* element);
  void configureSource(GstElement* source) const;

  const plugins::ElementPtr m_playbin;
  Listener& m_listener;
  const Duration m_timeout;
  const std::shared_ptr<plugins::av::SubtitleFeed> m_files =
      std::make_shared<plugins::av::SubtitleFeed>();  // shared with the stage that draws them
  DrawnSubtitles m_subtitles;
};

PlaybinGraph::PlaybinGraph(plugins::ElementPtr playbin, const Config& config, Listener& listener)
    : m_playbin(std::move(playbin)),
      m_listener(listener),
      m_timeout(config.player.networkTimeout),
      m_subtitles(m_files, config.videoSink, listener) {
  int flags = kText | kSoftVolume | kDeinterlace;
  if (config.player.video) flags |= kVideo;
  if (config.player.audio) flags |= kAudio;
  g_object_set(m_playbin.get(), "uri", config.uri.c_str(), "video-sink", config.videoSink, "audio-sink",
               config.audioSink, "flags", flags, "subtitle-font-desc", "Sans Bold 22", nullptr);
  // Keeps the pitch at any speed; does nothing at 1.
  if (GstElement* tempo = gst_element_factory_make("scaletempo", nullptr))
    g_object_set(m_playbin.get(), "audio-filter", tempo, nullptr);
  connect();
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
    static_cast<PlaybinGraph*>(self)->configureSource(element);
  };
  g_signal_connect(m_playbin.get(), "deep-element-added", G_CALLBACK(added), this);
  g_signal_connect(m_playbin.get(), "deep-element-removed", G_CALLBACK(removed), this);
  g_signal_connect(m_playbin.get(), "source-setup", G_CALLBACK(source), this);
}

void PlaybinGraph::setSubtitles(const SubtitleSettings& settings) {
  m_subtitles.set(settings);
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(m_playbin.get()), "text-offset") != nullptr)
    g_object_set(m_playbin.get(), "text-offset", static_cast<gint64>(settings.delay.count()), nullptr);
  gint flags = 0;
  g_object_get(m_playbin.get(), "flags", &flags, nullptr);
  const gint wanted = settings.visible ? flags | kText : flags & ~kText;
  if (wanted != flags) g_object_set(m_playbin.get(), "flags", wanted, nullptr);
}

/// Gives up on a server that says nothing for so long. Sources without such a property keep their own
/// patience.
void PlaybinGraph::configureSource(GstElement* source) const {
  GObjectClass* kind = G_OBJECT_GET_CLASS(source);
  // Elements with a `timeout` of another type mean something else by it.
  if (GParamSpec* spec = g_object_class_find_property(kind, "timeout");
      spec != nullptr && spec->value_type == G_TYPE_UINT) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(m_timeout).count();
    g_object_set(source, "timeout", static_cast<guint>(std::max<std::int64_t>(1, seconds)), nullptr);
  }
  if (g_object_class_find_property(kind, "user-agent") != nullptr)
    g_object_set(source, "user-agent", "Tactus", nullptr);
}

void PlaybinGraph::onElementAdded(GstElement* element) {
  if (GST_OBJECT_NAME(element) == std::string_view("vqueue")) return m_listener.onPictureQueue(element);
  GstElementFactory* factory = gst_element_get_factory(element);
  if (factory == nullptr) return;
  if (gst_element_factory_list_is_type(factory, GST_ELEMENT_FACTORY_TYPE_DECODER)) {
    // Motion JPEG is decoded by what decodes single images.
    if (hasClass(factory, "Video") || hasClass(factory, "Image"))
      m_listener.onDecoderAdded(element, Stage::VideoDecode);
    else if (hasClass(factory, "Audio"))
      m_listener.onDecoderAdded(element, Stage::AudioDecode);
  } else if (hasClass(factory, "Demuxer") || hasClass(factory, "Parser")) {
    m_listener.onTypeFound();
  }
}

}  // namespace

Result<std::unique_ptr<Graph>> makePlaybinGraph(const Graph::Config& config, Graph::Listener& listener) {
  GstElement* playbin = gst_element_factory_make("playbin3", nullptr);
  if (playbin == nullptr) {
    return Error{ErrorCode::Unsupported,
                 "GStreamer's playback plugin is missing; install gstreamer1.0-plugins-base."};
  }
  gst_object_ref_sink(playbin);
  return std::unique_ptr<Graph>(
      std::make_unique<PlaybinGraph>(plugins::ElementPtr(playbin), config, listener));
}

}  // namespace tactus::media
