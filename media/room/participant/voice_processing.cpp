// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/voice_processing.h"

#include "core/periodic/trace/format.h"

namespace tactus::media {

/// The time between a sample of the reference and its echo is found from the samples themselves: what the
/// devices say of their delay is a guess. More suppression of echo takes more of who speaks at the same time,
/// less leaves it to be heard. The gain's limiter keeps 3 dB below full scale.
std::string voiceElementOf(const VoiceProcessing& processing) {
  const auto inWords = [](bool wanted) { return wanted ? "true" : "false"; };
  return periodic::format(
      "webrtcdsp name=voice high-pass-filter=true voice-detection=false "
      "echo-cancel=%s delay-agnostic=true extended-filter=true echo-suppression-level=moderate "
      "noise-suppression=%s noise-suppression-level=high "
      "gain-control=%s gain-control-mode=adaptive-digital target-level-dbfs=3 compression-gain-db=9 "
      "limiter=true",
      inWords(processing.echo), inWords(processing.noise), inWords(processing.gain));
}

}  // namespace tactus::media
