// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <string>

#include "plugins/gst_handle.h"

namespace tactus::plugins {

/// What an error of GStreamer says, to stand within a sentence: without the stop and the space at its end.
/// Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] inline std::string wordsOf(const GError& error) {
  std::string words = error.message;
  words.erase(words.find_last_not_of(". \t\n") + 1);
  return words;
}
/// Likewise, of an error message.
[[nodiscard]] inline std::string wordsOf(GstMessage* message) {
  GError* raw = nullptr;
  gst_message_parse_error(message, &raw, nullptr);
  return wordsOf(*ErrorPtr(raw));
}

}  // namespace tactus::plugins
