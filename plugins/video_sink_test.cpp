// SPDX-License-Identifier: Apache-2.0
#include "plugins/video_sink.h"

#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/periodic/task/scheduler.h"
#include "plugins/cranked_clock.h"
#include "plugins/gst_handle.h"
#include "plugins/picture_exchange.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

/// A window that shows every picture at once, and writes down what it was handed and when.
class RecordingTarget final : public VideoTarget {
 public:
  explicit RecordingTarget(testing::CrankedClock& time, bool rgb32 = true) : m_time(time), m_rgb32(rgb32) {}
  bool wantsRgb32() const noexcept override { return m_rgb32; }
  void format(const PictureFormat& picture, const GstVideoInfo& info) override {
    const std::lock_guard lock(m_mutex);
    formats.push_back(picture);
    layout = GST_VIDEO_INFO_FORMAT(&info);
    m_exchange.resize(picture.convertedWidth, picture.convertedHeight);
  }
  PictureRoom room() const noexcept override { return roomForPictures; }
  Rgb32View beginRgb32() noexcept override { return m_exchange.begin(); }
  bool presentRgb32(TimePoint due) noexcept override {
    const bool replaced = m_exchange.publish(due);
    record();
    PictureExchange::Taken taken;
    if (!draws || !m_exchange.take(taken)) return replaced;
    const std::lock_guard lock(m_mutex);
    last = taken.view;
    return replaced;
  }
  bool presentPlanar(GstBuffer*, TimePoint) noexcept override {
    record();
    return false;
  }
  std::uint64_t shown() const noexcept override { return m_exchange.taken(); }
  void clear() noexcept override {}

  std::size_t presented() {
    const std::lock_guard lock(m_mutex);
    return shownAt.size();
  }
  /// Whether so many came.
  bool waitFor(std::size_t pictures) {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, 60s, [&] { return shownAt.size() >= pictures; });
  }

  std::function<periodic::Duration(std::size_t)> takes;  // how long each picture takes, by its number
  bool draws = true;
  PictureRoom roomForPictures;  // before the first frame, or between two
  std::vector<PictureFormat> formats;
  GstVideoFormat layout = GST_VIDEO_FORMAT_UNKNOWN;
  std::vector<periodic::Duration> shownAt;  // on the pipeline's clock
  Rgb32View last;

 private:
  void record() {
    {
      const std::lock_guard lock(m_mutex);
      shownAt.push_back(m_time.reading());
      if (takes) m_time.advance(takes(shownAt.size() - 1));
    }
    m_changed.notify_all();
  }
  testing::CrankedClock& m_time;
  const bool m_rgb32;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  PictureExchange m_exchange;
};

