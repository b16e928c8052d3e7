// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/format_support.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace tactus::plugins::av {

bool decodes(const char* codec) noexcept {
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get_by_name(codec);
  return descriptor != nullptr && avcodec_find_decoder(descriptor->id) != nullptr;
}

bool reads(const char* container) noexcept {
  return av_find_input_format(container) != nullptr;
}

}  // namespace tactus::plugins::av
