// SPDX-License-Identifier: Apache-2.0
#include "plugins/video_sink.h"

#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/periodic/task/scheduler.h"
#include "plugins/gst_handle.h"
#include "plugins/picture_exchange.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::MonotonicClock;
using periodic::TimePoint;

/// A window that shows every picture at once, and writes down what it was handed.
class RecordingTarget final : public VideoTarget {
 public:
  explicit RecordingTarget(bool rgb32 = true) : m_rgb32(rgb32) {}
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
    record(due);
    PictureExchange::Taken taken;
    if (!draws || !m_exchange.take(taken)) return replaced;
    const std::lock_guard lock(m_mutex);
    last = taken.view;
    return replaced;
  }
  bool presentPlanar(GstBuffer*, TimePoint due) noexcept override {
    record(due);
    return false;
  }
  std::uint64_t shown() const noexcept override { return m_exchange.taken(); }
  void clear() noexcept override {}

  std::size_t presented() {
    const std::lock_guard lock(m_mutex);
    return dues.size();
  }

  bool draws = true;
  PictureRoom roomForPictures;  // before the first frame, or between two
  std::vector<PictureFormat> formats;
  GstVideoFormat layout = GST_VIDEO_FORMAT_UNKNOWN;
  std::vector<TimePoint> dues;
  std::vector<periodic::Duration> early;  // due instant less the hand-over
  Rgb32View last;

 private:
  void record(TimePoint due) {
    const std::lock_guard lock(m_mutex);
    dues.push_back(due);
    early.push_back(due - MonotonicClock::now());
  }
  const bool m_rgb32;
  std::mutex m_mutex;
  PictureExchange m_exchange;
};

