// SPDX-License-Identifier: Apache-2.0
// `tactuslink` with the kernel's clock and a real link. No test depends on how fast a thread answers.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "plugins/elements.h"
#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;

class LinkElement : public testing::Test {
 protected:
  void SetUp() override {
    gst_init(nullptr, nullptr);
    registerElements();
  }
  void launch(const std::string& text) {
    m_pipeline.reset(gst_parse_launch(text.c_str(), nullptr));
    ASSERT_TRUE(m_pipeline);
  }
  /// Plays to the end of the stream, or to an error, of which it returns the sentence.
  std::string play() {
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
    const BusPtr bus(gst_element_get_bus(m_pipeline.get()));
    const MessagePtr end(gst_bus_timed_pop_filtered(
        bus.get(), 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    if (!end) return "It does not end.";
    if (GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS) return "";
    GError* error = nullptr;
    gst_message_parse_error(end.get(), &error, nullptr);
    const std::string sentence = error->message;
    g_error_free(error);
    return sentence;
  }
  guint64 figure(const char* element, const char* name) {
    const ElementPtr found(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), element));
    GstStructure* stats = nullptr;
    g_object_get(found.get(), "stats", &stats, nullptr);
    const StructurePtr held(stats);
    guint64 value = 0;
    EXPECT_TRUE(gst_structure_get_uint64(stats, name, &value)) << name;
    return value;
  }
  void TearDown() override {
    if (m_pipeline) gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  }
  ElementPtr m_pipeline;
};

TEST_F(LinkElement, LetsAllBuffersPass) {
  launch(
      "fakesrc num-buffers=200 sizetype=fixed sizemax=1200 ! tactuslink name=film class=stream rate=40000000 "
      "link-rate=100000000 ! fakesink sync=false");
  EXPECT_EQ(play(), "");
  EXPECT_EQ(figure("film", "sent"), 200u);
  EXPECT_EQ(figure("film", "late"), 0u);
}

TEST_F(LinkElement, TwoElementsOfOneNameShareALink) {
  launch(
      "fakesrc num-buffers=50 sizetype=fixed sizemax=1000 ! tactuslink name=film link=shared class=stream "
      "rate=60000000 "
      "link-rate=100000000 ! fakesink sync=false "
      "fakesrc num-buffers=50 sizetype=fixed sizemax=1000 ! tactuslink name=other link=shared class=stream "
      "rate=60000000 ! fakesink sync=false");
  const std::string sentence = play();
  EXPECT_NE(sentence.find("needs 60 Mbit/s of the link 'shared'; 35 Mbit/s are left beside the 60 Mbit/s"),
            std::string::npos)
      << sentence;
}

TEST_F(LinkElement, AClassThatNeedsAContractSaysSo) {
  launch("fakesrc num-buffers=5 ! tactuslink class=audio ! fakesink sync=false");
  EXPECT_EQ(play(), "A flow of the class audio needs a contract.");
}

TEST_F(LinkElement, WhatWaitsTooLongIsDropped) {
  // A byte a second: the link is busy for minutes with the first buffer that goes.
  launch(
      "fakesrc num-buffers=20 sizetype=fixed sizemax=1000 ! tactuslink name=slow link=slow link-rate=8 "
      "deadline=5000000 ! fakesink sync=false");
  EXPECT_EQ(play(), "");
  EXPECT_LE(figure("slow", "sent"), 1u);
  EXPECT_EQ(figure("slow", "sent") + figure("slow", "late"), 20u);
}

TEST_F(LinkElement, StoppingEndsTheWaitForATurn) {
  launch(
      "fakesrc num-buffers=3 sizetype=fixed sizemax=1000 ! tactuslink name=stuck link=stuck link-rate=8 "
      "deadline=3600000000000 ! fakesink sync=false");
  gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  while (figure("stuck", "sent") == 0) std::this_thread::sleep_for(1ms);
  gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);  // and returns
  EXPECT_EQ(figure("stuck", "sent"), 1u);
}

TEST_F(LinkElement, AFlushingSeekEndsTheWaitAndTheStreamGoesOn) {
  launch(
      "videotestsrc name=source num-buffers=3 ! tactuslink name=stuck link=flushed link-rate=8 "
      "deadline=3600000000000 ! "
      "fakesink sync=false");
  gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  while (figure("stuck", "sent") == 0) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(gst_element_seek_simple(m_pipeline.get(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
}

}  // namespace
}  // namespace tactus::plugins
