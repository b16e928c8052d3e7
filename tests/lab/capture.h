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
  Pictures,  ///< Motion JPEG, as cameras send it: each picture for itself, with a sensor's noise
};

/// A film in 16:9 of this rate and height, whose pictures all cost about the same.
/// Written to FOLDER/capture-HEIGHT.mp4 or .mkv.
[[nodiscard]] Result<std::filesystem::path> encodeCapture(const std::filesystem::path& folder, int rate,
                                                          int height, std::chrono::seconds length,
                                                          CaptureCoding coding);

/// The height, in lines, at which a film needs about `wanted` processors where one of `height` lines needs
/// `used`: the cost grows with the area. Between 240 and 2160, a multiple of 8.
[[nodiscard]] int heightThatNeeds(double wanted, int height, double used);

/// When each tile's display stage completed its pictures, in seconds after the first picture of all, from the
/// player's trace. One list for each name, in ascending order.
[[nodiscard]] std::vector<std::vector<double>> shownPictures(const std::filesystem::path& trace,
                                                             const std::vector<std::string>& names);

/// Pictures a second within [from, to).
[[nodiscard]] double rateWithin(const std::vector<double>& times, double from, double to);

}  // namespace tactus::lab