class VideoSink : public testing::Test {
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
  }
  void set(GstState state) {
    gst_element_set_state(m_pipeline.get(), state);
    EXPECT_EQ(gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 5 * GST_SECOND),
              GST_STATE_CHANGE_SUCCESS);
  }
  void playToTheEnd() {
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
    const BusPtr bus(gst_element_get_bus(m_pipeline.get()));
    const MessagePtr end(gst_bus_timed_pop_filtered(
        bus.get(), 10 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    EXPECT_TRUE(end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS);
  }
  std::uint64_t dropped(DropReason reason) {
    return videoSinkStatistics(m_sink.get()).dropped[static_cast<std::size_t>(reason)];
  }
  void TearDown() override {
    if (m_pipeline) gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  }

  ElementPtr m_pipeline;
  ElementPtr m_sink;
};

const std::string kThirtyFrames =
    "videotestsrc num-buffers=30 ! video/x-raw,format=I420,width=320,height=240,framerate=60/1";

TEST_F(VideoSink, HandsOverEveryFrameOnceAndAtItsTime) {
  const auto target = std::make_shared<RecordingTarget>();
  launch(kThirtyFrames, target);
  playToTheEnd();
  const auto figures = videoSinkStatistics(m_sink.get());
  EXPECT_EQ(figures.framesIn, 30u);
  EXPECT_EQ(figures.submitted + dropped(DropReason::LateAtSink), 30u);
  EXPECT_EQ(figures.submitted, target->presented());
  EXPECT_EQ(dropped(DropReason::Hidden), 0u);
  ASSERT_GE(target->dues.size(), 20u);
  for (std::size_t i = 2; i < target->dues.size(); ++i) {
    EXPECT_LT(target->early[i], 1ms);     // not before its time
    EXPECT_GT(target->early[i], -200ms);  // a busy machine may be late
  }
  // The instants are those of the film, not those of our wake-ups (60 fps: 16.67 ms apart).
  for (std::size_t i = 3; i < target->dues.size() && figures.submitted == 30; ++i) {
    const auto apart = target->dues[i] - target->dues[i - 1];
    EXPECT_NEAR(static_cast<double>(apart.count()), 16.67e6, 2e6);
  }
}

TEST_F(VideoSink, CountsFramesAsHiddenWithoutATarget) {
  launch(kThirtyFrames, nullptr);
  playToTheEnd();
  EXPECT_EQ(videoSinkStatistics(m_sink.get()).submitted, 0u);
  EXPECT_EQ(dropped(DropReason::Hidden) + dropped(DropReason::LateAtSink), 30u);
}

TEST_F(VideoSink, CountsAPictureThatWasNotTakenAsReplaced) {
  const auto target = std::make_shared<RecordingTarget>();
  target->draws = false;
  launch(kThirtyFrames, target);
  playToTheEnd();
  const auto figures = videoSinkStatistics(m_sink.get());
  EXPECT_EQ(dropped(DropReason::Replaced) + 1, figures.submitted);
}

TEST_F(VideoSink, CountsFramesThatComeTooLate) {
  const auto target = std::make_shared<RecordingTarget>();
  // Whoever delays each frame by 50 ms cannot keep 60 a second.
  launch(kThirtyFrames + " ! identity sleep-time=50000", target);
  playToTheEnd();
  const auto figures = videoSinkStatistics(m_sink.get());
  EXPECT_EQ(figures.framesIn, 30u);
  EXPECT_GT(dropped(DropReason::LateAtSink), 10u);
  EXPECT_EQ(figures.submitted + dropped(DropReason::LateAtSink), 30u);
}

TEST_F(VideoSink, ConvertsToTheRoomThatTheTargetHas) {
  const auto target = std::make_shared<RecordingTarget>();
  target->roomForPictures = {80, 200};
  // So many that one conversion in which the machine did something else is forgotten.
  launch("videotestsrc num-buffers=120 ! video/x-raw,format=I420,width=320,height=240,framerate=40/1",
         target);
  playToTheEnd();
  EXPECT_EQ(target->last.width, 80);
  EXPECT_LT(target->last.height, 200);
  const auto figures = videoSinkStatistics(m_sink.get());
  std::uint64_t scaled = 0;
  for (const auto count : figures.scaled) scaled += count;
  EXPECT_GE(scaled, figures.submitted);
  // There was nothing else to do: most pictures were worth more than the fast way.
  EXPECT_GT(scaled - figures.scaled[0], scaled / 2);
}

TEST_F(VideoSink, ScalesFastWhenThereIsNoTime) {
  const auto target = std::make_shared<RecordingTarget>();
  target->roomForPictures = {80, 200};
  launch(kThirtyFrames + " ! identity sleep-time=50000", target);
  playToTheEnd();
  const auto figures = videoSinkStatistics(m_sink.get());
  EXPECT_LE(figures.scaled[1] + figures.scaled[2], 2u);  // but while it was not late yet
}

TEST_F(VideoSink, SnapshotIsThePictureInItsOwnSize) {
  const auto target = std::make_shared<RecordingTarget>();
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
  const auto target = std::make_shared<RecordingTarget>();
  std::vector<std::int64_t> shown;
  launch("videotestsrc ! video/x-raw,width=64,height=64,framerate=25/1", target);
  setFrameShownCallback(m_sink.get(), [&](FrameSpan span) { shown.push_back(span.begin); });
  set(GST_STATE_PAUSED);
  EXPECT_EQ(target->presented(), 1u);
  EXPECT_EQ(videoSinkStatistics(m_sink.get()).submitted, 0u);
  gst_element_seek_simple(m_pipeline.get(), GST_FORMAT_TIME,
                          static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                          8 * GST_SECOND);
  gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 5 * GST_SECOND);
  EXPECT_EQ(target->presented(), 2u);
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[1], static_cast<std::int64_t>(8 * GST_SECOND));
  set(GST_STATE_PLAYING);
  std::this_thread::sleep_for(200ms);
  set(GST_STATE_PAUSED);
  const auto figures = videoSinkStatistics(m_sink.get());
  // Each frame was presented once: those rendered, the first one, which the seek replaced, and perhaps the
  // one whose wait the pause ended.
  EXPECT_GE(target->presented(), figures.submitted + 1);
  EXPECT_LE(target->presented(), figures.submitted + 2);
  EXPECT_EQ(dropped(DropReason::LateAtSink), 0u);
}

