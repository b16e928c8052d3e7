// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::lab {

/// Runs ffmpeg, quietly, over existing files; `purpose` ends the sentence "ffmpeg cannot ...". `arguments`
/// follow its name. Errors: NotFound, Unsupported (it failed; its last words follow).
[[nodiscard]] Result<void> runFfmpeg(const std::vector<std::string>& arguments, const std::string& purpose,
                                     const std::filesystem::path& folder);

/// A film whose pictures carry their number (BlockCode), made by ffmpeg: H.264, 1280x720, no sound. Its
/// pictures are those of the film in TACTUS_FILM, or of the cached sample film, again and again; a drawn,
/// noisy test picture where there is neither.
struct BlockFilm {
  static constexpr int kWidth = 1280;
  static constexpr int kHeight = 720;

  std::filesystem::path file;
  int framesPerSecond = 30;

  /// Makes it in `folder`, with a keyframe each so many pictures, 0 = each second. Errors: NotFound (no
  /// ffmpeg), Unsupported (ffmpeg failed; its last words follow).
  [[nodiscard]] static Result<BlockFilm> create(const std::filesystem::path& folder, int framesPerSecond,
                                                std::chrono::seconds length, int keyframeDistance = 0);
};

}  // namespace tactus::lab
