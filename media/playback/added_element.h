// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// What an element that playbin has added is to us.
enum class ElementRole {
  Other,
  TypeFinder,
  DemuxerOrParser,
  VideoDecoder,
  AudioDecoder,
  PictureQueue,
  SubtitleRenderer
};

/// Thread-safe: yes.
[[nodiscard]] ElementRole roleOf(GstElement* element);

/// A network source: gives up on a server that says nothing for so long. Sources without such a property keep
/// their own patience.
void configureSource(GstElement* source, periodic::Duration timeout);

/// decodebin 1.22 throws away what an element says while it is being connected. A demuxer of files reads in a
/// thread of its own, and may have refused the film by then: nobody would ever hear of it. Holds its reading
/// until what decodebin does when `typeFinder` (of the same decodebin) finds a type is done.
void holdUntilConnected(GstElement* demuxer);
void letGoWhenConnected(GstElement* typeFinder);

/// assrender 1.22 passes events that it does not use from its text input on to its video output. There it
/// waits for the lock of the pad behind it, which the video's thread takes anew as soon as it lets go of it,
/// often until the film's end, and all subtitles wait behind it. Keeps these events from it: the video has
/// its own.
void keepTextEventsFromVideo(GstElement* subtitleRenderer);

}  // namespace tactus::media
