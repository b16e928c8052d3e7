// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tactus::media {

/// Whether a file of this name should hold subtitles, by its ending. Pure.
[[nodiscard]] bool namesSubtitles(const std::string& name);
/// Of the names in a film's folder those of its subtitles: "film.srt" for "film.mkv", which comes first, and
/// "film.en.srt", in their order. Pure.
[[nodiscard]] std::vector<std::string> subtitlesAmong(std::vector<std::string> names,
                                                      const std::string& film);
/// The paths of the subtitles beside a film; nothing where the folder cannot be read. Blocking.
[[nodiscard]] std::vector<std::string> subtitlesBeside(const std::string& film);

}  // namespace tactus::media
