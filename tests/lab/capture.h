// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "core/periodic/result.h"

namespace tactus::lab {

/// How the pictures of a capture are coded.
enum class CaptureCoding {
  Film,      ///< H.264; none refers to three of four pictures
  Pictures,  ///< Motion JPEG, as cameras send it: each picture for itself
};

/// A film of so many pictures a second and 16:9 of this height, whose pictures cost the same throughout.
/// Written to FOLDER/capture-HEIGHT.mp4 or .mkv.
[[nodiscard]] Result<std::filesystem::path> encodeCapture(const std::filesystem::path& folder, int rate,
                                                          int height, std::chrono::seconds length,
                                                          CaptureCoding coding);

/// When the display stages of these tiles completed their pictures, in seconds after the first of all, from
/// the player's trace. One list a name, in ascending order.
[[nodiscard]] std::vector<std::vector<double>> shownPictures(const std::filesystem::path& trace,
                                                             const std::vector<std::string>& names);

/// Pictures a second within [from, to).
[[nodiscard]] double rateWithin(const std::vector<double>& times, double from, double to);

}  // namespace tactus::lab
