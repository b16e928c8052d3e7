// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/decoder.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tactus::plugins::av {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;  // a header that says more lies
/// Packets in a row: so many are a device that has failed, or a stream that it cannot decode.
constexpr int kMostFailures = 3;

}  // namespace

Result<std::unique_ptr<Decoder>> Decoder::open(const AVCodecParameters& parameters, AVRational rate,
                                               int threads, const HardwareDevice* device) {
  const HardwareDecoder hardware =
      device != nullptr ? hardwareDecoderFor(parameters.codec_id, device->type) : HardwareDecoder{};
  const AVCodec* codec = device != nullptr ? hardware.codec : avcodec_find_decoder(parameters.codec_id);
  const std::string name = avcodec_get_name(parameters.codec_id);
  if (codec == nullptr) return Error{ErrorCode::Unsupported, "There is no decoder for " + name + " here."};
  std::unique_ptr<Decoder> decoder(new Decoder(hardware.format));
  CodecPtr context(avcodec_alloc_context3(codec));
  if (!context || avcodec_parameters_to_context(context.get(), &parameters) < 0)
    return Error{ErrorCode::System, "There is no memory to decode " + name + "."};
  context->pkt_timebase = {1, 1'000'000'000};
  context->framerate = rate;
  context->thread_count = device != nullptr ? 1 : std::max(1, threads);
  context->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
  context->max_pixels = kMostPixels;
  if (device != nullptr) {
    context->hw_device_ctx = av_buffer_ref(device->context.get());
    context->get_format = choose;
    context->opaque = decoder.get();
  }
  if (const int opened = avcodec_open2(context.get(), codec, nullptr); opened < 0)
    return Error{ErrorCode::Unsupported,
                 "The decoder for " + name + " refused the stream: " + wordsOf(opened) + "."};
  decoder->m_codec = std::move(context);
  return decoder;
}

/// Called again without the device's format where the device refuses the stream's size or profile. There is
/// no other: software has a decoder of its own, with its threads.
AVPixelFormat Decoder::choose(AVCodecContext* codec, const AVPixelFormat* offered) {
  auto& self = *static_cast<Decoder*>(codec->opaque);
  for (; *offered != AV_PIX_FMT_NONE; ++offered)
    if (*offered == self.m_onDevice) return *offered;
  self.m_refused = true;
  return AV_PIX_FMT_NONE;
}

Decoder::Fate Decoder::send(const AVPacket* packet) {
  if (m_refused) return Fate::Refused;
  const int sent = avcodec_send_packet(m_codec.get(), packet);
  if (sent == AVERROR(EAGAIN)) return Fate::Full;
  m_failures = sent < 0 ? m_failures + 1 : 0;
  if (m_onDevice != AV_PIX_FMT_NONE && m_failures >= kMostFailures) m_refused = true;
  if (m_refused) return Fate::Refused;
  return sent < 0 ? Fate::Damaged : Fate::Taken;
}

void Decoder::drain() {
  (void)avcodec_send_packet(m_codec.get(), nullptr);  // fails when it is draining already
}

FramePtr Decoder::receive() {
  FramePtr frame(av_frame_alloc());
  for (int damaged = 0; frame && damaged < 16; ++damaged) {
    const int received = avcodec_receive_frame(m_codec.get(), frame.get());
    if (received >= 0) return fetched(std::move(frame));
    // With threads what is wrong with a packet is told here.
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) break;
  }
  return nullptr;
}

FramePtr Decoder::fetched(FramePtr picture) {
  if (m_onDevice == AV_PIX_FMT_NONE || picture->format != m_onDevice) return picture;
  FramePtr here(av_frame_alloc());
  if (here && av_hwframe_transfer_data(here.get(), picture.get(), 0) >= 0 &&
      av_frame_copy_props(here.get(), picture.get()) >= 0)
    return here;
  m_refused = true;
  return nullptr;
}

void Decoder::flush() {
  avcodec_flush_buffers(m_codec.get());
}

}  // namespace tactus::plugins::av
