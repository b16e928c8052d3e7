// SPDX-License-Identifier: Apache-2.0
// tactusavsrc and tactusavdec together, as gst-launch-1.0 would use them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "media/playback/test_films.h"
#include "plugins/av/plays_to_its_end.h"
#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::plugins::av {
namespace {

using media::testing::numberedFilm;

struct Seen {
  std::vector<GstClockTime> begins, ends;
  std::vector<int> numbers;  // that the pictures carry
};

/// numberedFilm's columns are the bits of the picture's number.
int numberOf(GstBuffer* buffer, const GstVideoInfo& info) {
  GstVideoFrame frame;
  if (gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) == FALSE) return -1;
  const auto* line = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                     120 * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
  int number = 0;
  for (int bit = 0; bit < 10; ++bit)
    if (line[bit * 32 + 16] > 125) number |= 1 << bit;
  gst_video_frame_unmap(&frame);
  return number;
}

class Played {
 public:
  explicit Played(const std::string& path, const std::string& tail = "") {
    gst_init(nullptr, nullptr);
    registerElements();
    const std::string text =
        "tactusavsrc name=s location=\"" + path +
        "\" s.video ! tactusavdec max-threads=2 ! fakesink name=v sync=false signal-handoffs=true" + tail;
    m_pipeline.reset(gst_parse_launch(text.c_str(), nullptr));
    const ElementPtr sink(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "v"));
    g_signal_connect(sink.get(), "handoff", G_CALLBACK(onPicture), &m_seen);
  }
  ~Played() { gst_element_set_state(m_pipeline.get(), GST_STATE_NULL); }
  Played(const Played&) = delete;
  Played& operator=(const Played&) = delete;

  GstElement* pipeline() { return m_pipeline.get(); }
  /// The message that ended it, or the one asked for.
  MessagePtr until(GstMessageType type) {
    const BusPtr bus(gst_element_get_bus(m_pipeline.get()));
    return MessagePtr(gst_bus_timed_pop_filtered(bus.get(), 60 * GST_SECOND,
                                                 static_cast<GstMessageType>(type | GST_MESSAGE_ERROR)));
  }
  const Seen& play() {
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
    const MessagePtr end = until(GST_MESSAGE_EOS);
    EXPECT_TRUE(end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS);
    return m_seen;
  }
  Seen& seen() { return m_seen; }
  /// What is seen from the first picture on that a seek brought while it stood.
  const Seen& playFrom(int picture, GstSeekFlags how) {
    gst_element_set_state(pipeline(), GST_STATE_PAUSED);
    EXPECT_TRUE(until(GST_MESSAGE_ASYNC_DONE));
    m_seen = {};
    EXPECT_TRUE(gst_element_seek_simple(pipeline(), GST_FORMAT_TIME,
                                        static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | how),
                                        picture * 40 * GST_MSECOND));
    EXPECT_TRUE(until(GST_MESSAGE_ASYNC_DONE));
    return play();
  }

 private:
  static void onPicture(GstElement*, GstBuffer* buffer, GstPad* pad, gpointer data) {
    auto& seen = *static_cast<Seen*>(data);
    seen.begins.push_back(GST_BUFFER_PTS(buffer));
    seen.ends.push_back(GST_BUFFER_PTS(buffer) + GST_BUFFER_DURATION(buffer));
    const CapsPtr caps(gst_pad_get_current_caps(pad));
    GstVideoInfo info;
    seen.numbers.push_back(
        caps && gst_video_info_from_caps(&info, caps.get()) != FALSE ? numberOf(buffer, info) : -1);
  }
  ElementPtr m_pipeline;
  Seen m_seen;
};

TEST(AvElements, EveryPictureComesOnceInItsOrderAndAtItsTime) {
  Played played(numberedFilm(75).string());
  const Seen& seen = played.play();
  ASSERT_EQ(seen.begins.size(), 75u);
  for (std::size_t i = 0; i < 75; ++i) {
    EXPECT_EQ(seen.begins[i], i * 40 * GST_MSECOND);
    EXPECT_EQ(seen.ends[i], (i + 1) * 40 * GST_MSECOND);
    EXPECT_EQ(seen.numbers[i], static_cast<int>(i));
  }
}

