// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only for tests.

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "media/room/track_feed.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// A track that is made here: a pattern or a tone, encoded and cut into packets at its real pace.
class EncodedFeed final : public TrackFeed {
 public:
  /// Pictures of one colour (videotestsrc's name: "red"), 25 a second, with a keyframe only on request.
  [[nodiscard]] static std::unique_ptr<EncodedFeed> pictures(const std::string& pattern) {
    return std::unique_ptr<EncodedFeed>(
        new EncodedFeed({.kind = MediaKind::Video, .encoding = "VP8", .clockRate = 90'000},
                        "videotestsrc is-live=true pattern=" + pattern +
                            " ! video/x-raw,width=320,height=240,framerate=25/1 ! "
                            "vp8enc deadline=1 keyframe-max-dist=10000 target-bitrate=1000000 "
                            "min-quantizer=1 max-quantizer=1 "
                            "! rtpvp8pay mtu=1200 picture-id-mode=15-bit ! "));
  }
  /// A tone of 440 Hz.
  [[nodiscard]] static std::unique_ptr<EncodedFeed> sound() {
    return std::unique_ptr<EncodedFeed>(new EncodedFeed(
        {.kind = MediaKind::Audio, .encoding = "OPUS", .clockRate = 48'000, .channels = 2},
        "audiotestsrc is-live=true freq=440 ! audio/x-raw,rate=48000,channels=2 ! opusenc ! rtpopuspay ! "));
  }
  ~EncodedFeed() override { gst_element_set_state(m_pipeline.get(), GST_STATE_NULL); }
  EncodedFeed(const EncodedFeed&) = delete;
  EncodedFeed& operator=(const EncodedFeed&) = delete;

  [[nodiscard]] TrackFormat format() const override { return m_format; }
  void add(PacketConsumer& consumer) override {
    const std::lock_guard lock(m_mutex);
    m_consumers.push_back(&consumer);
  }
  void remove(PacketConsumer& consumer) override {
    const std::lock_guard lock(m_mutex);
    std::erase(m_consumers, &consumer);
  }
  void requestKeyframe() noexcept override {
    ++m_keyframes;
    gst_element_send_event(m_sink.get(),
                           gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
  }
  /// How often a keyframe was asked for.
  [[nodiscard]] int keyframes() const noexcept { return m_keyframes; }

 private:
  EncodedFeed(TrackFormat format, const std::string& source) : m_format(std::move(format)) {
    m_pipeline.reset(gst_parse_launch((source + "appsink name=sink sync=false").c_str(), nullptr));
    gst_object_ref_sink(m_pipeline.get());
    m_sink.reset(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "sink"));
    GstAppSinkCallbacks callbacks{};
    callbacks.new_sample = [](GstAppSink* sink, gpointer self) {
      static_cast<EncodedFeed*>(self)->give(plugins::SamplePtr(gst_app_sink_pull_sample(sink)).get());
      return GST_FLOW_OK;
    };
    gst_app_sink_set_callbacks(GST_APP_SINK(m_sink.get()), &callbacks, this, nullptr);
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  }
  void give(GstSample* sample) {
    if (sample == nullptr) return;
    GstBuffer* const buffer = gst_sample_get_buffer(sample);
    GstMapInfo map;
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) return;
    const std::span<const std::byte> packet(reinterpret_cast<const std::byte*>(map.data), map.size);
    {
      const std::lock_guard lock(m_mutex);
      for (PacketConsumer* each : m_consumers) each->consume({&packet, 1});
    }
    gst_buffer_unmap(buffer, &map);
  }

  const TrackFormat m_format;
  std::mutex m_mutex;  // guards the consumers, and is held while they are called
  std::vector<PacketConsumer*> m_consumers;
  std::atomic<int> m_keyframes{0};
  plugins::ElementPtr m_pipeline, m_sink;
};

}  // namespace tactus::media
