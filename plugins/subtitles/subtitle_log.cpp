// SPDX-License-Identifier: Apache-2.0
#include "plugins/subtitles/subtitle_log.h"

#include <gst/gst.h>

#include <cstdarg>
#include <mutex>

GST_DEBUG_CATEGORY_STATIC(s_category);

namespace tactus::plugins::subtitles {
namespace {

constexpr int kWarning = 2, kInformation = 5;  // libass's levels

void makeCategory() {
  static std::once_flag once;
  std::call_once(once,
                 [] { GST_DEBUG_CATEGORY_INIT(s_category, "tactussubtitles", 0, "drawing of subtitles"); });
}

GstDebugLevel levelOf(int level) noexcept {
  if (level <= kWarning) return GST_LEVEL_WARNING;
  return level <= kInformation ? GST_LEVEL_INFO : GST_LEVEL_DEBUG;
}

void log(int level, const char* format, std::va_list arguments, void*) {
  if (gst_debug_category_get_threshold(s_category) < levelOf(level)) return;
  gst_debug_log_valist(s_category, levelOf(level), "libass", "", 0, nullptr, format, arguments);
}

}  // namespace

void logToGStreamer(ASS_Library* library) {
  makeCategory();
  ass_set_message_cb(library, log, nullptr);
}

void logProblem(const std::string& sentence) {
  makeCategory();
  GST_CAT_WARNING(s_category, "%s", sentence.c_str());
}

}  // namespace tactus::plugins::subtitles
