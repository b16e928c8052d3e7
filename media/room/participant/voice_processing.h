// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tactus::media {

/// What is done to a microphone's sound before it is encoded; by default nothing.
struct VoiceProcessing {
  bool echo = false;   ///< what the speakers play is taken out
  bool noise = false;  ///< likewise noise that stays the same
  bool gain = false;   ///< quiet voices are made louder
  /// The sink whose echo it is: PipeWire's node, empty: the session's default.
  std::string monitorOf = {};

  /// All that helps speech.
  [[nodiscard]] static VoiceProcessing speech() { return {.echo = true, .noise = true, .gain = true}; }
  [[nodiscard]] bool any() const noexcept { return echo || noise || gain; }
  friend bool operator==(const VoiceProcessing&, const VoiceProcessing&) = default;
};

/// The element "voice" that does it, as gst-launch-1.0 takes it: mono, 48 kHz, S16LE. Whoever has the echo's
/// reference sets its "probe". Thread-safe: yes (pure).
[[nodiscard]] std::string voiceElementOf(const VoiceProcessing& processing);

}  // namespace tactus::media
