// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/outgoing_track.h"

#include <algorithm>
#include <cctype>

#include "core/periodic/trace/format.h"
#include "media/room/participant/track_layer.h"

namespace tactus::media {
namespace {

using periodic::format;

constexpr const char* kTransportWide =
    ",extmap-3=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\"";
constexpr int kLargestSide = 4096;
constexpr int kMostPictures = 60;
constexpr std::int64_t kLeastVideo = 30'000, kLeastAudio = 6'000, kMostAudio = 510'000;  // Opus: RFC 6716
/// A joiner asks for a keyframe; who asks more often gets the next one that is due.
constexpr const char* kKeyframes = " min-force-key-unit-interval=250000000";
/// Of two sizes, the larger first. Who forwards them tells them apart by their sources, too.
constexpr int kVp8Payloads[] = {96, 98}, kH264Payloads[] = {102, 104};
constexpr int kSecondsToKeyframe = 10;
constexpr int kMillisecondsInSecond = 1000;

/// A value in quotes, as gst-launch-1.0 reads it.
std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + "\"";
}

std::string device(const char* property, const std::string& name) {
  return name.empty() ? "" : std::string(" ") + property + "=" + quoted(name);
}

/// The compositor gives a picture when something has changed. What stands still is repeated at the rate of
/// the track, as that of X11: who comes later sees it, and the last change is not lost to the limit of the
/// rate. videorate fails where a stream tells no rate.
std::string lentScreen(const OutgoingTrack& track) {
  return format(
      "pipewiresrc name=screen client-name=Tactus path=%u do-timestamp=true keepalive-time=%d ! video/x-raw "
      "! capssetter caps=\"video/x-raw,framerate=%d/1\" ! videorate drop-only=true",
      track.source.lent->node(), kMillisecondsInSecond / track.picturesPerSecond, track.picturesPerSecond);
}

std::string cameraOf(const OutgoingTrack& track) {
  switch (track.source.kind) {
    case CaptureSource::Kind::Test:
      return "videotestsrc name=camera is-live=true pattern=ball ! " + capturedFormat(track);
    case CaptureSource::Kind::File:
      return "appsrc name=film is-live=true format=time max-buffers=2 leaky-type=downstream";
    case CaptureSource::Kind::Player:
      return "appsrc name=player is-live=true format=time ! videoflip name=upright";
    case CaptureSource::Kind::Screen:
      if (track.source.lent) return lentScreen(track);
      return "ximagesrc name=screen use-damage=false" + device("display-name", track.source.name) +
             format(" ! video/x-raw,framerate=%d/1", track.picturesPerSecond);
    case CaptureSource::Kind::Device:
      break;
  }
  const bool file = track.source.name.empty() || track.source.name.starts_with("/dev/");
  return (file ? "v4l2src name=camera" + device("device", track.source.name)
               : "pipewiresrc name=camera" + device("target-object", track.source.name)) +
         " ! decodebin";
}

std::string microphoneOf(const OutgoingTrack& track) {
  switch (track.source.kind) {
    case CaptureSource::Kind::Test:
      return "audiotestsrc name=microphone is-live=true freq=440 volume=0.3 samplesperbuffer=480";
    case CaptureSource::Kind::File:
      return "appsrc name=film is-live=true format=time max-time=200000000 leaky-type=downstream";
    case CaptureSource::Kind::Player:
      return "appsrc name=player is-live=true format=time";
    case CaptureSource::Kind::Screen:
    case CaptureSource::Kind::Device:
      break;
  }
  return "pulsesrc name=microphone client-name=Tactus" + device("device", track.source.name);
}

/// The thread that makes packets encrypts and sends them as well.
std::string toPayloader(std::size_t layer) {
  return format(" ! queue name=encoded%zu max-size-buffers=60 max-size-bytes=0 max-size-time=0 ! ", layer);
}

std::string encoderOf(const OutgoingTrack& track, std::size_t layer, net::BitRate rate) {
  const int distance = track.picturesPerSecond * kSecondsToKeyframe;
  const auto bits = static_cast<long long>(rate.bits());
  if (track.encoding == VideoEncoding::Vp8)
    return format(
               "vp8enc name=encoder%zu deadline=1 cpu-used=6 end-usage=cbr error-resilient=default "
               "buffer-size=600 buffer-initial-size=300 buffer-optimal-size=400 undershoot=95 "
               "dropframe-threshold=30 "
               "keyframe-max-dist=%d target-bitrate=%lld",
               layer, distance, bits) +
           kKeyframes + toPayloader(layer) +
           format("rtpvp8pay name=payloader%zu picture-id-mode=15-bit", layer);
  return format(
             "x264enc name=encoder%zu tune=zerolatency speed-preset=veryfast bframes=0 "
             "vbv-buf-capacity=300 "
             "key-int-max=%d bitrate=%lld",
             layer, distance, bits / 1000) +
         kKeyframes +
         std::string(" ! video/x-h264,profile=constrained-baseline ! h264parse config-interval=-1") +
         toPayloader(layer) +
         format("rtph264pay name=payloader%zu aggregate-mode=zero-latency config-interval=-1", layer);
}

std::string pictureFormat(const OutgoingTrack& track, const std::string& rate) {
  return format("video/x-raw,format=I420,width=%d,height=%d,framerate=%s,pixel-aspect-ratio=1/1", track.width,
                track.height, rate.c_str());
}

/// Drops what a camera gives beyond the rate. Were it to repeat pictures as well, videorate would keep each
/// back until the next one is there.
std::string limitedRate(const OutgoingTrack& track) {
  const std::string most = std::to_string(track.picturesPerSecond);
  return "videorate drop-only=true max-rate=" + most + " ! " + pictureFormat(track, "[0/1," + most + "/1]");
}

/// What is captured, as in a mirror, to who sends it. It is shown at once.
constexpr const char* kMirror =
    "queue name=mirrored leaky=downstream max-size-buffers=2 max-size-bytes=0 max-size-time=0 "
    "! videoflip video-direction=horiz ! tactusvideosink name=preview sync=false async=false";

std::string pictureSource(const OutgoingTrack& track) {
  return cameraOf(track) + " ! videoconvert ! videoscale add-borders=true ! " + limitedRate(track);
}

std::string soundSource(const OutgoingTrack& track) {
  return microphoneOf(track) + " ! audioconvert ! audioresample ! " + capturedFormat(track);
}

/// From what is captured to the packets of one size.
std::string layerElements(const OutgoingTrack& track, std::size_t layer, const TrackLayer& terms) {
  const bool vp8 = track.encoding == VideoEncoding::Vp8;
  const std::string scaled =
      terms.size == PictureSize{track.width, track.height}
          ? std::string()
          : format("videoscale ! video/x-raw,width=%d,height=%d ! ", terms.size.width, terms.size.height);
  return format(
             "queue name=waiting%zu leaky=downstream max-size-buffers=2 max-size-bytes=0 max-size-time=0 ! ",
             layer) +
         scaled + encoderOf(track, layer, terms.rate) +
         format(
             " ! capsfilter name=packets%zu caps=\"application/x-rtp,media=video,encoding-name=%s,payload=%d",
             layer, vp8 ? "VP8" : "H264", (vp8 ? kVp8Payloads : kH264Payloads)[layer]) +
         kTransportWide;
}

std::string videoElements(const OutgoingTrack& track, bool previewed) {
  const auto layers = layersOf(track);
  std::string elements = pictureSource(track) + " ! identity name=captured ! ";
  if (layers.size() == 1 && !previewed) return elements + layerElements(track, 0, layers[0]);
  elements += "tee name=all";
  if (previewed) elements += " all. ! " + std::string(kMirror);
  for (std::size_t i = 0; i < layers.size(); ++i) elements += " all. ! " + layerElements(track, i, layers[i]);
  return elements;
}

/// Speech is mono.
std::string voiceOf(const OutgoingTrack& track) {
  if (!track.voice.any()) return "";
  return " ! audioconvert ! audio/x-raw,channels=1 ! " + voiceElementOf(track.voice);
}

std::string audioElements(const OutgoingTrack& track) {
  const char* pauses = isMusic(track.source) ? "false" : "true";  // nothing is sent of silence
  return soundSource(track) + voiceOf(track) +
         " ! identity name=captured "
         "! queue name=waiting0 leaky=downstream max-size-buffers=0 max-size-bytes=0 "
         "max-size-time=100000000 " +
         format(
             "! opusenc name=encoder0 bitrate=%lld frame-size=20 inband-fec=true packet-loss-percentage=10 "
             "dtx=%s ! queue name=encoded0 max-size-buffers=60 max-size-bytes=0 max-size-time=0 "
             "! rtpopuspay name=payloader0 dtx=%s "
             "! capsfilter name=packets0 caps=\"application/x-rtp,media=audio,encoding-name=OPUS,payload=111",
             static_cast<long long>(track.rate.bits()), pauses, pauses) +
         kTransportWide;
}

bool isName(const std::string& cid) {
  return !cid.empty() && std::all_of(cid.begin(), cid.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
}

Result<void> validateVideo(const OutgoingTrack& track) {
  const auto side = [](int length) { return length >= 16 && length <= kLargestSide && length % 2 == 0; };
  if (!side(track.width) || !side(track.height))
    return Error{ErrorCode::InvalidArgument,
                 format("Pictures of %d x %d cannot be sent: both sides must be even, 16 to %d.", track.width,
                        track.height, kLargestSide)};
  if (track.picturesPerSecond < 1 || track.picturesPerSecond > kMostPictures)
    return Error{ErrorCode::InvalidArgument,
                 format("%d pictures a second cannot be sent: it must be 1 to %d.", track.picturesPerSecond,
                        kMostPictures)};
  if (track.rate.bits() < kLeastVideo)
    return Error{ErrorCode::InvalidArgument,
                 "Pictures cannot be sent with " + track.rate.inWords() + ": the least is 30 kbit/s."};
  return {};
}

}  // namespace

void setOriginalSound(std::vector<OutgoingTrack>& tracks, bool original) {
  for (OutgoingTrack& track : tracks) {
    if (track.kind != MediaKind::Audio) continue;
    CaptureSource source = track.source;
    source.original = original;
    track = OutgoingTrack::audio(track.cid, std::move(source));
  }
}

Result<void> validate(const OutgoingTrack& track) {
  if (!isName(track.cid))
    return Error{ErrorCode::InvalidArgument,
                 "A track's id must have letters, digits, '-' and '_' alone, and at least one."};
  if (track.source.kind == CaptureSource::Kind::File && track.source.name.empty())
    return Error{ErrorCode::InvalidArgument, "There is no film named whose pictures or sound are sent."};
  if (track.source.kind == CaptureSource::Kind::Player && !track.source.film)
    return Error{ErrorCode::InvalidArgument, "There is no player whose pictures or sound are sent."};
  if (track.kind == MediaKind::Video) return validateVideo(track);
  if (track.rate.bits() < kLeastAudio || track.rate.bits() > kMostAudio)
    return Error{ErrorCode::InvalidArgument,
                 "Sound cannot be sent with " + track.rate.inWords() + ": it must be 6 to 510 kbit/s."};
  return {};
}

std::string capturedFormat(const OutgoingTrack& track) {
  if (track.kind == MediaKind::Audio)
    return "audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=[1,2]";
  return pictureFormat(track, std::to_string(track.picturesPerSecond) + "/1");
}

std::string previewElementsOf(const OutgoingTrack& track) {
  if (track.kind == MediaKind::Video) return pictureSource(track) + " ! " + kMirror;
  return soundSource(track) + " ! fakesink name=heard signal-handoffs=true sync=false async=false";
}

std::string elementsOf(const OutgoingTrack& track, bool previewed) {
  return track.kind == MediaKind::Video ? videoElements(track, previewed) : audioElements(track);
}

}  // namespace tactus::media
