// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/task/scheduler.h"
#include "core/periodic/time/time.h"
#include "media/room/participant/call_listener.h"
#include "media/room/participant/incoming_sound.h"
#include "media/room/participant/outgoing_track.h"
#include "media/room/participant/picture_continuity.h"
#include "media/room/participant/rtp_figures.h"
#include "media/room/picture_size.h"
#include "media/sharing/governed_stream.h"
#include "media/sharing/source_limit.h"
#include "plugins/video_target.h"

namespace tactus::media {

/// How an incoming call stands.
struct IncomingReport {
  struct Pictures {
    std::uint64_t received = 0;  ///< whole ones
    std::uint64_t shed = 0;      ///< of these: given up before decoding, being late or waiting for a keyframe
    std::uint64_t decoded = 0;   ///< of these
    std::uint64_t late = 0;      ///< decoded, and given up before they were shown
    std::uint64_t keyframesAsked = 0;  ///< of the other end
    PictureContinuity::Figures shown = {};
  };
  CallState state = CallState::Offered;
  std::string why = {};  ///< a sentence once it has ended
  Pictures pictures = {};
  IncomingSound::Figures sound = {};
  std::uint64_t lost = 0;                ///< packets that never came, in spite of repetition
  periodic::Duration jitter{0};          ///< of arrival, mean
  periodic::Duration retransmission{0};  ///< from the request for a packet to its coming; zero: none came
  periodic::Duration delay{0};           ///< from arrival to display, for a packet without jitter
  periodic::Duration latency{0};         ///< the most that the delay becomes
  RtpFigures rtp = {};
};

/// A stream that a participant receives: pictures and sound of another, by a webrtcbin of its own, which
/// makes the offer (the client of WHEP). It owns a StagedStream as a film does; stages: receive, decode,
/// display and audio. Lost packets are asked for again; where nothing can be decoded, a keyframe is. As a
/// film it gives way: by pictures, then it shows none until it may again, and its sound goes on.
///
/// Threads: "tactus-call" (one; ordinary) holds the time limits; the others are GStreamer's.
class IncomingCall final : public GovernedStream {
 public:
  struct Options {
    /// Of pictures, the one preferred first; empty: none are asked for.
    std::vector<VideoEncoding> encodings = {VideoEncoding::Vp8, VideoEncoding::H264};
    bool sound = true;  ///< is asked for
    /// Local IP addresses that are offered; empty: all of this machine but the loopback device's.
    std::vector<std::string> addresses = {};
    std::string label = {};  ///< of its tasks
    /// How long a lost packet is waited for. Pictures and sound are played later than they came by what their
    /// jitter needs, and by little more than this at most.
    periodic::Duration latency = std::chrono::milliseconds(100);
    /// Where pictures go; null: a HeadlessPictures of its own. Shared with the streaming thread.
    std::shared_ptr<plugins::VideoTarget> target = {};
    IncomingSound::Heard heard = {};  ///< may be null
    /// PipeWire's node that plays the sound (its name or serial); empty: the session's default device;
    /// absent: it is played to nobody.
    std::optional<std::string> soundDevice = {};
    /// Pictures that come in two sizes: the smaller one is wanted from now on, or any. On a thread of the
    /// governor, or of the call; may be null.
    std::function<void(bool smaller)> smaller = {};
  };

  /// As OfferingPeer::prepare(), for a program that is about to make calls. Thread-safe: yes. Real-time-safe:
  /// no.
  static void prepare();
  /// `scheduler` and `listener` (may be null) outlive the call. Errors: InvalidArgument (an address, or
  /// nothing is asked for), Unsupported, Unavailable (what is missing). Blocking, for milliseconds.
  /// Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<IncomingCall>> create(const Options& options,
                                                                    periodic::Scheduler& scheduler,
                                                                    CallListener* listener);
  /// Blocking, until the pipeline has stopped. Not from the listener.
  ~IncomingCall() override;
  IncomingCall(const IncomingCall&) = delete;
  IncomingCall& operator=(const IncomingCall&) = delete;

  /// SDP with all candidates. Once. Errors: Timeout, Unavailable, one sentence. Thread-safe: yes.
  /// Real-time-safe: no.
  [[nodiscard]] Result<std::string> offer();
  /// The other end's answer. Once, after offer(). Error InvalidArgument, one sentence. Thread-safe: yes.
  /// Real-time-safe: no.
  [[nodiscard]] Result<void> accept(std::string_view answer);
  /// Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] IncomingReport query() const;
  /// Of the sound on the device: 0 ... 1.5, clamped; cubic scale as in the desktop's mixers. Nothing without
  /// a device. Thread-safe: yes. Real-time-safe: yes.
  void setVolume(double volume) noexcept;
  /// Likewise.
  void setMuted(bool muted) noexcept;
  /// What limits the pictures before they come here, as the room says; at first nothing. What the call itself
  /// sees of it counts where the room knows of no limit. Thread-safe: yes. Real-time-safe: no.
  void setDelivery(const SourceLimit& delivery);
  /// Whether pictures are to come (at first: yes): neither their sender nor who receives them has switched
  /// them off. If not, nothing limits them. Thread-safe: yes. Real-time-safe: no.
  void setPicturesExpected(bool expected);
  /// Figures of every task. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] std::vector<periodic::TaskReport> stages() const;

  // GovernedStream. Thread-safe: yes. Real-time-safe: no. Held, its sound alone is played.
  [[nodiscard]] LoadFigures load() const override;
  void setThinning(Thinning thinning) override;
  void setService(StreamService service) override;
  void setHeld(bool held) override;

  /// The larger of two sizes in which its pictures are sent, where the larger is wanted; 0 x 0: there is no
  /// choice. Thread-safe: yes. Real-time-safe: no.
  void setHalved(PictureSize larger);
  /// Ends the call, without waiting for it. Thread-safe: yes; also from the listener. Real-time-safe: yes.
  void stop() noexcept;

 private:
  class Body;
  explicit IncomingCall(std::unique_ptr<Body> body);
  const std::unique_ptr<Body> m_body;
};

}  // namespace tactus::media
