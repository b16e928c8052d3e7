// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
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

/// The cameras and microphones of this machine, as they come and go. Thread-safe: yes, but for the
/// constructor and the destructor. Real-time-safe: no.
class CaptureDevices {
 public:
  /// Called on a thread of GStreamer's or PipeWire's whenever a device has come or gone; must not block.
  using Changed = std::function<void()>;

  /// Waits for the daemons of the desktop, 2 s at most for one that hangs. `changed` may be null.
  explicit CaptureDevices(const Changed& changed = {});
  ~CaptureDevices();
  CaptureDevices(const CaptureDevices&) = delete;
  CaptureDevices& operator=(const CaptureDevices&) = delete;

  /// Those that are there now, the default one first; what another program plays is none.
  [[nodiscard]] std::vector<CaptureDevice> list(MediaKind kind) const;

 private:
  class Inside;
  const std::unique_ptr<Inside> m_inside;
};

}  // namespace tactus::media
