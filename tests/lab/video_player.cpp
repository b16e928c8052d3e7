// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/video_player.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace tactus::lab {
namespace {

std::filesystem::path reportFile(const Plan& plan) {
  return plan.scratch / "report.json";
}

std::string report(const Plan& plan) {
  std::ifstream in(reportFile(plan));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

const std::vector<VideoPlayer>& videoPlayers() {
  static const std::vector<VideoPlayer> players{
      {VideoPlayer::Kind::Tactus, "tactus"},
      {VideoPlayer::Kind::TactusWithoutRealtime, "tactus --realtime=none"},
      {VideoPlayer::Kind::Mpv, "mpv"},
      {VideoPlayer::Kind::Gstreamer, "playbin3"},
  };
  return players;
}

Result<ChildProcess> VideoPlayer::start(const Plan& plan, const BlockFilm& film, const std::string& display,
                                        PlayerBegin begin) const {
  const std::string size = std::to_string(BlockFilm::kWidth) + "x" + std::to_string(BlockFilm::kHeight);
  const ChildProcess::Options options{
      // Caches stay those of the session, so that no player has to build its own in each run.
      .environment = {{"DISPLAY", display},
                      {"WAYLAND_DISPLAY", ""},
                      {"QT_QPA_PLATFORM", "xcb"},
                      {"XDG_CONFIG_HOME", plan.scratch.string()},
                      {"XDG_DATA_HOME", plan.scratch.string()},
                      {"XDG_STATE_HOME", plan.scratch.string()}},
      .outputFile = (plan.scratch / "player.log").string(),
      .keptDescriptor = -1};
  std::vector<std::string> arguments;
  if (isTactus()) {
    std::error_code ignored;  // there is none before the first run
    std::filesystem::remove(reportFile(plan), ignored);
    arguments = {plan.tactus.string(), "--no-audio", "--geometry=" + size,
                 "--report=json:" + reportFile(plan).string()};
    if (kind == Kind::TactusWithoutRealtime) arguments.push_back("--realtime=none");
  } else if (kind == Kind::Mpv) {
    arguments = {"mpv",
                 "--no-config",
                 "--vo=x11",
                 "--hwdec=no",
                 "--no-audio",
                 "--no-osc",
                 "--osd-level=0",
                 "--no-border",
                 "--geometry=" + size + "+0+0",
                 "--keep-open=yes",
                 "--hr-seek=yes",
                 "--really-quiet"};
  } else {
    arguments = {"gst-launch-1.0", "-q", "playbin3",
                 "uri=file://" + std::filesystem::absolute(film.file).string(), "video-sink=ximagesink"};
    return ChildProcess::start(arguments, options);
  }
  if (begin.paused) arguments.push_back("--pause");
  // Into the middle of the picture, so that rounding cannot land beside it.
  if (begin.frame > 0)
    arguments.push_back("--start=" + std::to_string((begin.frame + 0.5) / film.framesPerSecond));
  arguments.push_back(film.file.string());
  return ChildProcess::start(arguments, options);
}

std::optional<long> VideoPlayer::violations(const Plan& plan) const {
  if (!isTactus()) return std::nullopt;
  const auto value = topLevelValue(report(plan), "violations");
  if (!value) return std::nullopt;
  return std::strtol(value->c_str(), nullptr, 10);
}

std::string VideoPlayer::kernelClass(const Plan& plan) const {
  return isTactus() ? topLevelValue(report(plan), "kernel_class").value_or("unknown") : "SCHED_OTHER";
}

std::optional<std::string> topLevelValue(const std::string& json, const std::string& key) {
  // The report is indented by four blanks a level, so that a key of the root stands at exactly four.
  const std::string start = "\n    \"" + key + "\": ";
  const auto found = json.find(start);
  if (found == std::string::npos) return std::nullopt;
  const auto begin = found + start.size();
  std::string value = json.substr(begin, json.find_first_of(",\n", begin) - begin);
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.rfind('"') - 1);
  return value;
}

}  // namespace tactus::lab
