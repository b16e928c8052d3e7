// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "media/room/ingest/ingest_life.h"
#include "media/room/ingest/ingest_report.h"
#include "media/room/ingest/publish_offer.h"
#include "media/room/track_feed.h"

namespace tactus::media {

/// The receiving end of one publisher's connection: answers the offer, and gives the packets of each track to
/// a TrackFeed. Has a GStreamer pipeline of its own, so that nothing of it can fail with another's.
///
/// Threads: "tactus-ingest" (one; ordinary) holds the time limits, sends keyframe requests, stops the
/// pipeline at the end, and calls the listener. Consumers are called on the jitter buffer's thread
/// ("rtpjitterbuffer..:src"), which is GStreamer's, as are about ten others for each connection. All end with
/// the ingest, at the latest.
class WhipIngest {
 public:
  struct Options {
    /// Local IP addresses that are offered to the publisher; empty: all of this machine but the loopback
    /// device.
    std::vector<std::string> addresses = {};
    IngestLife::Limits limits = {};
  };

  /// Answers an offer; the answer has all candidates (no trickle). Blocking, for milliseconds; up to a second
  /// for the first of a process (prewarm()). `listener` (may be null) outlives the ingest. Errors:
  /// Unavailable: a GStreamer element is missing; InvalidArgument: the offer cannot be answered; Timeout: no
  /// candidates within 5 s; System: there can be no thread. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<WhipIngest>> create(const PublishOffer& offer,
                                                                  const Options& options,
                                                                  IngestListener* listener);
  /// Loads the plugins and makes the certificate, so that the first publisher does not wait. Blocking, for up
  /// to a second. Thread-safe: yes. Real-time-safe: no.
  static void prewarm();
  /// Stops. The consumers have been removed. Blocking, until the pipeline is stopped. Not from the listener.
  ~WhipIngest();
  WhipIngest(const WhipIngest&) = delete;
  WhipIngest& operator=(const WhipIngest&) = delete;

  /// SDP. Thread-safe: yes.
  [[nodiscard]] const std::string& answer() const noexcept;
  /// One for each media of the offer, in its order. They live as long as the ingest; once it has ended
  /// nothing more comes. Thread-safe: yes.
  [[nodiscard]] const std::vector<TrackFeed*>& feeds() const noexcept;
  /// At most a quarter of a second old. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] IngestReport query() const;
  /// Ends the ingest (Stopped), without waiting for it. Thread-safe: yes; also from the listener.
  /// Real-time-safe: yes.
  void stop() noexcept;

 private:
  class Connection;
  explicit WhipIngest(std::unique_ptr<Connection> connection);
  const std::unique_ptr<Connection> m_connection;
};

}  // namespace tactus::media
