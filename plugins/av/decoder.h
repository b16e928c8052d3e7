// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/periodic/result.h"
#include "plugins/av/av_handle.h"
#include "plugins/av/hardware.h"

namespace tactus::plugins::av {

/// One of libavcodec's decoders, in software or on a device. Times are nanoseconds. One thread at a time; its
/// worker threads are libavcodec's, and inherit the name of the thread that opens it.
class Decoder {
 public:
  /// `device`: decodes, and outlives the decoder; null = in software, by so many threads. Errors: Unsupported
  /// (no such decoder here, or not for such a stream); one sentence.
  [[nodiscard]] static Result<std::unique_ptr<Decoder>> open(const AVCodecParameters& parameters,
                                                             AVRational rate, int threads,
                                                             const HardwareDevice* device = nullptr);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  enum class Fate {
    Taken,
    Full,     ///< receive() first, then again
    Damaged,  ///< the packet was given up
    Refused   ///< the device does not decode it: what was sent since is for another decoder
  };
  [[nodiscard]] Fate send(const AVPacket* packet);
  /// Nothing more will come: receive() gives what was kept back.
  void drain();
  /// What is decoded next, in the processor's memory; null until another packet is sent, after the last, and
  /// from when the device refuses on.
  [[nodiscard]] FramePtr receive();
  /// As newly opened: what was kept back is forgotten.
  void flush();

 private:
  explicit Decoder(AVPixelFormat onDevice) noexcept : m_onDevice(onDevice) {}
  static AVPixelFormat choose(AVCodecContext* codec, const AVPixelFormat* offered);
  [[nodiscard]] FramePtr fetched(FramePtr picture);

  const AVPixelFormat m_onDevice;  // none: in software
  bool m_refused = false;
  int m_failures = 0;  // one after the other
  CodecPtr m_codec;    // whose threads end before the rest goes
};

}  // namespace tactus::plugins::av
