// SPDX-License-Identifier: Apache-2.0
#include "media/playback/test_films.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace tactus::media::testing {
namespace fs = std::filesystem;

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

fs::path filmFolder() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path() / "films";
  fs::create_directories(folder);
  return folder;
}

fs::path film(const std::string& name, const std::vector<std::string>& arguments) {
  const fs::path path = filmFolder() / name;
  if (fs::exists(path)) return path;
  // Under another name first: a test run that is broken off leaves no half a film.
  const fs::path part = filmFolder() / (std::to_string(getpid()) + "-" + name);
  std::vector<std::string> command{"ffmpeg", "-v", "error", "-nostdin", "-y"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.push_back(part.string());
  std::vector<char*> argv;
  for (auto& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, "ffmpeg", nullptr, nullptr, argv.data(), environ) != 0) return {};
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) return {};
  fs::rename(part, path);
  return path;
}

fs::path numberedFilm(int frames) {
  const std::string seconds = std::to_string(frames / 25.0);
  return film("numbered" + std::to_string(frames) + ".mkv",
              {"-f",
               "lavfi",
               "-i",
               "nullsrc=s=320x240:r=25:d=" + seconds +
                   ",geq=lum='if(mod(floor(N/pow(2,floor(X/32))),2),235,16)':cb=128:cr=128",
               "-f",
               "lavfi",
               "-i",
               "sine=440:r=48000:d=" + seconds,
               "-c:v",
               "libx264",
               "-preset",
               "fast",
               "-pix_fmt",
               "yuv420p",
               "-g",
               "25",
               "-sc_threshold",
               "0",  // the numbers' change of columns is no cut
               "-bf",
               "2",
               "-c:a",
               "flac"});  // AAC's priming would delay the pictures
}

fs::path numberedPictures(int frames) {
  return film(
      "pictures" + std::to_string(frames) + ".mkv",
      {"-i", numberedFilm(frames).string(), "-an", "-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p"});
}

fs::path plainFilm(int seconds) {
  return film("plain" + std::to_string(seconds) + ".mp4", {"-f",        "lavfi",
                                                           "-i",        "testsrc2=s=320x240:r=30",
                                                           "-f",        "lavfi",
                                                           "-i",        "sine=440:r=48000",
                                                           "-t",        std::to_string(seconds),
                                                           "-c:v",      "libx264",
                                                           "-preset",   "ultrafast",
                                                           "-pix_fmt",  "yuv420p",
                                                           "-g",        "30",
                                                           "-c:a",      "aac",
                                                           "-movflags", "+faststart"});
}

fs::path song(const std::string& name, std::span<const std::int16_t> samples, const std::string& options) {
  const auto raw = std::as_bytes(samples);
  const fs::path file =
      fileOf(name + ".raw", std::string(reinterpret_cast<const char*>(raw.data()), raw.size()));
  return film(name, words("-f s16le -ar 48000 -ac 1 -i " + file.string() + " " + options));
}

fs::path fileOf(const std::string& name, const std::string& bytes) {
  const fs::path path = filmFolder() / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string bytesOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path manyTracks() {
  const auto meta = fileOf("chapters.txt",
                           ";FFMETADATA1\ntitle=The Film's Title\n"
                           "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=Opening\n"
                           "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2500\ntitle=Middle\n"
                           "[CHAPTER]\nTIMEBASE=1/1000\nSTART=2500\nEND=4000\ntitle=End\n");
  const auto first = fileOf("first.srt", kNothingBolder);
  const auto second = fileOf("second.srt", "1\n00:00:00,000 --> 00:00:03,900\nI\n\n");
  std::vector<std::string> arguments = words(
      "-f lavfi -i color=black:s=320x240:r=25:d=4 -f lavfi -i sine=440:r=48000:d=4 "
      "-f lavfi -i sine=880:r=48000:d=4");
  for (const auto& input : {first, second, meta}) {
    arguments.emplace_back("-i");
    arguments.push_back(input.string());
  }
  for (auto& each : words("-map_metadata 5 -map 0:v -map 1:a -map 2:a -map 3:s -map 4:s "
                          "-c:v libx264 -pix_fmt yuv420p -c:a flac -c:s srt "
                          "-metadata:s:a:0 language=eng -metadata:s:a:1 language=deu "
                          "-metadata:s:a:1 title=Kommentar "
                          "-metadata:s:s:0 language=eng -metadata:s:s:1 language=fra"))
    arguments.push_back(std::move(each));
  return film("tracks.mkv", arguments);
}

}  // namespace tactus::media::testing
