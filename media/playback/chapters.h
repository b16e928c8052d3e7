// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <vector>

#include "media/playback/player.h"

namespace tactus::media {

/// The chapters of a table of contents, by start time. Editions are flattened; the first that has chapters
/// counts.
[[nodiscard]] std::vector<Chapter> chaptersOf(GstToc* toc);

}  // namespace tactus::media
