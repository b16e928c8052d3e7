// SPDX-License-Identifier: Apache-2.0
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "core/periodic/simulation/virtual_time.h"
#include "plugins/elements.h"
#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;

class LbapElement : public testing::Test {
 protected:
  void SetUp() override {
    gst_init(nullptr, nullptr);
    registerElements();
  }

  void launch(const std::string& text) {
    m_pipeline.reset(gst_parse_launch(text.c_str(), nullptr));
    ASSERT_TRUE(m_pipeline);
    m_regulator.reset(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "regulator"));
  }
  /// Plays to the end of the stream in virtual time; how long it took.
  periodic::Duration play() {
    setRegulatorTime(m_regulator.get(), m_time);
    const auto begin = m_time.now();
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
    const BusPtr bus(gst_element_get_bus(m_pipeline.get()));
    const MessagePtr end(gst_bus_timed_pop_filtered(
        bus.get(), 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    EXPECT_TRUE(end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS);
    return m_time.now() - begin;
  }
  /// Plays by the kernel's clocks until a packet waits.
  void untilItWaits() {
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
    for (int look = 0; look < 6000 && figure("violations") == 0; ++look) std::this_thread::sleep_for(10ms);
    ASSERT_EQ(figure("violations"), 1u);
  }
  guint64 figure(const char* name) {
    GstStructure* stats = nullptr;
    g_object_get(m_regulator.get(), "stats", &stats, nullptr);
    const StructurePtr held(stats);
    guint64 value = 0;
    EXPECT_TRUE(gst_structure_get_uint64(stats, name, &value)) << name;
    return value;
  }
  void TearDown() override {
    if (m_pipeline) gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  }

  periodic::VirtualTime m_time;  // the streaming thread's while it plays
  ElementPtr m_pipeline;
  ElementPtr m_regulator;
};

TEST_F(LbapElement, PassesTenPacketsAtFiftyPerSecondInNineLogicalPeriods) {
  launch("fakesrc num-buffers=10 ! tactuslbap name=regulator rate=50/1 ! fakesink sync=false");
  EXPECT_EQ(play(), 180ms);
  EXPECT_EQ(figure("packets"), 10u);
  EXPECT_EQ(figure("violations"), 9u);
  EXPECT_EQ(figure("misses"), 0u);
  EXPECT_EQ(figure("waited"), 180'000'000u);
}

TEST_F(LbapElement, WorkaheadLetsThatManyPassWithoutWaiting) {
  launch("fakesrc num-buffers=10 ! tactuslbap name=regulator rate=50/1 workahead=10 ! fakesink sync=false");
  EXPECT_EQ(play(), 0ms);
  EXPECT_EQ(figure("packets"), 10u);
  EXPECT_EQ(figure("violations"), 0u);
  EXPECT_EQ(figure("waited"), 0u);
}

TEST_F(LbapElement, DropsTheExcessWhenToldTo) {
  launch(
      "fakesrc num-buffers=10 ! tactuslbap name=regulator rate=1/10 workahead=3 drop=true ! fakesink "
      "sync=false");
  EXPECT_EQ(play(), 0ms);
  EXPECT_EQ(figure("packets"), 3u);
  EXPECT_EQ(figure("dropped"), 7u);
}

TEST_F(LbapElement, TakesTheRateFromTheCaps) {
  launch(
      "videotestsrc num-buffers=6 ! video/x-raw,width=16,height=16,framerate=25/1 ! tactuslbap "
      "name=regulator ! "
      "fakesink sync=false");
  EXPECT_EQ(play(), 200ms);
  EXPECT_EQ(figure("violations"), 5u);
}

TEST_F(LbapElement, TakesThePaceFromTimestampsWhereNothingElseSaysIt) {
  launch(
      "audiotestsrc num-buffers=11 samplesperbuffer=960 ! audio/x-raw,rate=48000 ! tactuslbap name=regulator "
      "! "
      "fakesink sync=false");
  EXPECT_EQ(play(), 200ms);  // 10 spacings of 20 ms
}

TEST_F(LbapElement, StoppingEndsALongWaitAtOnce) {
  launch("fakesrc ! tactuslbap name=regulator rate=1/3600 ! fakesink sync=false");
  untilItWaits();
  gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);  // would last an hour
}

TEST_F(LbapElement, AFlushEndsALongWaitAtOnce) {
  launch("videotestsrc ! tactuslbap name=regulator rate=1/3600 workahead=2 ! fakesink sync=false");
  untilItWaits();
  const auto before = figure("packets");
  EXPECT_TRUE(gst_element_seek_simple(m_pipeline.get(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SECOND));
  EXPECT_EQ(gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 60 * GST_SECOND),
            GST_STATE_CHANGE_SUCCESS);
  EXPECT_GT(figure("packets"), before);
}

}  // namespace
}  // namespace tactus::plugins
