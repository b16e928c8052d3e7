// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/capture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

#include "tests/lab/block_film.h"

namespace tactus::lab {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::seconds kScene{4};         // two groups of pictures at ten a second
constexpr int kTries = 4;                         // captures made to find the one that is wanted
constexpr double kLowest = 240, kTallest = 2160;  // lines

}  // namespace

Result<std::filesystem::path> encodeCapture(const std::filesystem::path& folder, int rate, int height,
                                            std::chrono::seconds length, CaptureCoding coding) {
  // The same few seconds again and again, so that the cost does not depend on when it is measured.
  const auto source = BlockFilm::create(folder, rate, kScene);
  if (!source.ok()) return source.error();
  const bool film = coding == CaptureCoding::Film;
  auto file = folder / ("capture-" + std::to_string(height) + (film ? ".mp4" : ".mkv"));
  const std::string size = std::to_string(height * 16 / 9 / 2 * 2) + ":" + std::to_string(height);
  std::vector<std::string> arguments{"-stream_loop", "-1",
                                     "-i",           source.value().file.string(),
                                     "-t",           std::to_string(length.count()),
                                     "-vf",          "scale=" + size + (film ? "" : ",noise=alls=12:allf=t")};
  if (film) {
    arguments.insert(arguments.end(), {"-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-x264-params",
                                       "b-pyramid=none:b-adapt=0:scenecut=0", "-g", "20"});
  } else {
    arguments.insert(arguments.end(), {"-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p"});
  }
  arguments.push_back(file.string());
  if (const auto encoded = runFfmpeg(arguments, "encode the capture", folder); !encoded.ok())
    return encoded.error();
  return file;
}

Result<MeasuredCapture> captureThatNeeds(
    double wanted, int first, const std::function<Result<std::filesystem::path>(int)>& encode,
    const std::function<Result<double>(const std::filesystem::path&)>& measure) {
  MeasuredCapture nearest;
  int height = first;
  for (int tries = 0; tries < kTries; ++tries) {
    const auto film = encode(height);
    if (!film.ok()) return film.error();
    const auto used = measure(film.value());
    if (!used.ok()) return used.error();
    if (used.value() <= 0)
      return Error{ErrorCode::Unsupported, "The player's processor time is not told here."};
    if (tries == 0 || std::abs(used.value() - wanted) < std::abs(nearest.used - wanted))
      nearest = {film.value(), height, used.value()};
    const double fitting = std::clamp(height * std::sqrt(wanted / used.value()), kLowest, kTallest);
    const int next = static_cast<int>(fitting) / 8 * 8;
    if (std::abs(next - height) <= height / 10) break;
    height = next;
  }
  return nearest;
}

std::vector<std::vector<double>> shownPictures(const std::filesystem::path& trace,
                                               const std::vector<std::string>& names) {
  std::ifstream in(trace);
  std::map<int, std::size_t> windowOf;  // by track
  std::vector<std::vector<double>> shown(names.size());
  double first = -1;
  for (std::string line; std::getline(in, line);) {
    const auto at = line.find("\"tid\":");
    if (at == std::string::npos) continue;
    const int track = std::atoi(line.c_str() + at + 6);
    if (line.find("\"thread_name\"") != std::string::npos) {
      for (std::size_t i = 0; i < names.size(); ++i)
        if (line.find("\"" + names[i] + ": video display") != std::string::npos) windowOf[track] = i;
      continue;
    }
    const auto window = windowOf.find(track);
    if (window == windowOf.end() || line.find("\"name\":\"run\"") == std::string::npos) continue;
    const auto stamp = line.find("\"ts\":");
    if (stamp == std::string::npos) continue;
    const double seconds = std::atof(line.c_str() + stamp + 5) * 1e-6;
    if (first < 0 || seconds < first) first = seconds;
    shown[window->second].push_back(seconds);
  }
  for (auto& window : shown) {
    std::sort(window.begin(), window.end());
    for (double& time : window) time -= first;
  }
  return shown;
}

double rateWithin(const std::vector<double>& times, double from, double to) {
  const auto count = std::count_if(times.begin(), times.end(), [&](double t) { return t >= from && t < to; });
  return static_cast<double>(count) / (to - from);
}

}  // namespace tactus::lab
