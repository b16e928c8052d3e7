// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
#include <libavformat/avio.h>
}

namespace tactus::plugins::av {

/// How far a Matroska file is looked through before it is read.
enum class Reach {
  BeforePictures,  ///< what comes before the first of them
  SeekHead         ///< and what its seek head names, wherever it lies
};

/// Whether a Matroska file has a thousand tracks, or more than half a megabyte of chapters and tags:
/// libavformat compares each of these with all others, so that some megabytes would keep it for hours. Leaves
/// the bytes at their beginning.
[[nodiscard]] bool hasTooLargeTables(AVIOContext& file, Reach reach);

}  // namespace tactus::plugins::av
