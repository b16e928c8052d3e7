// SPDX-License-Identifier: Apache-2.0
// Films of each container in which bytes are not what they were, as fast as our reader and decoders go:
// nothing crashes, hangs or leaks, and what cannot be played says why.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "media/playback/test_films.h"
#include "plugins/av/av_source.h"
#include "plugins/gst_handle.h"
#include "plugins/subtitles/subtitle_stage.h"
#include "plugins/video_sink.h"

namespace tactus::plugins::av {
namespace {

namespace fs = std::filesystem;
using media::testing::fileOf;
using media::testing::words;
using periodic::Duration;

constexpr GstClockTime kPatience = 60 * GST_SECOND;

enum class Container { Mp4, Matroska, TransportStream, Avi, Ogg };

/// Fifteen pictures and their sound, with what else the container has room for: subtitles, chapters, titles,
/// a cover, an attachment.
fs::path filmIn(Container container) {
  const auto cover =
      media::testing::film("cover.png", words("-f lavfi -i color=red:s=16x16:d=1 -frames:v 1"));
  const auto lines = fileOf(
      "little.srt", "1\n00:00:00,100 --> 00:00:00,400\nOne\n\n2\n00:00:00,500 --> 00:00:00,900\nTwo\n\n");
  const auto chapters = fileOf("little.txt",
                               ";FFMETADATA1\ntitle=Short\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\n"
                               "title=Opening\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1000\ntitle=End\n");
  const auto font = fileOf("little.ttf", std::string(3000, 'f'));
  const std::string begin =
      "-f lavfi -i testsrc2=s=160x90:r=25:d=0.6 -f lavfi -i sine=440:r=44100:d=0.6 -f ffmetadata -i " +
      chapters.string() + " -i " + lines.string() + " -i " + cover.string() + " -map 0 -map 1 ";
  const std::string h264 = "-c:v:0 libx264 -preset ultrafast -bf 2 -g 10 -pix_fmt yuv420p ";
  const std::string picture = "-map 4 -c:v:1 copy -disposition:v:1 attached_pic ";
  const auto made = [&](const char* name, const std::string& end) {
    return media::testing::film(name, words(begin + end));
  };
  switch (container) {
    case Container::Mp4:
      return made("little.mp4", h264 + picture + "-map 3 -c:s mov_text -c:a aac");
    case Container::Matroska:
      return made("little.mkv", h264 + picture + "-map 3 -c:s ass -c:a libvorbis -attach " + font.string() +
                                    " -metadata:s:t mimetype=font/ttf");
    case Container::TransportStream:
      return made("little.ts", "-c:v mpeg2video -g 10 -bf 2 -c:a mp2");
    case Container::Avi:
      return made("little.avi", "-c:v mpeg4 -g 10 -c:a libmp3lame");
    case Container::Ogg:
      break;
  }
  return made("little.ogg", "-c:v libtheora -g 10 -c:a libvorbis");
}

/// One, five or fifty bytes become others; of a third of the films in their first and last two thousand.
std::string damaged(std::string bytes, unsigned seed, std::mt19937& random) {
  constexpr int kFlips[] = {1, 5, 50};
  constexpr std::size_t kHeader = 2000;
  const bool inHeaders = seed / 3 % 3 == 0 && bytes.size() > 2 * kHeader;
  for (int flips = kFlips[seed % 3]; flips > 0; --flips) {
    auto at = random() % (inHeaders ? 2 * kHeader : bytes.size());
    if (inHeaders && at >= kHeader) at += bytes.size() - 2 * kHeader;
    bytes[at] = static_cast<char>(random() % 256);
  }
  return bytes;
}

/// Our reader, our decoders, and, where `lines` says so, the subtitles of every tenth picture; nothing waits
/// for its time.
class Reel {
 public:
  Reel(const fs::path& film, int threads, bool lines)
      : m_pipeline(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))),
        m_source(gst_element_factory_make("tactusavsrc", nullptr)),
        m_sinks{addSink("video"), addSink("audio")},
        m_threads(threads),
        m_lines(lines),
        m_subtitles(subtitlesOf(m_source), {}) {
    g_object_set(m_source, "location", film.c_str(), nullptr);
    gst_bin_add(GST_BIN(m_pipeline.get()), m_source);
    g_signal_connect(m_source, "pad-added", G_CALLBACK(onPad), this);
    g_signal_connect(m_source, "no-more-pads", G_CALLBACK(onNoMorePads), this);
    g_signal_connect(m_sinks[0].get(), "handoff", G_CALLBACK(onPicture), this);
  }
  ~Reel() { gst_element_set_state(m_pipeline.get(), GST_STATE_NULL); }
  Reel(const Reel&) = delete;
  Reel& operator=(const Reel&) = delete;

