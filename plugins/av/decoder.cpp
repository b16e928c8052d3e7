// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/decoder.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tactus::plugins::av {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;  // a header that says more lies

}  // namespace

Result<std::unique_ptr<Decoder>> Decoder::open(const AVCodecParameters& parameters, AVRational rate,
                                               int threads) {
  const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
  const std::string name = avcodec_get_name(parameters.codec_id);
  if (codec == nullptr) return Error{ErrorCode::Unsupported, "There is no decoder for " + name + " here."};
  CodecPtr context(avcodec_alloc_context3(codec));
  if (!context || avcodec_parameters_to_context(context.get(), &parameters) < 0)
    return Error{ErrorCode::System, "There is no memory to decode " + name + "."};
  context->pkt_timebase = {1, 1'000'000'000};
  context->framerate = rate;
  context->thread_count = std::max(1, threads);
  context->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
  context->max_pixels = kMostPixels;
  if (const int opened = avcodec_open2(context.get(), codec, nullptr); opened < 0)
    return Error{ErrorCode::Unsupported,
                 "The decoder for " + name + " refused the stream: " + wordsOf(opened) + "."};
  return std::unique_ptr<Decoder>(new Decoder(std::move(context)));
}

Decoder::Fate Decoder::send(const AVPacket* packet) {
  const int sent = avcodec_send_packet(m_codec.get(), packet);
  if (sent == AVERROR(EAGAIN)) return Fate::Full;
  return sent < 0 ? Fate::Damaged : Fate::Taken;
}

void Decoder::drain() {
  (void)avcodec_send_packet(m_codec.get(), nullptr);  // fails when it is draining already
}

FramePtr Decoder::receive() {
  FramePtr frame(av_frame_alloc());
  for (int damaged = 0; frame && damaged < 16; ++damaged) {
    const int received = avcodec_receive_frame(m_codec.get(), frame.get());
    if (received >= 0) return frame;
    // With threads what is wrong with a packet is told here.
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) break;
  }
  return nullptr;
}

void Decoder::flush() {
  avcodec_flush_buffers(m_codec.get());
}

}  // namespace tactus::plugins::av
