// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tactus::media {

/// What a track of a room carries.
enum class MediaKind { Audio, Video };

/// How the packets of one track are encoded, as SDP says it (RFC 8866, 6.6 and 6.15).
struct TrackFormat {
  MediaKind kind = MediaKind::Video;
  std::string encoding = {};    ///< "VP8", "H264", "opus": the encoding name of rtpmap
  std::uint32_t clockRate = 0;  ///< ticks of the RTP time stamp in a second
  std::uint32_t channels = 0;   ///< of sound; 0 for pictures
  std::string parameters = {};  ///< value of fmtp without the payload type; empty if there is none
};

/// Takes the RTP packets of one track, as they came and in their order: each has its header, no extension is
/// interpreted, nothing is encrypted. A consumer never blocks: what it cannot take, it drops and counts.
class PacketConsumer {
 public:
  virtual ~PacketConsumer() = default;
  /// Packets that belong together, usually those of one picture; they are valid during the call only.
  /// Called from the feed's thread. Real-time-safe: must be.
  virtual void consume(std::span<const std::span<const std::byte>> packets) noexcept = 0;
};

/// The packets of one published track: where they come from. One feed has any number of consumers, which
/// cannot disturb each other.
class TrackFeed {
 public:
  virtual ~TrackFeed() = default;
  [[nodiscard]] virtual TrackFormat format() const = 0;
  /// From now on `consumer` gets each packet, until `remove()`. Thread-safe: yes. Real-time-safe: no.
  virtual void add(PacketConsumer& consumer) = 0;
  /// When it returns, `consumer` is not being called and will not be. Not from within `consume()`.
  /// Thread-safe: yes. Real-time-safe: no.
  virtual void remove(PacketConsumer& consumer) = 0;
  /// Asks the publisher for a picture that needs no other; the feed limits how often the request is passed
  /// on. Thread-safe: yes. Real-time-safe: yes.
  virtual void requestKeyframe() noexcept = 0;
};

}  // namespace tactus::media
