// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include "media/playback/pipeline.h"
#include "media/playback/player.h"

namespace tactus::media {

/// What a pipeline knows of its stream by now.
struct StreamFacts {
  std::optional<Duration> duration;
  bool seekable = false;
  bool hasPictures = false, hasSound = false;  ///< a sink has its format
  int width = 0, height = 0;                   ///< upright, square pixels; 0 = unknown
  double frameRate = 0;                        ///< 0 = variable or unknown

  /// Asks the pipeline. Not from a streaming thread.
  [[nodiscard]] static StreamFacts of(const Pipeline& pipeline);
  void addTo(MediaInfo& info) const;
};

/// Title and cover, where the tags have them; false if they say nothing new.
[[nodiscard]] bool addTags(const GstTagList* tags, MediaInfo& info);

}  // namespace tactus::media
