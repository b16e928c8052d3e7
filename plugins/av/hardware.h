// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <string>
#include <vector>

#include "plugins/av/av_handle.h"
#include "plugins/av/hardware_wish.h"

namespace tactus::plugins::av {

using BytesPtr = std::unique_ptr<AVBufferRef, AvReleaser<av_buffer_unref>>;

/// A device that decodes pictures; they are fetched into the processor's memory.
struct HardwareDevice {
  HardwareWish kind = HardwareWish::Vaapi;
  AVHWDeviceType type = AV_HWDEVICE_TYPE_NONE;
  BytesPtr context;
};

/// What this machine has. It is looked for once a process, which may take half a second.
class Hardware {
 public:
  /// Begins to look, in a thread of its own, unless that has been done. Thread-safe: yes.
  static void lookFor();
  /// Null until it has been looked for. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] static const Hardware* found() noexcept;
  /// Looks, and waits until it has been. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static const Hardware& await();

  [[nodiscard]] const std::vector<HardwareDevice>& devices() const noexcept { return m_devices; }
  /// Why there are no others; one sentence a kind.
  [[nodiscard]] const std::string& missing() const noexcept { return m_missing; }

 private:
  Hardware();
  std::vector<HardwareDevice> m_devices;
  std::string m_missing;
};

/// libavcodec's decoder for the codec on such a device, and the format of its pictures there. Null where
/// there is none, or where it is known to be wrong.
struct HardwareDecoder {
  const AVCodec* codec = nullptr;
  AVPixelFormat format = AV_PIX_FMT_NONE;
};
[[nodiscard]] HardwareDecoder hardwareDecoderFor(AVCodecID codec, AVHWDeviceType type) noexcept;

}  // namespace tactus::plugins::av
