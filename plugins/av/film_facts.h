// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <string>

#include "plugins/av/demuxer.h"
#include "plugins/av/subtitle_feed.h"
#include "plugins/gst_handle.h"

namespace tactus::plugins::av {

// What a container says of itself and its streams, as GStreamer's events and messages carry it. Thread-safe:
// yes.

/// "PREFIX/NUMBER", the stream's name within the program.
[[nodiscard]] std::string streamIdOf(const std::string& prefix, const FilmStream& stream);
/// Title, artist, album and so on, and the cover; null where there is nothing.
[[nodiscard]] TagListPtr filmTags(const Demuxer& film);
/// Title, language, codec, orientation.
[[nodiscard]] TagListPtr streamTags(const Demuxer& film, const FilmStream& stream);
/// Pictures, sound and subtitles in the container's order, covers left out.
[[nodiscard]] GstStreamCollection* collectionOf(const Demuxer& film, const std::string& prefix);
/// A subtitle file beside the film.
[[nodiscard]] GstStream* streamOf(const SubtitleStream& file);
/// The chapters; null where there are none. What lies beyond the end is left out.
[[nodiscard]] GstToc* contentsOf(const Demuxer& film);

}  // namespace tactus::plugins::av
