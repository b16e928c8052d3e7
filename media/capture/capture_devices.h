// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "media/room/participant/outgoing_track.h"

namespace tactus::media {

/// A camera or a microphone of this machine.
struct CaptureDevice {
  std::string label = {};  ///< for people: "Built-in Audio"
  CaptureSource source = {};
  bool isDefault = false;  ///< the desktop's choice
  friend bool operator==(const CaptureDevice&, const CaptureDevice&) = default;
};

/// The devices of this kind that are there now, the default one first; what another program plays is none.
/// Thread-safe: yes. Real-time-safe: no; waits for the daemon, 2 s at most for one that hangs.
[[nodiscard]] std::vector<CaptureDevice> captureDevices(MediaKind kind);

}  // namespace tactus::media
