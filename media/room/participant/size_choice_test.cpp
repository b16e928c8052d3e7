// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/size_choice.h"

#include <gtest/gtest.h>

#include <vector>

#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

/// A sink to which pictures of a size have come.
plugins::ElementPtr sinkOf(int width, int height) {
  gst_init(nullptr, nullptr);
  plugins::ElementPtr sink(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("fakesink", nullptr))));
  gst_element_set_state(sink.get(), GST_STATE_PAUSED);
  const plugins::PadPtr pad(gst_element_get_static_pad(sink.get(), "sink"));
  const plugins::CapsPtr caps(
      gst_caps_new_simple("video/x-raw", "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, nullptr));
  gst_pad_send_event(pad.get(), gst_event_new_stream_start("pictures"));
  gst_pad_send_event(pad.get(), gst_event_new_caps(caps.get()));
  return sink;
}

bool smallerComes(SizeChoice& choice, int width, int height) {
  const auto sink = sinkOf(width, height);
  choice.follow(sink.get());
  gst_element_set_state(sink.get(), GST_STATE_NULL);
  return choice.sizes() && choice.sizes()->smallerComes;
}

TEST(SizeChoice, WithoutALargerSizeThereIsNone) {
  SizeChoice choice(nullptr);
  EXPECT_FALSE(choice.sizes());
  choice.setLarger({640, 360});
  ASSERT_TRUE(choice.sizes());
  EXPECT_DOUBLE_EQ(choice.sizes()->share, 0.25);
  choice.setLarger({});
  EXPECT_FALSE(choice.sizes());
}

TEST(SizeChoice, WhatComesIsTheSizeThatItIsNearerTo) {
  SizeChoice choice(nullptr);
  choice.setLarger({640, 360});
  EXPECT_FALSE(choice.sizes()->smallerComes) << "nothing has come";
  EXPECT_TRUE(smallerComes(choice, 320, 180));
  EXPECT_FALSE(smallerComes(choice, 640, 360));
  EXPECT_TRUE(smallerComes(choice, 318, 178));
  EXPECT_FALSE(smallerComes(choice, 608, 342));
}

TEST(SizeChoice, IsAskedForOnceEach) {
  std::vector<bool> asked;
  SizeChoice choice([&](bool smaller) { asked.push_back(smaller); });
  for (const bool smaller : {false, true, true, false, false}) choice.ask(smaller);
  EXPECT_EQ(asked, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace tactus::media
