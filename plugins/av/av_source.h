// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>
#include <vector>

#include "plugins/av/subtitle_feed.h"
#include "plugins/av/subtitle_file.h"
#include "plugins/thread_hooks.h"

namespace tactus::plugins::av {

// A `tactusavsrc`. Thread-safe: yes.

/// What its readers' threads call: that is how they get their tasks. Before it leaves READY.
void setReaderHooks(GstElement* source, ThreadHooks hooks);
/// The subtitles of what it plays. Shared with the element.
[[nodiscard]] std::shared_ptr<SubtitleFeed> subtitlesOf(GstElement* source);
/// The film begins there, where it can be sought in, and nothing of it is brought before. In READY.
void beginAt(GstElement* source, periodic::Duration position);
/// A file beside the film becomes one more stream of it, which may be chosen at once.
void addSubtitles(GstElement* source, SubtitleFile file, bool chosen);

/// From now on each "tactus-read-to-end" message is to be answered by follow(); until it is the film's end
/// waits, which is read ahead of what is shown.
void askWhatFollows(GstElement* source);
/// Opens what is to follow the film without a gap, with the subtitle files beside it, the first of which is
/// shown; empty = nothing. It does so if it brings what the film brings: pictures, sound, or both. The group
/// id of its streams is higher than that of the film before; the first film's is 1. False if what was to
/// follow has begun already.
bool follow(GstElement* source, const std::string& path, std::vector<SubtitleFile> files);
/// The next stream-start of each stream has reached the sinks: what follows is the film from now on, for
/// seeks and queries. False if a seek in the film before was quicker.
[[nodiscard]] bool goOn(GstElement* source);
/// After that, in a thread that may wait: closes the film before, and tells the bus of the present one.
void closePast(GstElement* source);

}  // namespace tactus::plugins::av
