// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
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

/// A capture, and the processors that playing it took.
struct MeasuredCapture {
  std::filesystem::path file;
  int height = 0;
  double used = 0;
};
/// Of a few heights, from `first` lines on, the capture that needs nearest to `wanted` processors: the cost
/// grows with the area. `measure` plays it and says what it used. Errors: those of `measure` and of encoding;
/// Unsupported.
[[nodiscard]] Result<MeasuredCapture> captureThatNeeds(
    double wanted, int first, const std::function<Result<std::filesystem::path>(int)>& encode,
    const std::function<Result<double>(const std::filesystem::path&)>& measure);

/// When each tile's display stage completed its pictures, in seconds after the first picture of all, from the
/// player's trace. One list for each name, in ascending order.
[[nodiscard]] std::vector<std::vector<double>> shownPictures(const std::filesystem::path& trace,
                                                             const std::vector<std::string>& names);

/// Pictures a second within [from, to).
[[nodiscard]] double rateWithin(const std::vector<double>& times, double from, double to);

}  // namespace tactus::lab
