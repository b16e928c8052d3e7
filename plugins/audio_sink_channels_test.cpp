// SPDX-License-Identifier: Apache-2.0
#include <gst/audio/gstaudiobasesink.h>
#include <gtest/gtest.h>

#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::plugins {
namespace {

TEST(AudioSinkChannels, OneRingAndItsRateLastWhereChannelsAndRateChange) {
  gst_init(nullptr, nullptr);
  registerElements();
  const ElementPtr pipeline(gst_parse_launch(
      "audiotestsrc num-buffers=50 samplesperbuffer=480 ! audio/x-raw,rate=48000,channels=2 ! concat "
      "name=all "
      "audiotestsrc num-buffers=50 samplesperbuffer=480 ! audio/x-raw,rate=48000,channels=6,"
      "channel-mask=(bitmask)0x3f ! all. "
      "audiotestsrc num-buffers=50 samplesperbuffer=441 ! audio/x-raw,rate=44100,channels=1 ! all. "
      "all. ! audioconvert ! audioresample ! tactusaudiosink name=sink",
      nullptr));
  ASSERT_TRUE(pipeline);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const BusPtr bus(gst_element_get_bus(pipeline.get()));
  const MessagePtr end(gst_bus_timed_pop_filtered(
      bus.get(), 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  ASSERT_TRUE(end);
  EXPECT_EQ(GST_MESSAGE_TYPE(end.get()), GST_MESSAGE_EOS);

  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
  const PadPtr input(gst_element_get_static_pad(sink.get(), "sink"));
  GstAudioInfo sound;
  const CapsPtr caps(gst_pad_get_current_caps(input.get()));
  ASSERT_TRUE(gst_audio_info_from_caps(&sound, caps.get()));
  EXPECT_EQ(GST_AUDIO_INFO_CHANNELS(&sound), 1);
  EXPECT_EQ(GST_AUDIO_INFO_RATE(&sound), 48000) << "audioresample converts, where the sink cannot";
  // 1.5 s, all through one ring: a new one counts from 0.
  const auto played = gst_audio_ring_buffer_samples_done(GST_AUDIO_BASE_SINK(sink.get())->ringbuffer);
  EXPECT_GT(played, 1.4 * 48000);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

}  // namespace
}  // namespace tactus::plugins
