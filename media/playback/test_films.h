// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tactus::media::testing {

/// Where the tests' films lie; made on first use and kept for the next run.
[[nodiscard]] std::filesystem::path filmFolder();

/// A command line's words, for film().
[[nodiscard]] std::vector<std::string> words(const std::string& text);

/// The film of this name, made by ffmpeg with these arguments unless it is there already. Empty path if
/// ffmpeg failed.
[[nodiscard]] std::filesystem::path film(const std::string& name, const std::vector<std::string>& arguments);

/// `frames` pictures of 320x240 at 25 a second whose columns of 32 pixels are the bits of the picture's
/// number, lowest first; a keyframe every 25, and a tone. H.264 with pictures out of order in Matroska.
[[nodiscard]] std::filesystem::path numberedFilm(int frames);
/// The same in Motion JPEG, of which every picture is a keyframe; without sound.
[[nodiscard]] std::filesystem::path numberedPictures(int frames);

/// Test pattern and tone of so many seconds: H.264 and AAC in MP4, its index in front.
[[nodiscard]] std::filesystem::path plainFilm(int seconds);

/// Subtitles: large ones until 1.9 s, narrow ones from 2.5 s on.
inline constexpr const char* kNothingBolder =
    "1\n00:00:00,000 --> 00:00:01,900\nNOTHING WAS EVER WRITTEN BOLDER\n\n"
    "2\n00:00:02,500 --> 00:00:04,000\nII\n\n";

/// One picture track, two sound tracks, two subtitle tracks (the first is kNothingBolder) and three chapters.
[[nodiscard]] std::filesystem::path manyTracks();

/// A sound of one channel at 48 kHz, made with these options of ffmpeg's; the name's ending says the format.
[[nodiscard]] std::filesystem::path song(const std::string& name, std::span<const std::int16_t> samples,
                                         const std::string& options = "");

/// A file with these bytes.
[[nodiscard]] std::filesystem::path fileOf(const std::string& name, const std::string& bytes);
[[nodiscard]] std::string bytesOf(const std::filesystem::path& path);

}  // namespace tactus::media::testing
