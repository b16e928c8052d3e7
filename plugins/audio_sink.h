// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <string>

namespace tactus::plugins {

/// `tactusaudiosink`: GstAudioSink over a pw_stream of its own. Channels may change at any time; the rate is
/// that of the first sound. Properties: `target-object` (node name or
/// serial, empty = default), `connected` (bool, read-only, notified), `stream-name`. When PipeWire is absent,
/// goes away or is killed, the element keeps consuming in real time (the clock goes on, the picture plays)
/// and reconnects once a second; sound returns by itself. Never posts an error for a missing daemon, posts an
/// element message `tactus-audio-output` with fields connected (boolean) and reason (string) instead.
struct AudioSinkState {
  bool connected = false;
  std::string reason;  ///< why not, a sentence; empty when connected
  std::uint64_t underruns = 0;
  std::uint64_t reconnects = 0;
};
[[nodiscard]] AudioSinkState audioSinkState(GstElement* sink);

}  // namespace tactus::plugins
