// SPDX-License-Identifier: Apache-2.0
#include "media/playback/subtitles_fixture.h"

namespace tactus::media::testing {

std::filesystem::path darkFilm(const std::string& name, int seconds, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs, int height) {
  std::vector<std::string> arguments{
      "-f", "lavfi", "-i",
      "nullsrc=s=320x" + std::to_string(height) + ":r=25:d=" + std::to_string(seconds) +
          ",geq=lum='if(lt(Y,16)*mod(floor(N/pow(2,floor(X/32))),2),235,16)':cb="
          "128:cr=128"};
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  arguments.insert(arguments.end(), {"-map", "0:v", "-c:v", "libx264", "-preset", "fast", "-pix_fmt",
                                     "yuv420p", "-g", "25", "-sc_threshold", "0", "-bf", "2"});
  arguments.insert(arguments.end(), outputs.begin(), outputs.end());
  return film(name, arguments);
}

std::vector<int> picturesOf(const std::vector<std::pair<int, int>>& lines) {
  std::vector<int> numbers;
  for (const auto& [begin, end] : lines)
    for (int number = (begin + 39) / 40; number * 40 < end; ++number) numbers.push_back(number);
  return numbers;
}

}  // namespace tactus::media::testing
