// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/av_log.h"

extern "C" {
#include <libavutil/log.h>
}

#include <gst/gst.h>

#include <cstdarg>

GST_DEBUG_CATEGORY_STATIC(s_category);

namespace tactus::plugins::av {
namespace {

GstDebugLevel levelOf(int level) noexcept {
  if (level <= AV_LOG_FATAL) return GST_LEVEL_ERROR;
  if (level <= AV_LOG_WARNING) return GST_LEVEL_WARNING;  // a damaged packet is an error of libav's
  return level <= AV_LOG_VERBOSE ? GST_LEVEL_INFO : GST_LEVEL_DEBUG;
}

void log(void* context, int level, const char* format, std::va_list arguments) {
  if (level < 0 || level > AV_LOG_DEBUG || gst_debug_category_get_threshold(s_category) < levelOf(level))
    return;
  const AVClass* kind = context != nullptr ? *static_cast<AVClass**>(context) : nullptr;
  gst_debug_log_valist(s_category, levelOf(level), kind != nullptr ? kind->item_name(context) : "libav", "",
                       0, nullptr, format, arguments);
}

}  // namespace

void logToGStreamer() {
  GST_DEBUG_CATEGORY_INIT(s_category, "tactusav", 0, "what libav's libraries say");
  av_log_set_callback(log);
}

}  // namespace tactus::plugins::av