TEST_F(VideoSink, AStepWhilePausedShowsTheNextFrame) {
  const auto target = std::make_shared<RecordingTarget>();
  std::vector<std::int64_t> shown;
  launch("videotestsrc ! video/x-raw,width=64,height=64,framerate=25/1", target);
  setFrameShownCallback(m_sink.get(), [&](FrameSpan span) { shown.push_back(span.begin); });
  set(GST_STATE_PAUSED);
  for (int step = 0; step < 3; ++step) {
    gst_element_send_event(m_sink.get(), gst_event_new_step(GST_FORMAT_BUFFERS, 1, 1.0, TRUE, FALSE));
    gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 5 * GST_SECOND);
  }
  EXPECT_EQ(shown, (std::vector<std::int64_t>{0, 40'000'000, 80'000'000, 120'000'000}));
  EXPECT_EQ(dropped(DropReason::LateAtSink), 0u);
}

TEST_F(VideoSink, ConvertsForTheTargetThatCameLast) {
  const auto first = std::make_shared<RecordingTarget>();
  const auto second = std::make_shared<RecordingTarget>();
  launch("videotestsrc ! video/x-raw,width=64,height=64,framerate=50/1", first);
  set(GST_STATE_PLAYING);
  std::this_thread::sleep_for(100ms);
  setVideoTarget(m_sink.get(), second);
  std::this_thread::sleep_for(150ms);
  setVideoTarget(m_sink.get(), nullptr);
  std::this_thread::sleep_for(100ms);
  gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  EXPECT_GE(first->presented(), 2u);
  EXPECT_GE(second->presented(), 2u);
  EXPECT_EQ(second->formats.size(), 1u);
  EXPECT_GE(dropped(DropReason::Hidden), 1u);
}

TEST_F(VideoSink, TurnsThePictureAsItsTagsSay) {
  const auto target = std::make_shared<RecordingTarget>();
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
  const auto target = std::make_shared<RecordingTarget>(false);
  launch("videotestsrc num-buffers=5 ! videoconvert", target);
  playToTheEnd();
  EXPECT_EQ(target->presented() + dropped(DropReason::LateAtSink), 5u);
  EXPECT_TRUE(target->layout == GST_VIDEO_FORMAT_I420 || target->layout == GST_VIDEO_FORMAT_NV12 ||
              target->layout == GST_VIDEO_FORMAT_BGRx);
}

TEST_F(VideoSink, TakesTheLaxityOfEachHandOver) {
  const auto gate = periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::KernelTime time;
  periodic::TraceLog trace;
  periodic::Scheduler scheduler(time, *gate, trace, false);
  periodic::TaskContract contract;
  contract.name = "display";
  contract.stage = periodic::Stage::VideoDisplay;
  contract.lbap.rate = periodic::Rate::perSecond(60);
  auto task = scheduler.adopt(contract, 0);
  ASSERT_TRUE(task.ok());
  const std::shared_ptr<periodic::Task> shared = std::move(task).value();
  launch(kThirtyFrames, std::make_shared<RecordingTarget>());
  setVideoSinkTask(m_sink.get(), shared);
  playToTheEnd();
  setVideoSinkTask(m_sink.get(), nullptr);
  const auto figures = shared->report().statistics;
  EXPECT_EQ(figures.packets, 30u);
  // All but the prerolled one and those that were late.
  EXPECT_EQ(figures.completed + 1 + dropped(DropReason::LateAtSink), 30u);
  EXPECT_LE(figures.laxity.maximum, 18ms);  // a period after its due instant at most
  EXPECT_GT(figures.laxity.p50, 5ms);
}

}  // namespace
}  // namespace tactus::plugins
