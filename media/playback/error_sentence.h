// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <string>

#include "core/periodic/result.h"

namespace tactus::media {

/// One sentence for a person out of GStreamer's error. `what` is the title or address of the item; `missing`
/// the description of a missing decoder, empty if none is.
[[nodiscard]] Error sentenceOf(const GError& error, const char* debug, const std::string& what,
                               const std::string& missing);

}  // namespace tactus::media
