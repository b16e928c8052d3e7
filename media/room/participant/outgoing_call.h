// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/estimator/bandwidth_estimator.h"
#include "core/periodic/result.h"
#include "core/periodic/task/scheduler.h"
#include "media/room/participant/call_listener.h"
#include "media/room/participant/outgoing_track.h"
#include "media/room/participant/rtp_figures.h"
#include "media/room/participant/sending_track.h"
#include "plugins/video_target.h"

namespace tactus::media {

/// How an outgoing call stands.
struct OutgoingReport {
  CallState state = CallState::Offered;
  std::string why = {};                        ///< a sentence once it has ended
  std::optional<MediaKind> brokenDevice = {};  ///< whose device or film does not work, if that has ended it
  std::vector<SendingFigures> tracks = {};     ///< one for each layer of each track, the largest first
  RtpFigures rtp = {};
  std::optional<net::BandwidthEstimate> path = {};  ///< why pictures have their rate; absent without pictures
};

/// A published stream of a participant: tracks are captured, encoded and sent by a webrtcbin of their own,
/// which makes the offer (RFC 9725: the client of WHIP). Its stages are tasks: capture, encode (which makes
/// the packets as well), send. Pictures are encoded as fast as the path allows (net::BandwidthEstimator); who
/// asks for a keyframe gets one at once, four in a second at most.
///
/// Threads: "tactus-call" (one; ordinary) holds the time limits and sets the rate; the others are
/// GStreamer's.
class OutgoingCall {
 public:
  struct Options {
    std::vector<OutgoingTrack> tracks = {};  ///< one of pictures, one of sound, or both
    /// Local IP addresses that are offered; empty: all of this machine but the loopback device's.
    std::vector<std::string> addresses = {};
    std::string label = {};  ///< of its tasks
    /// Where the pictures that are captured are shown to who sends them, as in a mirror; null: nowhere.
    /// Shared with the streaming thread.
    std::shared_ptr<plugins::VideoTarget> preview = {};
    /// A sentence for people, if something lacks without which the call goes on: once. On any thread; may be
    /// null.
    std::function<void(const std::string&)> note = {};
  };

  /// Begins to capture. `scheduler` and `listener` (may be null) outlive the call. Errors: InvalidArgument
  /// (the tracks, an address), NotFound (a film), Unsupported, Unavailable (what is missing); a device that
  /// does not work is told by offer() and query(). Blocking, for milliseconds, up to a second for the first
  /// of a process. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<OutgoingCall>> create(const Options& options,
                                                                    periodic::Scheduler& scheduler,
                                                                    CallListener* listener);
  /// Blocking, until the pipeline has stopped. Not from the listener.
  ~OutgoingCall();
  OutgoingCall(const OutgoingCall&) = delete;
  OutgoingCall& operator=(const OutgoingCall&) = delete;

  /// SDP with all candidates; a track's id in it (msid) is its cid. Once. Waits for the devices, ten seconds
  /// at most. Errors: Timeout, Unavailable, one sentence. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] Result<std::string> offer();
  /// The other end's answer. Once, after offer(). Error InvalidArgument, one sentence. Thread-safe: yes.
  /// Real-time-safe: no.
  [[nodiscard]] Result<void> accept(std::string_view answer);
  /// Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] OutgoingReport query() const;
  /// Figures of every task. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] std::vector<periodic::TaskReport> stages() const;
  /// Muted, the track of this kind sends nothing; its device stays open. Thread-safe: yes. Real-time-safe:
  /// no.
  void setMuted(MediaKind kind, bool muted);
  /// The largest place in which its pictures are shown, so that a larger size is not encoded; 0 x 0: as they
  /// are; absent: they are shown nowhere. Thread-safe: yes. Real-time-safe: no.
  void setWanted(std::optional<PictureSize> wanted);
  /// How loud the sound is that was captured last (loudnessOf()). Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] double loudness() const;
  /// Ends the call, without waiting for it. Thread-safe: yes; also from the listener. Real-time-safe: yes.
  void stop() noexcept;

 private:
  class Body;
  explicit OutgoingCall(std::unique_ptr<Body> body);
  const std::unique_ptr<Body> m_body;
};

}  // namespace tactus::media
