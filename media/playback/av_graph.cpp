// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <initializer_list>
#include <mutex>
#include <string>
#include <utility>

#include "media/playback/drawn_subtitles.h"
#include "media/playback/graph.h"
#include "media/playback/media_path.h"
#include "plugins/av/av_source.h"

namespace tactus::media {
namespace {

using periodic::Stage;

constexpr guint64 kSoundAhead = 200 * GST_MSECOND;  // decoded, before the sink

/// What the reader calls it.
std::string pathOf(const std::string& uri) {
  return localPathOf(uri).value_or(uri);
}

/// Of what it reads, and how fast, the reader says more once the film is open.
periodic::TaskContract readingContract() {
  periodic::TaskContract contract;
  contract.name = "reader";
  contract.stage = Stage::Source;
  contract.processing = std::chrono::microseconds(100);  // until it is known better
  // What it reads ahead must not delay others, but must get ahead even beside processor hogs.
  contract.early = periodic::EarlyPackets::Demoted;
  contract.unruly = periodic::WatchPolicy::Report;  // opening a film, or a seek, may be long work
  return contract;
}

GstElement* make(const char* factory) {
  return gst_element_factory_make(factory, nullptr);
}

/// reader -> decoder -> queue -> filters -> sink, for pictures and for sound. The reader's pads come when the
/// film is open; what follows them is made then.
class AvGraph final : public Graph {
 public:
  AvGraph(const Config& config, Listener& listener)
      : m_listener(listener),
        m_pictures(config.player.video),
        m_sound(config.player.audio),
        m_videoSink(plugins::share<plugins::ElementPtr>(config.videoSink)),
        m_audioSink(plugins::share<plugins::ElementPtr>(config.audioSink)) {}
  ~AvGraph() override { disconnect(); }
  AvGraph(const AvGraph&) = delete;
  AvGraph& operator=(const AvGraph&) = delete;

  Result<void> build(const Config& config);

  [[nodiscard]] GstElement* element() const noexcept override { return m_pipeline.get(); }
  [[nodiscard]] GstElement* selector() const noexcept override { return m_reader.get(); }
  void setVolume(double linear, bool muted) override {
    g_object_set(m_volume.get(), "volume", linear, "mute", static_cast<gboolean>(muted), nullptr);
  }
  void setHardware(plugins::av::HardwareWish wish) override;
  void addSubtitles(plugins::av::SubtitleFile file, bool chosen) override {
    plugins::av::addSubtitles(m_reader.get(), std::move(file), chosen);
  }
  void setSubtitles(const SubtitleSettings& settings) override {
    if (m_subtitles) m_subtitles->set(settings);
  }
  void setSecondSubtitles(const std::string& streamId) override {
    plugins::av::subtitlesOf(m_reader.get())->choose(plugins::av::SubtitleFeed::Place::Second, streamId);
  }
  [[nodiscard]] bool beginAt(Duration position) override {
    plugins::av::beginAt(m_reader.get(), position);
    return true;
  }
  bool follow(const std::string& uri, std::vector<plugins::av::SubtitleFile> files) override {
    return plugins::av::follow(m_reader.get(), pathOf(uri), std::move(files));
  }
  [[nodiscard]] bool goOn() override { return plugins::av::goOn(m_reader.get()); }
  void closePast() override { plugins::av::closePast(m_reader.get()); }
  void disconnect() override { g_signal_handlers_disconnect_by_data(m_reader.get(), this); }

 private:
  void onPad(GstPad* pad);
  void onNoMorePads();
  void add(GstPad* pad, Stage decoding, std::initializer_list<GstElement*> behind);

  Listener& m_listener;
  const bool m_pictures, m_sound;
  const plugins::ElementPtr m_videoSink, m_audioSink;
  plugins::ElementPtr m_pipeline, m_reader, m_volume;
  std::unique_ptr<DrawnSubtitles> m_subtitles;  // null without pictures

