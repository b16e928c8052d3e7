// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conference/room/room_facts.h"
#include "conference/room/sid.h"

namespace tactus::conference {

/// What a participant sends over one connection: sound and pictures that are played in time with each other.
enum class StreamName : std::uint8_t {
  Camera,  ///< camera and microphone
  Screen,  ///< screen and its sound
};

/// As paths call it. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr std::string_view nameOf(StreamName name) noexcept {
  return name == StreamName::Camera ? "camera" : "screen";
}
[[nodiscard]] constexpr StreamName streamOf(TrackSource source) noexcept {
  return source == TrackSource::Camera || source == TrackSource::Microphone ? StreamName::Camera
                                                                            : StreamName::Screen;
}

/// One stream of a room.
struct StreamKey {
  ParticipantSid publisher = {};
  StreamName name = StreamName::Camera;
  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;

  /// "PA_.../camera". Thread-safe: yes (pure). Real-time-safe: no.
  [[nodiscard]] std::string path() const { return publisher.text() + "/" + std::string(nameOf(name)); }
  /// nullopt: `path` names no stream. Thread-safe: yes (pure). Real-time-safe: no.
  [[nodiscard]] static std::optional<StreamKey> parse(std::string_view path) {
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto publisher = ParticipantSid::parse(path.substr(0, slash));
    if (!publisher) return std::nullopt;
    for (const StreamName name : {StreamName::Camera, StreamName::Screen})
      if (path.substr(slash + 1) == nameOf(name)) return StreamKey{*publisher, name};
    return std::nullopt;
  }
};

}  // namespace tactus::conference
