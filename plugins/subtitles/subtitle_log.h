// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
#include <ass/ass.h>
}

#include <string>

namespace tactus::plugins::subtitles {

/// What libass says goes to GStreamer's debug log, category "tactussubtitles", instead of to stderr.
/// Thread-safe: yes.
void logToGStreamer(ASS_Library* library);
/// A sentence of ours goes there as a warning. Thread-safe: yes.
void logProblem(const std::string& sentence);

}  // namespace tactus::plugins::subtitles