  /// Each of these: false if neither it nor a failure comes.
  bool standsOnItsBeginning() {
    gst_element_set_state(m_pipeline.get(), GST_STATE_PAUSED);
    return comes(GST_MESSAGE_ASYNC_DONE);
  }
  bool seeks(Duration to, GstSeekFlags how) {
    return gst_element_seek_simple(m_source, GST_FORMAT_TIME,
                                   static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | how),
                                   to.count()) == FALSE ||
           comes(GST_MESSAGE_ASYNC_DONE);
  }
  bool playsToItsEnd() {
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
    return comes(GST_MESSAGE_EOS);
  }

 private:
  ElementPtr addSink(const char* name) {
    GstElement* sink = gst_element_factory_make("fakesink", name);
    g_object_set(sink, "sync", FALSE, "signal-handoffs", TRUE, nullptr);
    gst_bin_add(GST_BIN(m_pipeline.get()), sink);
    return share<ElementPtr>(sink);
  }

  static void onPad(GstElement*, GstPad* pad, gpointer data) {
    auto& self = *static_cast<Reel*>(data);
    GstElement* decoder = gst_element_factory_make("tactusavdec", nullptr);
    g_object_set(decoder, "max-threads", self.m_threads, nullptr);
    gst_bin_add(GST_BIN(self.m_pipeline.get()), decoder);
    const bool pictures = g_str_equal(GST_PAD_NAME(pad), "video") != FALSE;
    gst_element_link(decoder, self.m_sinks[pictures ? 0 : 1].get());
    gst_element_sync_state_with_parent(decoder);
    const PadPtr input(gst_element_get_static_pad(decoder, "sink"));
    gst_pad_link(pad, input.get());
  }

  /// A sink that gets nothing would be waited for.
  static void onNoMorePads(GstElement*, gpointer data) {
    auto& self = *static_cast<Reel*>(data);
    for (const auto& sink : self.m_sinks) {
      const PadPtr input(gst_element_get_static_pad(sink.get(), "sink"));
      if (gst_pad_is_linked(input.get()) != FALSE) continue;
      gst_element_set_locked_state(sink.get(), TRUE);
      gst_element_set_state(sink.get(), GST_STATE_NULL);
      gst_bin_remove(GST_BIN(self.m_pipeline.get()), sink.get());
    }
  }

  static void onPicture(GstElement*, GstBuffer* buffer, GstPad*, gpointer data) {
    auto& self = *static_cast<Reel*>(data);
    if (!self.m_lines || self.m_pictures++ % 10 != 0) return;
    periodic::KernelTime time;
    const auto latest = time.now() + std::chrono::seconds(10);
    const OverlayFrame frame{.width = 160, .height = 90, .sourceWidth = 160, .sourceHeight = 90};
    if (self.m_subtitles.request(Duration(static_cast<std::int64_t>(GST_BUFFER_PTS(buffer))), frame, latest))
      (void)self.m_subtitles.take(time, latest);
  }

  bool comes(GstMessageType kind) {
    if (m_failed) return true;
    const BusPtr bus(gst_element_get_bus(m_pipeline.get()));
    const MessagePtr message(gst_bus_timed_pop_filtered(
        bus.get(), kPatience, static_cast<GstMessageType>(kind | GST_MESSAGE_ERROR)));
    if (!message) return false;
    if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_ERROR) return true;
    GError* raw = nullptr;
    gst_message_parse_error(message.get(), &raw, nullptr);
    EXPECT_STRNE(ErrorPtr(raw)->message, "");
    return m_failed = true;
  }

  const ElementPtr m_pipeline;
  GstElement* const m_source;  // the pipeline owns it
  const std::array<ElementPtr, 2> m_sinks;
  const int m_threads;
  const bool m_lines;
  subtitles::SubtitleStage m_subtitles;
  int m_pictures = 0;  // the pad's thread
  bool m_failed = false;
};

constexpr unsigned kSeeds = 200, kAtOnce = 20;

class DamagedFilms : public ::testing::TestWithParam<std::tuple<Container, unsigned>> {};

TEST_P(DamagedFilms, AreReadToTheirEndOrRefusedInASentence) {
  gst_init(nullptr, nullptr);
  registerElements();
  const auto [container, first] = GetParam();
  const auto whole = filmIn(container);
  ASSERT_FALSE(whole.empty()) << "ffmpeg could not make the film";
  const auto bytes = media::testing::bytesOf(whole);
  for (unsigned seed = first; seed < first + kAtOnce; ++seed) {
    std::mt19937 random(seed);
    // It stays where it lies if the program does not come back.
    const auto path =
        fileOf("flipped" + std::to_string(seed) + whole.extension().string(), damaged(bytes, seed, random));
    Reel reel(path, 1 + static_cast<int>(seed % 2), seed % 5 == 0);
    if (seed / 9 % 4 == 0) {
      ASSERT_TRUE(reel.standsOnItsBeginning()) << path;
      for (const GstSeekFlags how : {GST_SEEK_FLAG_ACCURATE, GST_SEEK_FLAG_KEY_UNIT, GST_SEEK_FLAG_ACCURATE})
        ASSERT_TRUE(reel.seeks(std::chrono::milliseconds(random() % 1500), how)) << path;
    }
    ASSERT_TRUE(reel.playsToItsEnd()) << path << " neither plays nor fails";
    fs::remove(path);
  }
}

std::string nameOf(const ::testing::TestParamInfo<DamagedFilms::ParamType>& chosen) {
  constexpr const char* kNames[] = {"Mp4", "Matroska", "TransportStream", "Avi", "Ogg"};
  const auto [container, first] = chosen.param;
  return kNames[static_cast<int>(container)] + std::to_string(first);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DamagedFilms,
                         ::testing::Combine(::testing::Values(Container::Mp4, Container::Matroska,
                                                              Container::TransportStream, Container::Avi,
                                                              Container::Ogg),
                                            ::testing::Range(0u, kSeeds, kAtOnce)),
                         nameOf);

}  // namespace
}  // namespace tactus::plugins::av