class VideoSink : public ::testing::Test {
 protected:
  void SetUp() override {
    gst_init(nullptr, nullptr);
    registerElements();
  }
  void launch(const std::string& text, std::shared_ptr<VideoTarget> target) {
    m_pipeline.reset(gst_parse_launch((text + " ! tactusvideosink name=sink").c_str(), nullptr));
    ASSERT_TRUE(m_pipeline);
    m_sink.reset(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "sink"));
    setVideoTarget(m_sink.get(), std::move(target));
    gst_pipeline_use_clock(GST_PIPELINE(m_pipeline.get()), m_time.clock().get());
  }
  [[nodiscard]] std::shared_ptr<RecordingTarget> makeTarget(bool rgb32 = true) {
    return std::make_shared<RecordingTarget>(m_time, rgb32);
  }
  void set(GstState state) {
    gst_element_set_state(m_pipeline.get(), state);
    EXPECT_EQ(gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 60 * GST_SECOND),
              GST_STATE_CHANGE_SUCCESS);
  }
  void playToTheEnd() {
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
    const BusPtr bus(gst_element_get_bus(m_pipeline.get()));
    const MessagePtr end(gst_bus_timed_pop_filtered(
        bus.get(), 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    EXPECT_TRUE(end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS);
  }
  std::uint64_t dropped(DropReason reason) {
    return videoSinkStatistics(m_sink.get()).dropped[static_cast<std::size_t>(reason)];
  }
  std::uint64_t allScaled() {
    const auto scaled = videoSinkStatistics(m_sink.get()).scaled;
    return std::accumulate(scaled.begin(), scaled.end(), std::uint64_t{0});
  }
  void TearDown() override {
    if (m_pipeline) gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  }

  testing::CrankedClock m_time;
  ElementPtr m_pipeline;
  ElementPtr m_sink;
};

const std::string kThirtyFrames =
    "videotestsrc num-buffers=30 ! video/x-raw,format=I420,width=320,height=240,framerate=50/1";

TEST_F(VideoSink, HandsOverEveryFrameOnceAndAtItsTime) {
  const auto target = makeTarget();
  launch(kThirtyFrames, target);
  playToTheEnd();
  const auto figures = videoSinkStatistics(m_sink.get());
  EXPECT_EQ(figures.framesIn, 30u);
  EXPECT_EQ(figures.submitted, 30u);
  for (const auto count : figures.dropped) EXPECT_EQ(count, 0u);
  ASSERT_EQ(target->shownAt.size(), 30u);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(target->shownAt[i], i * 20ms);
}

TEST_F(VideoSink, CountsFramesAsHiddenWithoutATarget) {
  launch(kThirtyFrames, nullptr);
  playToTheEnd();
  EXPECT_EQ(videoSinkStatistics(m_sink.get()).submitted, 0u);
  EXPECT_EQ(dropped(DropReason::Hidden), 30u);
}

TEST_F(VideoSink, CountsAPictureThatWasNotTakenAsReplaced) {
  const auto target = makeTarget();
  target->draws = false;
  launch(kThirtyFrames, target);
  playToTheEnd();
  EXPECT_EQ(videoSinkStatistics(m_sink.get()).submitted, 30u);
  EXPECT_EQ(dropped(DropReason::Replaced), 29u);
}

TEST_F(VideoSink, CountsFramesThatComeTooLate) {
  const auto target = makeTarget();
  launch(kThirtyFrames, target);
  // The next four are 90, 70, 50 and 30 ms late, where 40 are allowed.
  target->takes = [](std::size_t picture) { return picture == 9 ? 110ms : 0ms; };
  playToTheEnd();
  const auto figures = videoSinkStatistics(m_sink.get());
  EXPECT_EQ(figures.framesIn, 30u);
  EXPECT_EQ(dropped(DropReason::LateAtSink), 3u);
  EXPECT_EQ(figures.submitted, 27u);
}

TEST_F(VideoSink, ConvertsToTheRoomThatTheTargetHas) {
  const auto target = makeTarget();
  target->roomForPictures = {80, 200};
  launch(kThirtyFrames, target);
  playToTheEnd();
  EXPECT_EQ(target->last.width, 80);
  EXPECT_EQ(target->last.height, 60);
  EXPECT_EQ(allScaled(), 30u);
}

TEST_F(VideoSink, ConvertsToAShareOfTheRoomThatAHandlerAllows) {
  const auto filter = std::make_shared<PictureFilter>();
  filter->setSize(0.5);
  const auto target = makeTarget();
  launch(kThirtyFrames, target);
  setPictureFilter(m_sink.get(), filter);
  playToTheEnd();
  const PictureFormat& format = target->formats.back();
  EXPECT_EQ(target->last.width, format.width / 2);
  EXPECT_EQ(target->last.height, format.height / 2);
  EXPECT_EQ(allScaled(), 30u);
}

TEST_F(VideoSink, ScalesBetterWhereThereIsTime) {
  const auto target = makeTarget();
  target->roomForPictures = {80, 200};
  // So many that one conversion in which the machine did something else is forgotten.
  launch("videotestsrc num-buffers=120 ! video/x-raw,format=I420,width=320,height=240,framerate=40/1",
         target);
  playToTheEnd();
  EXPECT_GT(allScaled() - videoSinkStatistics(m_sink.get()).scaled[0], 60u);
}

TEST_F(VideoSink, ScalesFastWhenThereIsNoTime) {
  const auto target = makeTarget();
  target->roomForPictures = {80, 200};
  launch(kThirtyFrames, target);
  // All but the first two are 30 ms late.
  target->takes = [](std::size_t picture) { return picture == 0 ? 0ms : picture == 1 ? 50ms : 20ms; };
  playToTheEnd();
  const auto figures = videoSinkStatistics(m_sink.get());
  EXPECT_EQ(figures.submitted, 30u);
  EXPECT_EQ(allScaled(), 30u);
  EXPECT_GE(figures.scaled[0], 28u);
}

TEST_F(VideoSink, SnapshotIsThePictureInItsOwnSize) {
  const auto target = makeTarget();
  target->roomForPictures = {80, 200};
  launch(kThirtyFrames, target);
  EXPECT_FALSE(snapshot(m_sink.get()).ok());
  playToTheEnd();
  const auto picture = snapshot(m_sink.get());
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture.value().width, target->formats.back().width);
  EXPECT_EQ(picture.value().height, target->formats.back().height);
}

