// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/periodic/result.h"
#include "media/room/participant/outgoing_track.h"
#include "plugins/video_target.h"

namespace tactus::media {

/// A camera that is seen, or a microphone that is heard, by its owner alone: before a call, to choose a
/// device. The device is free again once this has ended. Thread-safe: yes, but for create() and the
/// destructor. Real-time-safe: no.
class DevicePreview {
 public:
  /// Opens the device in the background. `target` (null for sound) is shared with the streaming thread.
  /// Errors: InvalidArgument (a film is no device), Unsupported (an element of GStreamer is missing).
  [[nodiscard]] static Result<std::unique_ptr<DevicePreview>> create(
      MediaKind kind, const CaptureSource& source, std::shared_ptr<plugins::VideoTarget> target = {});
  ~DevicePreview();
  DevicePreview(const DevicePreview&) = delete;
  DevicePreview& operator=(const DevicePreview&) = delete;

  /// Of the sound that was heard last (loudnessOf()).
  [[nodiscard]] double loudness() const noexcept;
  /// Something has come of it.
  [[nodiscard]] bool works() const noexcept;
  /// Why it does not work, a sentence; empty as long as nothing is known.
  [[nodiscard]] std::string fault() const;

 private:
  class Inside;
  explicit DevicePreview(std::unique_ptr<Inside> inside);
  const std::unique_ptr<Inside> m_inside;
};

}  // namespace tactus::media
