// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::media::testing {

/// A sound device of PipeWire's with these speakers, at 48 kHz, and what they play.
class SoundDevice {
 public:
  static constexpr int kRate = 48000;

  explicit SoundDevice(std::vector<std::string> speakers);
  ~SoundDevice();
  SoundDevice(const SoundDevice&) = delete;
  SoundDevice& operator=(const SoundDevice&) = delete;

  [[nodiscard]] const std::string& name() const { return m_name; }
  /// Whether PipeWire made it.
  [[nodiscard]] bool exists() const { return !m_module.empty(); }
  /// Begins to record, and returns when the first samples have come.
  [[nodiscard]] bool listen();
  /// All of it, by speaker. To be asked once.
  [[nodiscard]] const std::vector<std::vector<float>>& heard();
  /// When a sample was heard, plus a constant delay: by the samples of begin to end that came soonest.
  [[nodiscard]] periodic::Duration timeOf(std::size_t sample, std::size_t begin, std::size_t end) const;

 private:
  static periodic::Duration lengthOf(std::size_t samples);
  bool read();

  const std::string m_name;
  const std::vector<std::string> m_speakers;
  const std::string m_module;
  FILE* m_pipe = nullptr;
  std::vector<std::vector<float>> m_sound;                             // the listener's, until it has ended
  std::vector<std::pair<std::size_t, periodic::Duration>> m_arrivals;  // likewise
  std::jthread m_listener;
};

}  // namespace tactus::media::testing
