// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include "core/periodic/result.h"
#include "plugins/aligned_memory.h"
#include "plugins/orientation.h"

namespace tactus::plugins {

/// A picture in its own size, upright, square pixels not made; byte order B G R x.
struct Rgb32Picture {
  AlignedMemory pixels;
  int width = 0;
  int height = 0;
  int stride = 0;  ///< bytes
};
/// Of a decoder's picture. Unavailable where there is none. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<Rgb32Picture> snapshotOf(GstSample* sample, Orientation orientation);

}  // namespace tactus::plugins
