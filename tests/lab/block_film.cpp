// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/block_film.h"

#include <cstdlib>
#include <fstream>

#include "tests/lab/block_code.h"
#include "tests/lab/child_process.h"

namespace tactus::lab {
namespace {

using namespace std::chrono_literals;

std::filesystem::path sampleFilm() {
  if (const char* given = std::getenv("TACTUS_FILM"); given != nullptr && std::filesystem::exists(given))
    return given;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path folder = cache != nullptr
                                           ? std::filesystem::path(cache)
                                           : std::filesystem::path(home != nullptr ? home : "/") / ".cache";
  const auto film = folder / "tactus" / "cockatoo.mp4";
  return std::filesystem::exists(film) ? film : std::filesystem::path();
}

std::string lastLine(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

Result<void> runFfmpeg(const std::vector<std::string>& arguments, const std::string& purpose,
                       const std::filesystem::path& folder) {
  const auto log = folder / "ffmpeg.log";
  std::vector<std::string> command{"ffmpeg", "-v", "error", "-nostdin", "-y"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  auto ffmpeg =
      ChildProcess::start(command, {.environment = {}, .outputFile = log.string(), .keptDescriptor = -1});
  if (!ffmpeg.ok()) return ffmpeg.error();
  const auto end = ffmpeg.value().wait(10min);
  if (!end || end->status != 0)
    return Error{ErrorCode::Unsupported, "ffmpeg cannot " + purpose + ": " + lastLine(log)};
  return {};
}

Result<BlockFilm> BlockFilm::create(const std::filesystem::path& folder, int framesPerSecond,
                                    std::chrono::seconds length, int keyframeDistance) {
  const std::string keyframes = std::to_string(keyframeDistance > 0 ? keyframeDistance : framesPerSecond);
  const std::string rate = std::to_string(framesPerSecond);
  const std::string size = std::to_string(kWidth) + "x" + std::to_string(kHeight);
  BlockFilm film;
  film.framesPerSecond = framesPerSecond;
  film.file = folder / ("blocks-" + rate + "-" + std::to_string(length.count()) + "s-" + keyframes + ".mp4");
  if (std::filesystem::exists(film.file)) return film;
  std::vector<std::string> arguments;
  std::string filters = "fps=" + rate;
  if (const auto sample = sampleFilm(); !sample.empty()) {
    arguments.insert(arguments.end(), {"-stream_loop", "-1", "-i", sample.string()});
    filters += ",scale=" + std::to_string(kWidth) + ":" + std::to_string(kHeight) + ",setsar=1";
  } else {
    arguments.insert(arguments.end(), {"-f", "lavfi", "-i", "testsrc2=s=" + size + ":r=" + rate});
    filters += ",noise=alls=20:allf=t";
  }
  filters += "," + BlockCode::filter() + ",format=yuv420p";
  const std::string cuts = keyframeDistance > 0 ? "0" : "40";  // where pictures change, x264 puts a keyframe
  const auto partial = folder / ("part-" + film.file.filename().string());
  arguments.insert(arguments.end(), {"-t", std::to_string(length.count()), "-vf", filters, "-an", "-c:v",
                                     "libx264", "-preset", "veryfast", "-crf", "23", "-g", keyframes,
                                     "-sc_threshold", cuts, "-movflags", "+faststart", partial.string()});
  if (const auto made = runFfmpeg(arguments, "make the film", folder); !made.ok()) return made.error();
  std::error_code failure;
  std::filesystem::rename(partial, film.file, failure);
  if (failure) return Error{ErrorCode::System, film.file.string() + ": " + failure.message()};
  return film;
}

}  // namespace tactus::lab
