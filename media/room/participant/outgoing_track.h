// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/net/link/bit_rate.h"
#include "core/periodic/result.h"
#include "media/room/participant/lent_screen.h"
#include "media/room/participant/voice_processing.h"
#include "media/room/track_feed.h"
#include "media/stage/film_tap.h"

namespace tactus::media {

/// Where the pictures or the sound of a track come from.
struct CaptureSource {
  enum class Kind {
    Test,    ///< a moving picture with a number and a clock (PictureStamp), or a tone of 440 Hz
    File,    ///< the pictures or the sound of a film, again and again
    Device,  ///< a camera, a microphone
    Screen,  ///< that the desktop lends, else of X11
    Player   ///< what a player shows or sounds, while its window plays it
  };
  Kind kind = Kind::Test;
  /// Path of the film; "/dev/video0", a camera of PipeWire's, or a source of PulseAudio's. Empty: the default
  /// device. Of X11: the display (":0"), empty: that of the session.
  std::string name = {};
  /// Of a microphone: what it hears is sent as it is, as music needs it.
  bool original = false;
  /// A screen; null: of X11. Shared: each call that is made of the track captures it anew.
  std::shared_ptr<const LentScreen> lent = {};
  /// Of a player; shared with it, and with each call that is made of the track.
  std::shared_ptr<FilmTap> film = {};
  friend bool operator==(const CaptureSource&, const CaptureSource&) = default;
};

/// What is done to its sound: as to speech, to that of a microphone. Thread-safe: yes (pure).
[[nodiscard]] inline VoiceProcessing usualVoice(const CaptureSource& source) {
  const bool spoken = source.kind == CaptureSource::Kind::Device && !source.original;
  return spoken ? VoiceProcessing::speech() : VoiceProcessing();
}

/// Its sound is sent as music: at a higher rate, and silence as well. Thread-safe: yes (pure).
[[nodiscard]] inline bool isMusic(const CaptureSource& source) {
  return source.original || source.kind == CaptureSource::Kind::File ||
         source.kind == CaptureSource::Kind::Player;
}

enum class VideoEncoding { Vp8, H264 };

/// A track that is published, and how it is encoded.
struct OutgoingTrack {
  MediaKind kind = MediaKind::Video;
  std::string cid = {};  ///< the track's id in the offer: letters, digits, '-' and '_'
  CaptureSource source = {};
  net::BitRate rate = net::BitRate::perSecond(800'000);  ///< most of what is encoded
  VoiceProcessing voice = {};                            ///< of sound
  // Of pictures alone:
  VideoEncoding encoding = VideoEncoding::Vp8;
  int width = 640, height = 360;  ///< even; what is captured is fitted into it
  int picturesPerSecond = 25;
  bool inTwoSizes = false;  ///< they are sent half as wide and high as well (TrackLayer), for small tiles

  [[nodiscard]] static OutgoingTrack video(std::string cid, CaptureSource source = {}) {
    return {.kind = MediaKind::Video, .cid = std::move(cid), .source = std::move(source)};
  }
  /// Of somebody in a call, whose tile is small with some and large with others.
  [[nodiscard]] static OutgoingTrack camera(std::string cid, CaptureSource source = {}) {
    OutgoingTrack track = video(std::move(cid), std::move(source));
    track.inTwoSizes = true;
    return track;
  }
  /// Its writing can be read: large, sharp, and fewer pictures.
  [[nodiscard]] static OutgoingTrack screen(std::string cid,
                                            CaptureSource source = {CaptureSource::Kind::Screen}) {
    return {.kind = MediaKind::Video,
            .cid = std::move(cid),
            .source = std::move(source),
            .rate = net::BitRate::perSecond(2'500'000),
            .width = 1280,
            .height = 720,
            .picturesPerSecond = 15};
  }
  /// A player's pictures, as fast as it shows them.
  [[nodiscard]] static OutgoingTrack film(std::string cid, std::shared_ptr<FilmTap> film) {
    OutgoingTrack track =
        screen(std::move(cid), {.kind = CaptureSource::Kind::Player, .film = std::move(film)});
    track.picturesPerSecond = 30;
    return track;
  }
  [[nodiscard]] static OutgoingTrack audio(std::string cid, CaptureSource source = {}) {
    const VoiceProcessing voice = usualVoice(source);
    const auto rate = net::BitRate::perSecond(isMusic(source) ? 96'000 : 32'000);
    return {.kind = MediaKind::Audio,
            .cid = std::move(cid),
            .source = std::move(source),
            .rate = rate,
            .voice = voice};
  }
};

/// Of those that are a microphone's: sent as it hears, or as speech. Thread-safe: yes (pure).
void setOriginalSound(std::vector<OutgoingTrack>& tracks, bool original);
/// InvalidArgument, one sentence, for values out of range. Thread-safe: yes (pure).
[[nodiscard]] Result<void> validate(const OutgoingTrack& track);
/// The elements that capture, encode and packetise the track, as gst-launch-1.0 takes them: "captured" has
/// what comes in the wanted size and at most at the wanted rate. For each layer, with its number: "waiting0"
/// is the queue before "encoder0", "payloader0" makes RTP packets, which leave by "packets0". A film comes by
/// the appsrc "film"; sound that is processed passes "voice". `previewed`: what is captured goes to a sink
/// "preview" as well, as in a mirror. Thread-safe: yes (pure).
[[nodiscard]] std::string elementsOf(const OutgoingTrack& track, bool previewed = false);
/// The first of these elements alone, for who tries a device before a call: a sink "preview" has its pictures
/// as in a mirror, a fakesink "heard" its sound. Not of a film. Thread-safe: yes (pure).
[[nodiscard]] std::string previewElementsOf(const OutgoingTrack& track);
/// The format of what a source of ours has, as caps: "captured" then has the same.
[[nodiscard]] std::string capturedFormat(const OutgoingTrack& track);

}  // namespace tactus::media