TEST(AvElements, SoundComesWhole) {
  gst_init(nullptr, nullptr);
  registerElements();
  const std::string text =
      "tactusavsrc location=\"" + numberedFilm(75).string() +
      "\" name=s s.audio ! tactusavdec ! audio/x-raw ! fakesink name=a sync=false signal-handoffs=true";
  const ElementPtr pipeline(gst_parse_launch(text.c_str(), nullptr));
  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "a"));
  GstClockTime length = 0;
  const auto heard = +[](GstElement*, GstBuffer* buffer, GstPad*, gpointer sum) {
    *static_cast<GstClockTime*>(sum) += GST_BUFFER_DURATION(buffer);
  };
  g_signal_connect(sink.get(), "handoff", G_CALLBACK(heard), &length);
  EXPECT_TRUE(playsToItsEnd(pipeline.get()));
  EXPECT_NEAR(static_cast<double>(length), 3.0 * GST_SECOND, 1e6);
}

TEST(AvElements, AnExactSeekBringsTheVeryPicture) {
  Played played(numberedFilm(75).string());
  // What comes before is decoded, and clipped by who shows it.
  const Seen& seen = played.playFrom(61, GST_SEEK_FLAG_ACCURATE);
  ASSERT_FALSE(seen.numbers.empty());
  EXPECT_EQ(seen.numbers.back(), 74);
  EXPECT_EQ(seen.numbers.front(), 61);
}

TEST(AvElements, OfManySeeksTheLastHolds) {
  Played played(numberedFilm(75).string());
  gst_element_set_state(played.pipeline(), GST_STATE_PAUSED);
  ASSERT_TRUE(played.until(GST_MESSAGE_ASYNC_DONE));
  const ElementPtr source(gst_bin_get_by_name(GST_BIN(played.pipeline()), "s"));
  for (int i = 0; i < 60; ++i) {
    const int flags = GST_SEEK_FLAG_FLUSH | (i % 2 == 0 ? GST_SEEK_FLAG_KEY_UNIT : GST_SEEK_FLAG_ACCURATE);
    // To the source itself: GStreamer refuses one that comes through a flush.
    ASSERT_TRUE(gst_element_seek_simple(source.get(), GST_FORMAT_TIME, static_cast<GstSeekFlags>(flags),
                                        static_cast<gint64>((i * 37) % 75) * 40 * GST_MSECOND));
  }
  ASSERT_EQ(gst_element_get_state(played.pipeline(), nullptr, nullptr, 60 * GST_SECOND),
            GST_STATE_CHANGE_SUCCESS);
  played.seen() = {};
  played.play();
  ASSERT_FALSE(played.seen().numbers.empty());
  EXPECT_EQ(played.seen().numbers.front(), 59 * 37 % 75);
  EXPECT_EQ(played.seen().numbers.back(), 74);
}

TEST(AvElements, AKeyframeSeekBeginsAtTheKeyframeBefore) {
  Played played(numberedFilm(75).string());
  const Seen& seen = played.playFrom(61, GST_SEEK_FLAG_KEY_UNIT);
  ASSERT_FALSE(seen.numbers.empty());
  EXPECT_EQ(seen.numbers.front(), 50);
}

TEST(AvElements, WhatIsNoFilmIsRefusedWithASentence) {
  Played played(media::testing::fileOf("text.mp4", std::string(20'000, 'x')).string());
  gst_element_set_state(played.pipeline(), GST_STATE_PLAYING);
  const MessagePtr end = played.until(GST_MESSAGE_EOS);
  ASSERT_TRUE(end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_ERROR);
  GError* error = nullptr;
  gst_message_parse_error(end.get(), &error, nullptr);
  const ErrorPtr held(error);
  EXPECT_NE(std::string(error->message).find("text.mp4"), std::string::npos) << error->message;
}

TEST(AvElements, AnInterruptedOpeningEndsAtOnce) {
  // Nobody writes into the pipe.
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe(ends), 0);
  {
    Played played("fd://" + std::to_string(ends[0]));
    gst_element_set_state(played.pipeline(), GST_STATE_PLAYING);
  }
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace tactus::plugins::av
