// SPDX-License-Identifier: Apache-2.0
#include "media/playback/subtitles_beside.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <tuple>

namespace tactus::media {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kEndings{".srt", ".ass", ".ssa", ".vtt", ".sup", ".sub"};
constexpr std::size_t kLongestLanguage = 12;  // ".pt-BR.forced" is two
constexpr int kMostNames = 100'000;

/// What stands between the film's name and the ending; "-" where the name is another one.
std::string languageOf(const std::string& name, const std::string& stem) {
  if (!name.starts_with(stem)) return "-";
  const std::string rest = fs::path(name).stem().string().substr(stem.size());
  return rest.empty() || (rest.front() == '.' && rest.size() <= kLongestLanguage) ? rest : "-";
}

}  // namespace

bool namesSubtitles(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

std::vector<std::string> subtitlesAmong(std::vector<std::string> names, const std::string& film) {
  const std::string stem = fs::path(film).stem().string();
  std::erase_if(names, [&](const std::string& name) {
    return name == film || !namesSubtitles(name) || languageOf(name, stem) == "-";
  });
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return std::tuple(languageOf(a, stem), a) < std::tuple(languageOf(b, stem), b);
  });
  return names;
}

std::vector<std::string> subtitlesBeside(const std::string& film) {
  const fs::path path(film);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::vector<std::string> names;
  std::error_code failure;
  fs::directory_iterator entry(folder, failure);
  for (int i = 0; !failure && entry != fs::directory_iterator() && i < kMostNames; ++i) {
    names.push_back(entry->path().filename().string());
    entry.increment(failure);
  }
  std::vector<std::string> paths;
  for (const auto& name : subtitlesAmong(std::move(names), path.filename().string()))
    paths.push_back((folder / name).string());
  return paths;
}

}  // namespace tactus::media
