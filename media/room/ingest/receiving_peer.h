// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "media/room/ingest/ingest_feed.h"
#include "media/room/ingest/ingest_life.h"
#include "media/room/ingest/publish_offer.h"
#include "media/room/jitter_buffer.h"
#include "plugins/event_descriptor.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// A webrtcbin that only receives, in a pipeline of its own, with the settings that forwarding needs.
/// Thread-safe: yes, but for stop() and the destructor. Real-time-safe: no.
class ReceivingPeer {
 public:
  /// Answers the offer. `addresses`: to be offered; empty: all but the loopback device's. `wake` is signalled
  /// whenever there is something new to look at, and outlives the peer. Blocking. Errors: as
  /// WhipIngest::create().
  [[nodiscard]] static Result<std::unique_ptr<ReceivingPeer>> create(
      const PublishOffer& offer, const std::vector<std::string>& addresses, plugins::EventDescriptor& wake);
  ~ReceivingPeer();
  ReceivingPeer(const ReceivingPeer&) = delete;
  ReceivingPeer& operator=(const ReceivingPeer&) = delete;

  [[nodiscard]] const std::string& answer() const noexcept { return m_answer; }
  /// One for each media of the offer, in its order.
  [[nodiscard]] const std::vector<std::unique_ptr<IngestFeed>>& feeds() const noexcept { return m_feeds; }
  [[nodiscard]] Connection connection() const;
  /// Datagrams of the publisher so far, but for those of ICE.
  [[nodiscard]] std::uint64_t datagrams() const noexcept {
    return m_datagrams.load(std::memory_order_relaxed);
  }
  /// The first error of the pipeline, as a sentence; empty: there was none.
  [[nodiscard]] std::string fault() const;
  /// Of all jitter buffers of the feed: sums, and of times the largest.
  [[nodiscard]] JitterBuffer::Figures figuresOf(const IngestFeed& feed) const;
  /// Ends all of GStreamer's threads. The consumers must return for it. Once is enough.
  void stop();

 private:
  explicit ReceivingPeer(plugins::EventDescriptor& wake) : m_wake(wake) {}
  Result<void> build(const std::vector<std::string>& addresses);
  Result<void> tuneIce(const std::vector<std::string>& addresses);
  Result<void> negotiate(const PublishOffer& offer);
  void tuneRtcp();
  Result<void> waitForCandidates();
  [[nodiscard]] bool hasAllCandidates() const;
  [[nodiscard]] IngestFeed* feedOf(GObject* transceiver) const;

  [[nodiscard]] bool closedByPeer() const;

  static void onElement(GstBin*, GstBin*, GstElement* element, gpointer self);
  static GstPadProbeReturn onDatagram(GstPad*, GstPadProbeInfo*, gpointer self);
  static void onTransceiver(GstElement*, GObject* transceiver, gpointer self);
  static void onPad(GstElement*, GstPad* pad, gpointer self);
  static void onJitterBuffer(GstElement*, GstElement* buffer, guint session, guint ssrc, gpointer self);
  static void onChange(GObject*, GParamSpec*, gpointer self);
  static GstBusSyncReply onMessage(GstBus*, GstMessage* message, gpointer self);

  plugins::EventDescriptor& m_wake;
  std::vector<OfferedMedia> m_offered;               // as m_feeds
  std::vector<std::unique_ptr<IngestFeed>> m_feeds;  // fixed once built
  plugins::ElementPtr m_pipeline;
  plugins::ElementPtr m_webrtc;
  plugins::ElementPtr m_rtpbin;
  std::string m_answer;
  bool m_stopped = false;
  std::atomic<std::uint64_t> m_datagrams{0};  // statistics: relaxed

  mutable std::mutex m_mutex;  // guards what follows
  std::condition_variable m_changed;
  bool m_gathered = false;                                   // has all candidates
  std::map<guint, std::unique_ptr<JitterBuffer>> m_buffers;  // by SSRC
  std::map<guint, const IngestFeed*> m_sources;              // by SSRC
  std::string m_fault;
};

}  // namespace tactus::media
