// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/periodic/result.h"
#include "plugins/av/av_handle.h"

namespace tactus::plugins::av {

/// One of libavcodec's decoders. Times are nanoseconds. One thread at a time; its worker threads are
/// libavcodec's, and inherit the name of the thread that opens it.
class Decoder {
 public:
  /// Errors: Unsupported (no such decoder here, or not for such a stream); one sentence.
  [[nodiscard]] static Result<std::unique_ptr<Decoder>> open(const AVCodecParameters& parameters,
                                                             AVRational rate, int threads);

  enum class Fate { Taken, Full, Damaged };
  /// Full: receive() first, then again. Damaged: the packet was given up.
  [[nodiscard]] Fate send(const AVPacket* packet);
  /// Nothing more will come: receive() gives what was kept back.
  void drain();
  /// What is decoded next; null until another packet is sent, or after the last.
  [[nodiscard]] FramePtr receive();
  /// As newly opened: what was kept back is forgotten.
  void flush();

 private:
  explicit Decoder(CodecPtr codec) : m_codec(std::move(codec)) {}
  CodecPtr m_codec;
};

}  // namespace tactus::plugins::av
