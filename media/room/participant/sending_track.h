// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/link/bit_rate.h"
#include "core/periodic/result.h"
#include "media/room/participant/call_stage.h"
#include "media/room/participant/echo_reference.h"
#include "media/room/participant/looped_film.h"
#include "media/room/participant/offering_peer.h"
#include "media/room/participant/outgoing_track.h"
#include "media/room/participant/sending_layer.h"
#include "media/room/participant/tapped_film.h"
#include "media/stage/sink_stage.h"
#include "media/stage/stage_adopter.h"
#include "plugins/event_descriptor.h"
#include "plugins/gst_handle.h"
#include "plugins/video_target.h"

namespace tactus::media {

/// What became of one layer of a published track, since the call began.
struct SendingFigures : SendingLayer::Figures {
  MediaKind kind = MediaKind::Video;
  std::string cid = {};
  PictureSize size = {};       ///< of pictures
  std::uint64_t captured = 0;  ///< pictures of the track, or buffers of sound, in its size and rate
  net::BitRate most = {};      ///< of this layer, if the path carries it
  bool wanted = true;          ///< its pictures are shown somewhere in this size, or in a larger one
  bool muted = false;          ///< what the device gives is dropped
  double loudness = 0;         ///< of what was captured last (loudnessOf()); 0 for pictures, and muted
};

/// One track of an outgoing call: its elements, and the stages in them (capture; encode and send of each
/// layer). Thread-safe: yes, but for create(), stop() and the destructor. Real-time-safe: no.
class SendingTrack {
 public:
  /// Puts its elements into the peer's pipeline, and links them. `peer`, `adopter` and `wake` outlive it.
  /// `preview`: who sees the pictures that are captured, as in a mirror; may be null.
  /// Errors: InvalidArgument (validate()), Unavailable or Unsupported (an element of GStreamer is missing;
  /// which), NotFound (the film).
  [[nodiscard]] static Result<std::unique_ptr<SendingTrack>> create(
      const OutgoingTrack& track, OfferingPeer& peer, StageAdopter& adopter, plugins::EventDescriptor& wake,
      std::shared_ptr<plugins::VideoTarget> preview = {});
  SendingTrack(const SendingTrack&) = delete;
  SendingTrack& operator=(const SendingTrack&) = delete;

  void start();
  /// A film that has ended begins anew; whether a screen that is lent still comes. For one thread.
  void look(periodic::TimePoint now);
  /// Pictures are encoded at this rate from now on, their layers together (shareRate()). For one thread.
  void setRate(net::BitRate rate);
  /// The largest place in which its pictures are shown, from the next setRate() on; 0 x 0: as they are;
  /// absent: they are shown nowhere.
  void setWanted(std::optional<PictureSize> wanted);
  /// Muted, nothing of what the device gives is encoded, sent or previewed. Pictures begin again with a
  /// keyframe.
  void setMuted(bool muted);
  [[nodiscard]] const OutgoingTrack& track() const noexcept { return m_track; }
  /// Of each layer, the largest first.
  [[nodiscard]] std::vector<SendingFigures> figures() const;
  [[nodiscard]] double loudness() const;
  /// Why nothing comes of the source any more; empty: it does. For the thread of look().
  [[nodiscard]] std::string fault() const;
  /// What is not done to the voice, though it was wanted; empty: all is.
  [[nodiscard]] std::string voiceFault(periodic::TimePoint now) const;
  /// Before the peer's pipeline stops.
  void stop();

 private:
  SendingTrack(OutgoingTrack track, bool voiceLacks) : m_track(std::move(track)), m_voiceLacks(voiceLacks) {}
  Result<void> build(OfferingPeer& peer, bool previewed);
  Result<void> linkLayer(OfferingPeer& peer, std::size_t number);
  Result<void> connectScreen();
  void tapPlayer();
  void watch(StageAdopter& adopter);
  void referToEcho();
  void showPreview(StageAdopter& adopter, std::shared_ptr<plugins::VideoTarget> preview);
  static GstPadProbeReturn onCaptured(GstPad*, GstPadProbeInfo*, gpointer self);
  static void blank(GstPadProbeInfo* info, MediaKind kind);
  void hear(GstPadProbeInfo* info);
  [[nodiscard]] plugins::PadPtr padOf(const char* element, const char* pad) const;
  void stampPicture(GstPadProbeInfo* info);

  const OutgoingTrack m_track;  // without what cannot be done to its voice
  const bool m_voiceLacks;      // of it
  plugins::ElementPtr m_bin;
  net::Descriptor m_remote;  // PipeWire's, of a screen that is lent; open until the pipeline has stopped
  std::unique_ptr<EchoReference> m_echo;  // null unless echo is cancelled
  std::unique_ptr<LoopedFilm> m_film;     // null unless the source is one
  std::unique_ptr<TappedFilm> m_tapped;   // null unless the source is a player
  // Of look().
  std::uint64_t m_seen = 0;
  periodic::TimePoint m_seenAt{};
  bool m_silent = false;
  std::vector<LayerShare> m_shares;      // of setRate()
  std::atomic<std::size_t> m_wanted{0};  // the largest layer; as many as there are: none
  // Figures with one writer each.
  std::atomic<bool> m_muted{false};
  std::atomic<double> m_loudness{0};
  std::unique_ptr<SinkStage> m_preview;
  std::uint32_t m_number = 0;  // of the next picture; capturing thread
  std::unique_ptr<CallStage> m_capture;
  std::vector<std::unique_ptr<SendingLayer>> m_layers;  // last: the probes of the stages use the others
};

}  // namespace tactus::media
