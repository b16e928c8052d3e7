// SPDX-License-Identifier: Apache-2.0
#include "media/stage/decoder_gates.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/task/scheduler.h"

namespace tactus::media {
namespace {

/// Decoders are played by `identity`, which passes on what it gets.
class DecoderGatesTest : public testing::Test {
 protected:
  DecoderGatesTest() { gst_init(nullptr, nullptr); }

  plugins::ElementPtr addDecoder(periodic::Stage stage = periodic::Stage::VideoDecode) {
    plugins::ElementPtr decoder(
        GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("identity", nullptr))));
    DecoderGate::Config config;
    config.filter = std::make_shared<plugins::PictureFilter>();
    auto made = DecoderGate::create(decoder.get(), stage, adopter, std::move(config));
    created.push_back(made);
    gates.add(std::move(made));
    gst_element_set_state(decoder.get(), GST_STATE_PLAYING);
    return decoder;
  }
  static void decode(GstElement* decoder, int pictures, const char* caps) {
    const plugins::PadPtr input(gst_element_get_static_pad(decoder, "sink"));
    const plugins::CapsPtr format(gst_caps_from_string(caps));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_pad_send_event(input.get(), gst_event_new_stream_start("test"));
    gst_pad_send_event(input.get(), gst_event_new_caps(format.get()));
    gst_pad_send_event(input.get(), gst_event_new_segment(&segment));
    for (int i = 0; i < pictures; ++i) (void)gst_pad_chain(input.get(), gst_buffer_new());
  }
  void take(plugins::ElementPtr decoder) {
    gst_element_set_state(decoder.get(), GST_STATE_NULL);
    gates.remove(decoder.get());
  }

  periodic::KernelTime time;
  periodic::TraceLog trace;
  std::unique_ptr<periodic::KernelClassGate> gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler scheduler{time, *gate, trace};
  StageAdopter adopter{scheduler, ""};
  DecoderGates gates;
  std::vector<std::weak_ptr<DecoderGate>> created;
};

TEST_F(DecoderGatesTest, ADecoderThatLeavesTakesItsGateAlong) {
  auto first = addDecoder();
  auto second = addDecoder(periodic::Stage::AudioDecode);
  EXPECT_FALSE(created[0].expired());
  take(std::move(first));
  EXPECT_TRUE(created[0].expired());
  EXPECT_FALSE(created[1].expired());
  take(std::move(second));
  EXPECT_TRUE(created[1].expired());
}

TEST_F(DecoderGatesTest, WhatAGoneDecoderCountedStays) {
  auto first = addDecoder();
  decode(first.get(), 3, "video/x-test, framerate=25/1");
  EXPECT_EQ(gates.counts().decoded, 3u);
  EXPECT_DOUBLE_EQ(gates.nominalRate(), 25);
  take(std::move(first));
  EXPECT_EQ(gates.counts().decoded, 3u);
  EXPECT_DOUBLE_EQ(gates.nominalRate(), 25);
  auto second = addDecoder();
  decode(second.get(), 2, "video/x-test, framerate=50/1");
  EXPECT_EQ(gates.counts().decoded, 5u);
  EXPECT_DOUBLE_EQ(gates.nominalRate(), 50);
  take(std::move(second));
}

TEST_F(DecoderGatesTest, SoundCountsNoPictures) {
  auto decoder = addDecoder(periodic::Stage::AudioDecode);
  decode(decoder.get(), 3, "audio/x-test");
  EXPECT_EQ(gates.counts().decoded, 0u);
  take(std::move(decoder));
}

TEST_F(DecoderGatesTest, ADecoderThatComesLaterIsInTheLastStageToo) {
  gates.setKeyframesOnly(true);
  gates.setPlaying(true);
  auto decoder = addDecoder();
  const plugins::PadPtr input(gst_element_get_static_pad(decoder.get(), "sink"));
  decode(decoder.get(), 1, "video/x-test, framerate=25/1");
  GstBuffer* delta = gst_buffer_new();
  GST_BUFFER_FLAG_SET(delta, GST_BUFFER_FLAG_DELTA_UNIT);
  (void)gst_pad_chain(input.get(), delta);
  EXPECT_EQ(gates.counts().decoded, 1u);
  EXPECT_EQ(gates.counts().toKeyframe, 1u);
  take(std::move(decoder));
}

}  // namespace
}  // namespace tactus::media
