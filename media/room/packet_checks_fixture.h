// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "media/room/track_feed.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// Patient: returns as soon as `condition` holds; false after half a minute.
inline bool becomesTrue(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// Counts packets, and the sequence numbers that are missing between them.
class SequenceCheck : public PacketConsumer {
 public:
  explicit SequenceCheck(std::function<void()> onGroup = [] {}) : m_onGroup(std::move(onGroup)) {}
  void consume(std::span<const std::span<const std::byte>> packets) noexcept override {
    for (const auto packet : packets) {
      const auto number = static_cast<std::uint16_t>(std::to_integer<unsigned>(packet[2]) << 8 |
                                                     std::to_integer<unsigned>(packet[3]));
      if (m_last) m_missing.fetch_add(static_cast<std::uint16_t>(number - *m_last - 1));
      m_last = number;
      m_packets.fetch_add(1);
    }
    m_onGroup();
  }
  [[nodiscard]] int packets() const { return m_packets.load(); }
  [[nodiscard]] int missing() const { return m_missing.load(); }

 private:
  const std::function<void()> m_onGroup;
  std::optional<std::uint16_t> m_last;  // feed's thread
  std::atomic<int> m_packets{0}, m_missing{0};
};

/// Decodes what it gets, and counts the pictures that come out.
class DecodingConsumer : public PacketConsumer {
 public:
  /// `decoding`: elements from RTP to pictures; `caps` of the packets.
  DecodingConsumer(const std::string& caps, const std::string& decoding) {
    const std::string description =
        "appsrc name=packets is-live=true format=time do-timestamp=true caps=" + caps + " ! " + decoding +
        " ! fakesink name=pictures signal-handoffs=true sync=false";
    m_pipeline =
        plugins::ElementPtr(GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(description.c_str(), nullptr))));
    m_packets = plugins::ElementPtr(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "packets"));
    const plugins::ElementPtr sink(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "pictures"));
    g_signal_connect(sink.get(), "handoff", G_CALLBACK(onPicture), this);
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  }
  ~DecodingConsumer() override { gst_element_set_state(m_pipeline.get(), GST_STATE_NULL); }
  void consume(std::span<const std::span<const std::byte>> packets) noexcept override {
    for (const auto packet : packets)
      gst_app_src_push_buffer(GST_APP_SRC(m_packets.get()),
                              gst_buffer_new_memdup(packet.data(), packet.size()));
  }
  [[nodiscard]] int pictures() const { return m_pictures.load(); }

 private:
  static void onPicture(GstElement*, GstBuffer*, GstPad*, gpointer self) {
    ++static_cast<DecodingConsumer*>(self)->m_pictures;
  }
  plugins::ElementPtr m_pipeline;
  plugins::ElementPtr m_packets;
  std::atomic<int> m_pictures{0};
};

}  // namespace tactus::media
