// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "media/room/ingest/feed_hub.h"
#include "media/room/ingest/packet_group.h"
#include "media/room/track_feed.h"
#include "plugins/event_descriptor.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// The end of a receiving webrtcbin for one track: a pad of its own that takes what the jitter buffer lets
/// out, and hands it to the consumers picture by picture. Nothing that happens there reaches the publisher:
/// each packet is answered with "ok", caps and end of stream end here, queries get answers that depend on no
/// consumer. The publisher's thread is that of its jitter buffer ("rtpjitterbuffer..:src").
class IngestFeed final : public TrackFeed {
 public:
  struct Counts {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;     ///< with RTP headers
    std::uint64_t pictures = 0;  ///< whose last packet came; 0 for sound
    std::uint64_t strays = 0;    ///< packets dropped: no RTP, or of another source than the newest
  };

  /// `wake` is signalled when a keyframe is wanted; it outlives the feed.
  IngestFeed(TrackFormat format, plugins::EventDescriptor& wake);
  ~IngestFeed() override;
  IngestFeed(const IngestFeed&) = delete;
  IngestFeed& operator=(const IngestFeed&) = delete;

  [[nodiscard]] TrackFormat format() const override { return m_format; }
  void add(PacketConsumer& consumer) override { m_hub.add(consumer); }
  void remove(PacketConsumer& consumer) override { m_hub.remove(consumer); }
  void requestKeyframe() noexcept override;

  /// Takes a pad of webrtcbin; the newest is heard. Thread-safe: yes. Real-time-safe: no.
  void attach(GstPad* source);
  /// Lets go of all pads; no packet comes afterwards. Not from within consume(). The pipeline stands still.
  void detach();
  /// Number of requestKeyframe() since the last call. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t takeKeyframeRequests() noexcept { return m_requests.exchange(0); }
  /// Sends the publisher a request for a keyframe; it has a pad. Thread-safe: yes. Real-time-safe: no.
  void sendKeyframeRequest();
  /// True once there is a pad. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] bool attached() const noexcept { return m_heard.load(std::memory_order_acquire) != nullptr; }
  [[nodiscard]] Counts counts() const noexcept;

 private:
  static GstFlowReturn onBuffer(GstPad* pad, GstObject*, GstBuffer* buffer);
  static GstFlowReturn onList(GstPad* pad, GstObject*, GstBufferList* list);
  static gboolean onEvent(GstPad* pad, GstObject*, GstEvent* event);
  static gboolean onQuery(GstPad* pad, GstObject*, GstQuery* query);
  /// True if the caller's thread may touch the group, until leave(): two sources at once have two threads.
  [[nodiscard]] bool enter(const GstPad* pad) noexcept;
  void leave() noexcept { m_entered.store(false, std::memory_order_release); }
  void take(plugins::BufferPtr packet) noexcept;
  void deliver() noexcept;

  const TrackFormat m_format;
  plugins::EventDescriptor& m_wake;
  FeedHub m_hub;
  PacketGroup m_group;                          // thread that has entered
  std::atomic<bool> m_entered{false};           // acquired and released with the group
  std::atomic<const GstPad*> m_heard{nullptr};  // the newest pad; only compared
  std::atomic<std::uint64_t> m_requests{0};
  std::atomic<std::uint64_t> m_packets{0}, m_bytes{0}, m_pictures{0}, m_strays{0};  // statistics: relaxed
  std::mutex m_padMutex;
  std::vector<plugins::PadPtr> m_pads;  // ours; guarded by m_padMutex
};

}  // namespace tactus::media
