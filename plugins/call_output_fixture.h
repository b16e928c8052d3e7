// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "plugins/call_output.h"
#include "plugins/pipewire_fixture.h"

namespace tactus::plugins::testing {

using Samples = std::vector<std::int16_t>;

/// A second of a tone of whole hertz, mono, 48 kHz.
inline Samples toneOf(double frequency, double amplitude) {
  Samples samples(48'000);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = static_cast<std::int16_t>(std::lround(
        32767 * amplitude * std::sin(2 * std::numbers::pi * frequency * static_cast<double>(i) / 48'000)));
  return samples;
}

/// Pushes the same again and again, in packets of 20 ms, when they are due.
class Pusher {
 public:
  /// `says`: whole packets. The output outlives it.
  Pusher(CallOutput& output, Samples says)
      : m_output(output), m_says(std::move(says)), m_thread([this] { run(); }) {}
  ~Pusher() {
    m_ends.store(true);
    m_thread.join();
  }
  Pusher(const Pusher&) = delete;
  Pusher& operator=(const Pusher&) = delete;

 private:
  void run() {
    constexpr std::size_t kPacket = 960;
    std::size_t at = 0;
    for (auto due = Clock::now(); !m_ends.load(); due += std::chrono::milliseconds(20)) {
      std::this_thread::sleep_until(due);
      m_output.push(std::span(m_says).subspan(at, kPacket));
      at = (at + kPacket) % m_says.size();
    }
  }

  CallOutput& m_output;
  const Samples m_says;
  std::atomic<bool> m_ends{false};
  std::thread m_thread;
};

}  // namespace tactus::plugins::testing
