// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <gst/gst.h>

#include <memory>
#include <optional>
#include <string>

#include "core/periodic/time/time.h"

namespace tactus::plugins::av {

/// One owner for each kind of libav handle.
template <auto Release>
struct AvReleaser {
  template <typename T>
  void operator()(T* handle) const noexcept {
    Release(&handle);
  }
};

using PacketPtr = std::unique_ptr<AVPacket, AvReleaser<av_packet_free>>;
using FramePtr = std::unique_ptr<AVFrame, AvReleaser<av_frame_free>>;
using CodecPtr = std::unique_ptr<AVCodecContext, AvReleaser<avcodec_free_context>>;
using ParametersPtr = std::unique_ptr<AVCodecParameters, AvReleaser<avcodec_parameters_free>>;
using FormatPtr = std::unique_ptr<AVFormatContext, AvReleaser<avformat_close_input>>;

/// GStreamer's view of libav's bytes, which live as long as it does; nothing is copied. The caller owns the
/// memory.
[[nodiscard]] inline GstMemory* memoryOf(AVBufferRef* bytes, std::uint8_t* begin, gsize size) {
  const GDestroyNotify release = [](gpointer held) {
    auto* reference = static_cast<AVBufferRef*>(held);
    av_buffer_unref(&reference);
  };
  return gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, begin, size, 0, size, av_buffer_ref(bytes),
                                release);
}

/// Null without memory.
[[nodiscard]] inline ParametersPtr copyOf(const AVCodecParameters& parameters) {
  ParametersPtr copy(avcodec_parameters_alloc());
  if (copy && avcodec_parameters_copy(copy.get(), &parameters) < 0) copy.reset();
  return copy;
}

/// An instant of a stream in nanoseconds; may be negative. Absent where the stream does not say.
[[nodiscard]] inline std::optional<periodic::Duration> instantOf(std::int64_t stamp,
                                                                 AVRational unit) noexcept {
  if (stamp == AV_NOPTS_VALUE) return std::nullopt;
  return periodic::Duration(av_rescale_q(stamp, unit, AVRational{1, 1'000'000'000}));
}

/// What libav says of an error, as the end of a sentence.
[[nodiscard]] inline std::string wordsOf(int error) {
  char words[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(error, words, sizeof words);
  return words;
}

}  // namespace tactus::plugins::av
