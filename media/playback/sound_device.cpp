// SPDX-License-Identifier: Apache-2.0
#include "media/playback/sound_device.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace tactus::media::testing {
namespace {

using periodic::Duration;

std::string output(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  for (int byte = std::fgetc(pipe); byte != EOF && byte != '\n'; byte = std::fgetc(pipe))
    text += static_cast<char>(byte);
  pclose(pipe);
  return text;
}

std::string withCommas(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace

SoundDevice::SoundDevice(std::vector<std::string> speakers)
    : m_name("tactus_device_" + std::to_string(getpid())),
      m_speakers(std::move(speakers)),
      m_module(output(
          "pactl load-module module-null-sink rate=48000 channels=" + std::to_string(m_speakers.size()) +
          " sink_name=" + m_name + " channel_map=" + withCommas(m_speakers) + " 2>/dev/null")),
      m_sound(m_speakers.size()) {}

SoundDevice::~SoundDevice() {
  m_listener.request_stop();
  if (m_listener.joinable()) m_listener.join();
  if (!m_module.empty()) (void)!std::system(("pactl unload-module " + m_module).c_str());
}

bool SoundDevice::listen() {
  const std::string command =
      "exec parec --latency-msec=20 --format=float32le --rate=48000 --raw --channels=" +
      std::to_string(m_speakers.size()) + " -d " + m_name +
      ".monitor --channel-map=" + withCommas(m_speakers);
  m_pipe = popen(command.c_str(), "r");
  if (m_pipe == nullptr || !read()) return false;
  m_listener = std::jthread([this](const std::stop_token& end) {
    while (!end.stop_requested() && read()) {
    }
    pclose(m_pipe);  // parec ends as soon as it writes again
  });
  return true;
}

const std::vector<std::vector<float>>& SoundDevice::heard() {
  m_listener.request_stop();
  m_listener.join();
  return m_sound;
}

Duration SoundDevice::timeOf(std::size_t sample, std::size_t begin, std::size_t end) const {
  auto least = Duration::max();
  for (const auto& [count, at] : m_arrivals)
    if (count >= begin && count < end) least = std::min(least, at - lengthOf(count));
  return least + lengthOf(sample);
}

Duration SoundDevice::lengthOf(std::size_t samples) {
  return Duration(static_cast<std::int64_t>(samples) * 1'000'000'000 / kRate);
}

bool SoundDevice::read() {
  std::vector<float> some(m_speakers.size() * kRate / 200);
  const std::size_t got = std::fread(some.data(), sizeof(float), some.size(), m_pipe);
  for (std::size_t i = 0; i < got; ++i) m_sound[i % m_sound.size()].push_back(some[i]);
  m_arrivals.emplace_back(m_sound[0].size(), periodic::MonotonicClock::now().time_since_epoch());
  return got == some.size();
}

}  // namespace tactus::media::testing
