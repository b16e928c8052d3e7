// SPDX-License-Identifier: Apache-2.0
// tactusavsrc and tactusavdec where one song follows the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "media/playback/test_films.h"
#include "plugins/av/av_source.h"
#include "plugins/av/plays_to_its_end.h"
#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::plugins::av {
namespace {

namespace fs = std::filesystem;
using namespace media::testing;

using Sound = std::vector<std::int16_t>;

struct Heard {
  Sound samples;
  GstClockTime runs = 0;  // running time up to which all was heard
  double jump = 0;        // the longest step in it, in seconds
};

/// Samples begin to end of the sound.
fs::path part(const Sound& sound, std::size_t begin, std::size_t end, const std::string& ending) {
  return song("tone-" + std::to_string(begin) + "-" + std::to_string(end) + "." + ending,
              std::span(sound).subspan(begin, end - begin), ending == "mov" ? "-c:a alac" : "");
}

void onSound(GstElement*, GstBuffer* buffer, GstPad* pad, gpointer data) {
  auto& heard = *static_cast<Heard*>(data);
  GstEvent* event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event, &segment);
  const auto runs = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  gst_event_unref(event);
  heard.jump =
      std::max(heard.jump, std::abs(static_cast<double>(runs) - static_cast<double>(heard.runs)) / 1e9);
  heard.runs = runs + GST_BUFFER_DURATION(buffer);
  GstMapInfo map;
  if (gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) return;
  const auto* samples = reinterpret_cast<const std::int16_t*>(map.data);
  heard.samples.insert(heard.samples.end(), samples, samples + map.size / sizeof(std::int16_t));
  gst_buffer_unmap(buffer, &map);
}

class FollowingSongs : public ::testing::TestWithParam<const char*> {
 protected:
  /// Two songs, one behind the other.
  static Heard hear(const fs::path& first, const fs::path& second) {
    gst_init(nullptr, nullptr);
    registerElements();
    const std::string text = "tactusavsrc location=\"" + first.string() +
                             "\" name=s s.audio ! tactusavdec ! audioconvert ! audio/x-raw,format=S16LE ! "
                             "fakesink name=a sync=false signal-handoffs=true";
    const ElementPtr pipeline(gst_parse_launch(text.c_str(), nullptr));
    const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "a"));
    const ElementPtr source(gst_bin_get_by_name(GST_BIN(pipeline.get()), "s"));
    Heard heard;
    g_signal_connect(sink.get(), "handoff", G_CALLBACK(onSound), &heard);
    gst_element_set_state(pipeline.get(), GST_STATE_PAUSED);
    EXPECT_EQ(gst_element_get_state(pipeline.get(), nullptr, nullptr, 60 * GST_SECOND),
              GST_STATE_CHANGE_SUCCESS);
    EXPECT_TRUE(follow(source.get(), second.string(), {}));
    EXPECT_TRUE(playsToItsEnd(pipeline.get()));
    return heard;
  }
};

TEST_P(FollowingSongs, WhatEncodersPadIsNotHeardBetweenThem) {
  constexpr std::size_t kJoint = 50'001;
  Sound sound(99'999);
  for (std::size_t i = 0; i < sound.size(); ++i)
    sound[i] = static_cast<std::int16_t>(9000 * std::sin(0.0576 * static_cast<double>(i)));
  const std::string format = GetParam();
  const Heard heard = hear(part(sound, 0, kJoint, format), part(sound, kJoint, sound.size(), format));
  EXPECT_NEAR(static_cast<double>(heard.samples.size()), static_cast<double>(sound.size()), 48);
  EXPECT_LT(heard.jump, 0.001);
  std::printf("%zu of %zu samples, longest step %.6f s\n", heard.samples.size(), sound.size(), heard.jump);
}

INSTANTIATE_TEST_SUITE_P(, FollowingSongs,
                         ::testing::Values("flac", "wav", "mp3", "m4a", "ogg", "opus", "mov"),
                         [](const auto& chosen) { return std::string(chosen.param); });

}  // namespace
}  // namespace tactus::plugins::av