  std::mutex m_mutex;  // guards what follows, for moments
  plugins::av::HardwareWish m_hardware = plugins::av::HardwareWish::None;
  plugins::ElementPtr m_pictureDecoder;  // null until the film is open
};

Result<void> AvGraph::build(const Config& config) {
  m_pipeline = plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr))));
  GstElement* reader = make("tactusavsrc");
  GstElement* volume = make("volume");
  if (reader == nullptr || volume == nullptr)
    return Error{ErrorCode::Unsupported,
                 "GStreamer's volume plugin is missing; install gstreamer1.0-plugins-base."};
  m_reader = plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(reader)));
  m_volume = plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(volume)));
  g_object_set(reader, "location", pathOf(config.uri).c_str(), "timeout",
               static_cast<gint64>(config.player.networkTimeout.count()), nullptr);
  plugins::av::setReaderHooks(reader, {[this] { return m_listener.onThreadBegins(readingContract()); },
                                       [this] { m_listener.onThreadEnds(); }});
  plugins::av::askWhatFollows(reader);
  gst_bin_add(GST_BIN(m_pipeline.get()), reader);
  // The pipeline is not prerolled before the sinks are. One that gets nothing is taken out again.
  if (m_pictures) gst_bin_add(GST_BIN(m_pipeline.get()), m_videoSink.get());
  if (m_sound) gst_bin_add(GST_BIN(m_pipeline.get()), m_audioSink.get());
  const auto added =
      +[](GstElement*, GstPad* pad, gpointer self) { static_cast<AvGraph*>(self)->onPad(pad); };
  g_signal_connect(reader, "pad-added", G_CALLBACK(added), this);
  const auto complete = +[](GstElement*, gpointer self) { static_cast<AvGraph*>(self)->onNoMorePads(); };
  g_signal_connect(reader, "no-more-pads", G_CALLBACK(complete), this);
  if (m_pictures)
    m_subtitles =
        std::make_unique<DrawnSubtitles>(plugins::av::subtitlesOf(reader), m_videoSink.get(), m_listener);
  return {};
}

void AvGraph::setHardware(plugins::av::HardwareWish wish) {
  const std::lock_guard lock(m_mutex);
  m_hardware = wish;
  if (m_pictureDecoder)
    g_object_set(m_pictureDecoder.get(), "hardware", std::string(nameOf(wish)).c_str(), nullptr);
}

/// Reader's thread, while the film is being opened.
void AvGraph::onPad(GstPad* pad) {
  m_listener.onTypeFound();
  const Stage decoding =
      g_str_equal(GST_PAD_NAME(pad), "video") != FALSE ? Stage::VideoDecode : Stage::AudioDecode;
  const bool sound = periodic::rowOf(decoding).sound;
  if (!(sound ? m_sound : m_pictures)) return;
  GstElement* queue = make("queue");
  if (!sound) {
    m_listener.onPictureQueue(queue);
    add(pad, decoding, {queue, make("deinterlace"), make("videoconvert"), m_videoSink.get()});
  } else {
    g_object_set(queue, "max-size-buffers", 0u, "max-size-bytes", 0u, "max-size-time", kSoundAhead, nullptr);
    add(pad, decoding,
        {queue, make("audioconvert"), make("scaletempo"), make("audioconvert"), make("audioresample"),
         m_volume.get(), m_audioSink.get()});
  }
}

/// The sink first, so that each is ready before who feeds it.
void AvGraph::add(GstPad* pad, Stage decoding, std::initializer_list<GstElement*> behind) {
  GstElement* decoder = make("tactusavdec");
  m_listener.onDecoderAdded(decoder, decoding);
  if (!periodic::rowOf(decoding).sound) {
    const std::lock_guard lock(m_mutex);
    m_pictureDecoder = plugins::share<plugins::ElementPtr>(decoder);
    g_object_set(decoder, "hardware", std::string(nameOf(m_hardware)).c_str(), nullptr);
  }
  GstElement* before = decoder;
  gst_bin_add(GST_BIN(m_pipeline.get()), decoder);
  for (GstElement* element : behind) {
    if (element == nullptr) continue;  // a filter that is not installed
    if (GST_OBJECT_PARENT(element) == nullptr) gst_bin_add(GST_BIN(m_pipeline.get()), element);
    if (gst_element_link(before, element) == FALSE) return;  // its packets are then told not to be wanted
    before = element;
  }
  // The sink, which is last, changes its state with the pipeline: here it would begin to play before it has
  // prerolled.
  for (auto element = std::next(std::rbegin(behind)); element != std::rend(behind); ++element)
    if (*element != nullptr) (void)gst_element_sync_state_with_parent(*element);
  (void)gst_element_sync_state_with_parent(decoder);
  const plugins::PadPtr input(gst_element_get_static_pad(decoder, "sink"));
  (void)gst_pad_link(pad, input.get());
}

void AvGraph::onNoMorePads() {
  for (const auto* sink : {&m_videoSink, &m_audioSink}) {
    const plugins::PadPtr input(gst_element_get_static_pad(sink->get(), "sink"));
    if (gst_pad_is_linked(input.get()) != FALSE || GST_OBJECT_PARENT(sink->get()) == nullptr) continue;
    (void)gst_element_set_locked_state(sink->get(), TRUE);
    (void)gst_element_set_state(sink->get(), GST_STATE_NULL);
    gst_bin_remove(GST_BIN(m_pipeline.get()), sink->get());
  }
}

}  // namespace

Result<std::unique_ptr<Graph>> makeAvGraph(const Graph::Config& config, Graph::Listener& listener) {
  auto graph = std::make_unique<AvGraph>(config, listener);
  if (auto built = graph->build(config); !built.ok()) return built.error();
  return std::unique_ptr<Graph>(std::move(graph));
}

}  // namespace tactus::media
