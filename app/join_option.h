// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/periodic/result.h"
#include "media/room/participant/outgoing_track.h"

namespace tactus::app {

/// The stay in a room. Plain data.
struct JoinOption {
  std::string link;
  std::string name = "Tactus";
  std::optional<media::CaptureSource> camera = media::CaptureSource{};      ///< absent: none is published
  std::optional<media::CaptureSource> microphone = media::CaptureSource{};  ///< likewise
  std::optional<std::string> speaker = {};  ///< PipeWire's node, empty: the default; absent: nobody hears it
  std::optional<bool> originalSound = {};   ///< of a microphone; absent: as was chosen for the last call
  // The command line names them; else a window takes the devices of the machine.
  bool nameNamed = false, cameraNamed = false, microphoneNamed = false, speakerNamed = false;
};

struct Options;

/// Each sets an option from its value; an error says why it cannot.
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] Result<void> setJoinName(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> setJoinCamera(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> setJoinMicrophone(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> setJoinSpeaker(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> setJoinVoice(Options& options, std::string_view name, std::string_view value);
/// The link is the only item. Thread-safe: yes (pure).
[[nodiscard]] Result<void> takeLink(Options& options);

}  // namespace tactus::app
