// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/hardware.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "plugins/av/av_log.h"

namespace tactus::plugins::av {
namespace {

std::atomic<const Hardware*> present{nullptr};
std::once_flag begun;

/// Those whose pictures are the same everywhere; of older ones devices make their own.
constexpr auto kTrusted =
    std::to_array({AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1});

/// VAAPI by the kernel's device: the display is not ours to talk to here.
int openDevice(HardwareDevice& device) {
  AVDictionary* options = nullptr;
  if (device.type == AV_HWDEVICE_TYPE_VAAPI) av_dict_set(&options, "connection_type", "drm", 0);
  const std::unique_ptr<AVDictionary, AvReleaser<av_dict_free>> held(options);
  AVBufferRef* context = nullptr;
  const int opened = av_hwdevice_ctx_create(&context, device.type, nullptr, options, 0);
  device.context.reset(context);
  return opened;
}

}  // namespace

Hardware::Hardware() {
  logToGStreamer();
  for (const auto& [kind, type] : {std::pair{HardwareWish::Vaapi, AV_HWDEVICE_TYPE_VAAPI},
                                   std::pair{HardwareWish::Cuda, AV_HWDEVICE_TYPE_CUDA}}) {
    HardwareDevice device{kind, type, nullptr};
    if (openDevice(device) >= 0) {
      m_devices.push_back(std::move(device));
    } else {
      m_missing += std::string(m_missing.empty() ? "" : " ") + "There is no " + std::string(nameOf(kind)) +
                   " device that can be opened.";
    }
  }
}

void Hardware::lookFor() {
  std::call_once(begun, [] {
    std::thread([] {
      pthread_setname_np(pthread_self(), "tactus-hwdec");
      present.store(new Hardware, std::memory_order_release);  // for ever: decoders hold its devices
      present.notify_all();
    }).detach();
  });
}

const Hardware* Hardware::found() noexcept {
  return present.load(std::memory_order_acquire);
}

const Hardware& Hardware::await() {
  lookFor();
  present.wait(nullptr, std::memory_order_acquire);
  return *found();
}

HardwareDecoder hardwareDecoderFor(AVCodecID codec, AVHWDeviceType type) noexcept {
  if (std::find(kTrusted.begin(), kTrusted.end(), codec) == kTrusted.end()) return {};
  void* place = nullptr;
  while (const AVCodec* decoder = av_codec_iterate(&place)) {
    // Those that are hardware through and through have no place for a device of ours.
    if (decoder->id != codec || av_codec_is_decoder(decoder) == 0 ||
        (decoder->capabilities & AV_CODEC_CAP_HARDWARE) != 0)
      continue;
    for (int i = 0; const AVCodecHWConfig* way = avcodec_get_hw_config(decoder, i); ++i)
      if (way->device_type == type && (way->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0)
        return {decoder, way->pix_fmt};
  }
  return {};
}

}  // namespace tactus::plugins::av
