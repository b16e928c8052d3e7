// SPDX-License-Identifier: Apache-2.0
#include "media/room/jitter_buffer.h"

#include <gst/app/gstappsrc.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>

#include "media/room/packet_checks_fixture.h"

namespace tactus::media {
namespace {

/// A jitter buffer of GStreamer, of whose packets the first is held until it is let go.
class JitterBufferTest : public testing::Test {
 protected:
  JitterBufferTest() {
    gst_init(nullptr, nullptr);
    m_pipeline = plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(
        gst_parse_launch("appsrc name=packets is-live=true format=time do-timestamp=true max-bytes=0 "
                         "caps=application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96 ! "
                         "rtpjitterbuffer name=buffer latency=20 ! fakesink name=out signal-handoffs=true "
                         "sync=false async=false",
                         nullptr))));
    m_packets = named("packets");
    const auto sink = named("out");
    g_signal_connect(sink.get(), "handoff", G_CALLBACK(onPacket), this);
    m_buffer = std::make_unique<JitterBuffer>(named("buffer").get());
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  }
  ~JitterBufferTest() override {
    gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
    m_buffer.reset();
  }
  plugins::ElementPtr named(const char* name) {
    return plugins::ElementPtr(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), name));
  }
  /// So many packets, numbered on.
  void send(int count) {
    for (int i = 0; i < count; ++i, ++m_number) {
      std::array<guint8, 20> bytes{0x80, 96, static_cast<guint8>(m_number >> 8),
                                   static_cast<guint8>(m_number)};
      gst_app_src_push_buffer(GST_APP_SRC(m_packets.get()),
                              gst_buffer_new_memdup(bytes.data(), bytes.size()));
    }
  }
  static void onPacket(GstElement*, GstBuffer*, GstPad*, gpointer data) {
    auto& self = *static_cast<JitterBufferTest*>(data);
    self.m_held.store(true);
    self.m_released.wait();
    ++self.m_out;
  }

  plugins::ElementPtr m_pipeline, m_packets;
  std::unique_ptr<JitterBuffer> m_buffer;
  std::promise<void> m_release;
  std::shared_future<void> m_released = m_release.get_future().share();
  std::atomic<bool> m_held{false};
  std::atomic<std::uint64_t> m_out{0};
  unsigned m_number = 0;
};

TEST_F(JitterBufferTest, LetsAllThroughWhileItIsEmptied) {
  m_release.set_value();
  for (std::uint64_t sent = 0; sent < 10000; sent += 500) {
    send(500);
    ASSERT_TRUE(becomesTrue([&] { return m_out.load() == sent + 500; })) << m_out.load();
  }
  EXPECT_EQ(m_buffer->figures().dropped, 0U);
  EXPECT_EQ(m_buffer->figures().lost, 0U);
  EXPECT_EQ(m_buffer->figures().retransmissionTime, std::nullopt);
}

TEST_F(JitterBufferTest, KeepsBoundedlyManyWhileAConsumerBlocksAndGoesOnAfterwards) {
  constexpr std::uint64_t kSent = 8000;
  send(1);
  ASSERT_TRUE(becomesTrue([&] { return m_held.load(); }));
  send(kSent - 1);
  constexpr std::uint64_t kMost = JitterBuffer::kMostWaiting + JitterBuffer::kLook;
  EXPECT_TRUE(becomesTrue([&] { return m_buffer->figures().dropped >= kSent - kMost - 1; }))
      << m_buffer->figures().dropped;
  EXPECT_EQ(m_out.load(), 0U);
  EXPECT_LE(m_buffer->figures().dropped, kSent - JitterBuffer::kMostWaiting);
  m_release.set_value();
  EXPECT_TRUE(becomesTrue([&] { return m_out.load() >= JitterBuffer::kMostWaiting; })) << m_out.load();
  EXPECT_TRUE(becomesTrue([&] { return m_out.load() + m_buffer->figures().dropped == kSent; }));
  // A later packet, which is not dropped, is all that is needed to see the hole.
  const std::uint64_t before = m_out.load();
  const std::uint64_t dropped = m_buffer->figures().dropped;
  send(100);
  EXPECT_TRUE(becomesTrue([&] { return m_out.load() == before + 100; })) << m_out.load() - before;
  EXPECT_EQ(m_buffer->figures().dropped, dropped);
}

}  // namespace
}  // namespace tactus::media
