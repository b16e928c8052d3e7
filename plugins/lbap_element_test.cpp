// SPDX-License-Identifier: Apache-2.0
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

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
  /// Plays to the end of the stream; how long it took.
  Clock::duration play() {
    const auto begin = Clock::now();
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
    const BusPtr bus(gst_element_get_bus(m_pipeline.get()));
    const MessagePtr end(gst_bus_timed_pop_filtered(
        bus.get(), 10 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    EXPECT_TRUE(end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS);
    return Clock::now() - begin;
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

  ElementPtr m_pipeline;
  ElementPtr m_regulator;
};

TEST_F(LbapElement, PassesTenPacketsAtFiftyPerSecondInNineLogicalPeriods) {
  launch("fakesrc num-buffers=10 ! tactuslbap name=regulator rate=50/1 ! fakesink sync=false");
  const auto took = play();
  EXPECT_GE(took, 180ms);
  EXPECT_LT(took, 1s);
  EXPECT_EQ(figure("packets"), 10u);
  // On a busy machine a packet may come late, and then need not wait.
  EXPECT_GE(figure("violations"), 5u);
  EXPECT_LE(figure("violations"), 9u);
  EXPECT_GE(figure("waited"), 80'000'000u);
}

TEST_F(LbapElement, WorkaheadLetsThatManyPassWithoutWaiting) {
  launch("fakesrc num-buffers=10 ! tactuslbap name=regulator rate=50/1 workahead=10 ! fakesink sync=false");
  play();
  EXPECT_EQ(figure("packets"), 10u);
  EXPECT_EQ(figure("violations"), 0u);
  EXPECT_EQ(figure("waited"), 0u);
}

TEST_F(LbapElement, DropsTheExcessWhenToldTo) {
  launch(
      "fakesrc num-buffers=10 ! tactuslbap name=regulator rate=1/10 workahead=3 drop=true ! fakesink "
      "sync=false");
  play();
  EXPECT_EQ(figure("packets"), 3u);
  EXPECT_EQ(figure("dropped"), 7u);
}

TEST_F(LbapElement, TakesTheRateFromTheCaps) {
  launch(
      "videotestsrc num-buffers=6 ! video/x-raw,width=16,height=16,framerate=25/1 ! tactuslbap "
      "name=regulator ! "
      "fakesink sync=false");
  const auto took = play();
  EXPECT_GE(took, 200ms);
  EXPECT_LT(took, 1s);
  EXPECT_GE(figure("violations"), 2u);
  EXPECT_LE(figure("violations"), 5u);
}

TEST_F(LbapElement, TakesThePaceFromTimestampsWhereNothingElseSaysIt) {
  launch(
      "audiotestsrc num-buffers=11 samplesperbuffer=960 ! audio/x-raw,rate=48000 ! tactuslbap name=regulator "
      "! "
      "fakesink sync=false");
  const auto took = play();
  EXPECT_GE(took, 200ms);  // 10 spacings of 20 ms
  EXPECT_LT(took, 1s);
}

TEST_F(LbapElement, StoppingEndsALongWaitAtOnce) {
  launch("fakesrc ! tactuslbap name=regulator rate=1/3600 ! fakesink sync=false");
  gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 5 * GST_SECOND);
  std::this_thread::sleep_for(50ms);  // into the wait for the second packet
  const auto begin = Clock::now();
  gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  EXPECT_LT(Clock::now() - begin, 500ms);
}

TEST_F(LbapElement, AFlushEndsALongWaitAtOnce) {
  launch("videotestsrc ! tactuslbap name=regulator rate=1/3600 workahead=2 ! fakesink sync=false");
  gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 5 * GST_SECOND);
  std::this_thread::sleep_for(50ms);
  const auto begin = Clock::now();
  EXPECT_TRUE(gst_element_seek_simple(m_pipeline.get(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SECOND));
  gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 5 * GST_SECOND);
  EXPECT_LT(Clock::now() - begin, 1s);
  EXPECT_GE(figure("packets"), 3u);
}

}  // namespace
}  // namespace tactus::plugins