TEST_F(VideoSink, ShowsTheNewFrameOfASeekWhilePaused) {
  const auto target = makeTarget();
  std::vector<std::int64_t> shown;
  launch("videotestsrc ! video/x-raw,width=64,height=64,framerate=25/1", target);
  setFrameShownCallback(m_sink.get(), [&](FrameSpan span) { shown.push_back(span.begin); });
  set(GST_STATE_PAUSED);
  EXPECT_EQ(target->presented(), 1u);
  EXPECT_EQ(videoSinkStatistics(m_sink.get()).submitted, 0u);
  gst_element_seek_simple(m_pipeline.get(), GST_FORMAT_TIME,
                          static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                          8 * GST_SECOND);
  gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 60 * GST_SECOND);
  EXPECT_EQ(target->presented(), 2u);
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[1], static_cast<std::int64_t>(8 * GST_SECOND));
  m_time.holdAt(100ms);
  set(GST_STATE_PLAYING);
  ASSERT_TRUE(target->waitFor(4));
  set(GST_STATE_PAUSED);  // what waited for 120 ms is shown now
  EXPECT_EQ(videoSinkStatistics(m_sink.get()).submitted, 3u);
  EXPECT_EQ(target->shownAt, (std::vector<periodic::Duration>{0ms, 0ms, 40ms, 80ms, 80ms}));
  EXPECT_EQ(dropped(DropReason::LateAtSink), 0u);
}

TEST_F(VideoSink, AStepWhilePausedShowsTheNextFrame) {
  const auto target = makeTarget();
  std::vector<std::int64_t> shown;
  launch("videotestsrc ! video/x-raw,width=64,height=64,framerate=25/1", target);
  setFrameShownCallback(m_sink.get(), [&](FrameSpan span) { shown.push_back(span.begin); });
  set(GST_STATE_PAUSED);
  for (int step = 0; step < 3; ++step) {
    gst_element_send_event(m_sink.get(), gst_event_new_step(GST_FORMAT_BUFFERS, 1, 1.0, TRUE, FALSE));
    gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 60 * GST_SECOND);
  }
  EXPECT_EQ(shown, (std::vector<std::int64_t>{0, 40'000'000, 80'000'000, 120'000'000}));
  EXPECT_EQ(dropped(DropReason::LateAtSink), 0u);
}

TEST_F(VideoSink, ConvertsForTheTargetThatCameLast) {
  const auto first = makeTarget();
  const auto second = makeTarget();
  launch("videotestsrc ! video/x-raw,width=64,height=64,framerate=50/1", first);
  set(GST_STATE_PLAYING);
  EXPECT_TRUE(first->waitFor(2));
  setVideoTarget(m_sink.get(), second);
  EXPECT_TRUE(second->waitFor(2));
  setVideoTarget(m_sink.get(), nullptr);
  for (int look = 0; dropped(DropReason::Hidden) == 0 && look < 6000; ++look) {
    std::this_thread::sleep_for(10ms);
  }
  gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  EXPECT_GE(dropped(DropReason::Hidden), 1u);
  EXPECT_EQ(second->formats.size(), 1u);
}

TEST_F(VideoSink, TurnsThePictureAsItsTagsSay) {
  const auto target = makeTarget();
  launch(
      "videotestsrc num-buffers=2 ! video/x-raw,width=64,height=32 ! taginject "
      "tags=\"image-orientation=rotate-90\"",
      target);
  playToTheEnd();
  ASSERT_FALSE(target->formats.empty());
  EXPECT_EQ(target->formats.back().orientation, (Orientation{90, false}));
  EXPECT_EQ(target->last.width, 32);
  EXPECT_EQ(target->last.height, 64);
}

TEST_F(VideoSink, APlanarTargetGetsPlanarFrames) {
  const auto target = makeTarget(false);
  launch("videotestsrc num-buffers=5 ! videoconvert", target);
  playToTheEnd();
  EXPECT_EQ(target->presented(), 5u);
  EXPECT_TRUE(target->layout == GST_VIDEO_FORMAT_I420 || target->layout == GST_VIDEO_FORMAT_NV12 ||
              target->layout == GST_VIDEO_FORMAT_BGRx);
}

TEST_F(VideoSink, TakesTheLaxityOfEachHandOver) {
  const auto gate = periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::TraceLog trace;
  periodic::Scheduler scheduler(m_time, *gate, trace, false);
  periodic::TaskContract contract;
  contract.name = "display";
  contract.stage = periodic::Stage::VideoDisplay;
  contract.lbap.rate = periodic::Rate::perSecond(50);
  auto task = scheduler.adopt(contract, 0);
  ASSERT_TRUE(task.ok());
  const std::shared_ptr<periodic::Task> shared = std::move(task).value();
  launch(kThirtyFrames, makeTarget());
  setVideoSinkTask(m_sink.get(), shared);
  playToTheEnd();
  setVideoSinkTask(m_sink.get(), nullptr);
  const auto figures = shared->report().statistics;
  EXPECT_EQ(figures.packets, 30u);
  EXPECT_EQ(figures.completed, 29u);  // all but the prerolled one
  EXPECT_EQ(figures.misses, 0u);
  EXPECT_EQ(figures.laxity.minimum, 20ms);  // a period after its due instant
  EXPECT_EQ(figures.laxity.maximum, 20ms);
}

}  // namespace
}  // namespace tactus::plugins
