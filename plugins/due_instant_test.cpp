// SPDX-License-Identifier: Apache-2.0
#include "plugins/due_instant.h"

#include <gst/check/gsttestclock.h>
#include <gtest/gtest.h>

#include "core/periodic/simulation/virtual_time.h"
#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;

class DueInstant : public testing::Test {
 protected:
  void SetUp() override {
    gst_init(nullptr, nullptr);
    registerElements();
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.stop = 10 * GST_SECOND;
  }
  static BufferPtr picture(GstClockTime stamp, GstClockTime duration) {
    BufferPtr buffer(gst_buffer_new());
    GST_BUFFER_PTS(buffer.get()) = stamp;
    GST_BUFFER_DURATION(buffer.get()) = duration;
    return buffer;
  }
  static ElementPtr sink() {
    return ElementPtr(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("tactusvideosink", nullptr))));
  }
  GstSegment segment{};
};

// The pipeline's clock reads 100 s at 7 s of CLOCK_MONOTONIC.
constexpr ClockReading kClocks{100s, TimePoint{7s}};

TEST_F(DueInstant, IsBaseTimePlusRunningTimeMovedToTheMonotonicClock) {
  EXPECT_EQ(dueInstant(1500ms, {.baseTime = 99s}, kClocks), TimePoint{7500ms});
  EXPECT_EQ(dueInstant(0ms, {.baseTime = 99s}, kClocks), TimePoint{6s});  // due a second ago
}

TEST_F(DueInstant, ALiveStreamsLatencyIsAdded) {
  EXPECT_EQ(dueInstant(1500ms, {.baseTime = 99s, .latency = 2s}, kClocks), TimePoint{9500ms});
}

TEST_F(DueInstant, TheOffsetIsAddedAndTheRenderDelaySubtracted) {
  EXPECT_EQ(
      dueInstant(1500ms, {.baseTime = 99s, .latency = 2s, .offset = 300ms, .renderDelay = 40ms}, kClocks),
      TimePoint{9760ms});
  EXPECT_EQ(dueInstant(1500ms, {.baseTime = 99s, .offset = -300ms}, kClocks), TimePoint{7200ms});
}

TEST_F(DueInstant, ForwardsAPictureBeginsAtItsStamp) {
  segment.start = 2 * GST_SECOND;
  segment.rate = 2;
  EXPECT_EQ(runningTimeOf(segment, picture(3 * GST_SECOND, 40 * GST_MSECOND).get()), Duration(500ms));
}

TEST_F(DueInstant, BackwardsAPictureBeginsWhereItEnds) {
  segment.rate = -1;
  EXPECT_EQ(runningTimeOf(segment, picture(7 * GST_SECOND, 40 * GST_MSECOND).get()), Duration(2960ms));
  segment.rate = -2;
  EXPECT_EQ(runningTimeOf(segment, picture(7 * GST_SECOND, 40 * GST_MSECOND).get()), Duration(1480ms));
}

TEST_F(DueInstant, WithoutAStampOrOutsideTheSegmentThereIsNoRunningTime) {
  EXPECT_EQ(runningTimeOf(segment, picture(GST_CLOCK_TIME_NONE, 0).get()), std::nullopt);
  segment.start = 2 * GST_SECOND;
  EXPECT_EQ(runningTimeOf(segment, picture(1 * GST_SECOND, 0).get()), std::nullopt);
  gst_segment_init(&segment, GST_FORMAT_BYTES);
  EXPECT_EQ(runningTimeOf(segment, picture(1 * GST_SECOND, 0).get()), std::nullopt);
}

TEST_F(DueInstant, WithoutAClockNothingIsDue) {
  const ElementPtr element = sink();
  periodic::VirtualTime time;
  EXPECT_EQ(dueInstant(element.get(), 1s, time), std::nullopt);
}

TEST_F(DueInstant, ASinkIsAskedForAllOfItsTiming) {
  const ElementPtr element = sink();
  gst_element_set_base_time(element.get(), 99 * GST_SECOND);
  g_object_set(element.get(), "ts-offset", gint64{300'000'000}, "render-delay", guint64{40'000'000}, nullptr);
  gst_element_send_event(element.get(), gst_event_new_latency(2 * GST_SECOND));
  const auto timing = timingOf(element.get());
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->baseTime, 99s);
  EXPECT_EQ(timing->latency, 2s);
  EXPECT_EQ(timing->offset, 300ms);
  EXPECT_EQ(timing->renderDelay, 40ms);
}

TEST_F(DueInstant, TheLatencyMovesWhatASinkSaysByAsMuch) {
  const ElementPtr element = sink();
  const ClockPtr clock(gst_test_clock_new());
  gst_element_set_clock(element.get(), clock.get());
  periodic::VirtualTime time;
  const auto before = dueInstant(element.get(), 1s, time);
  gst_element_send_event(element.get(), gst_event_new_latency(3600 * GST_SECOND));
  const auto after = dueInstant(element.get(), 1s, time);
  EXPECT_EQ(before, time.now() + 1s);
  EXPECT_EQ(after, time.now() + 1s + 1h);
}

}  // namespace
}  // namespace tactus::plugins
