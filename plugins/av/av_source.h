// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>

#include "plugins/av/subtitle_feed.h"
#include "plugins/av/subtitle_file.h"

namespace tactus::plugins::av {

/// The subtitles of what a `tactusavsrc` plays. Shared with the element. Thread-safe: yes.
[[nodiscard]] std::shared_ptr<SubtitleFeed> subtitlesOf(GstElement* source);
/// A file beside the film becomes one more stream of it, which may be chosen at once. Thread-safe: yes.
void addSubtitles(GstElement* source, SubtitleFile file, bool chosen);

}  // namespace tactus::plugins::av
