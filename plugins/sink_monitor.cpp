// SPDX-License-Identifier: Apache-2.0
#include "plugins/sink_monitor.h"

#include <pipewire/pipewire.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>

#include "plugins/audio_ring.h"
#include "plugins/device_presence.h"
#include "plugins/pipewire_connection.h"

namespace tactus::plugins {
namespace {

using periodic::MonotonicClock;
using periodic::TimePoint;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr int kRate = 48'000;
constexpr std::size_t kSample = sizeof(std::int16_t);
constexpr std::size_t kCapacity = kRate / 2;

/// PipeWire mixes each channel of a pair with 0.7: the same at full scale in both is to stay unclipped.
constexpr float kMixed = 0.7071F;

std::int16_t sampleOf(float sample) noexcept {
  return static_cast<std::int16_t>(std::lrint(std::clamp(sample * kMixed, -1.0F, 1.0F) * 32767));
}

}  // namespace

class SinkMonitor::State : private PipeWireConnection::Player {
 public:
  explicit State(const std::string& sink)
      : m_ring(kCapacity * kSample),
        m_connection({.rate = kRate,
                      .speakers = Speakers(1U << static_cast<unsigned>(Speaker::FrontLeft)),
                      .target = sink,
                      .name = "Tactus (echo)",
                      .role = "DSP",
                      .period = std::chrono::milliseconds(10)},
                     m_presence, *this, {}, PipeWireConnection::Direction::Monitors) {
    m_connection.setActive(true);
    m_connection.wake();
  }

  std::size_t read(std::span<std::int16_t> into) noexcept {
    return m_ring.read(reinterpret_cast<std::byte*>(into.data()), into.size_bytes(), 0) / kSample;
  }
  [[nodiscard]] TimePoint cameAt() const noexcept {
    return TimePoint(periodic::Duration(m_cameAt.load(kRelaxed)));
  }

 private:
  // PipeWire's real-time thread.
  void process(pw_stream& stream, const Speakers&) noexcept override {
    pw_buffer* buffer = pw_stream_dequeue_buffer(&stream);
    if (buffer == nullptr) return;
    const spa_data& source = buffer->buffer->datas[0];
    if (source.data != nullptr) {
      const std::size_t offset = std::min(source.chunk->offset, source.maxsize);
      const std::size_t bytes = std::min<std::size_t>(source.chunk->size, source.maxsize - offset);
      take({reinterpret_cast<const float*>(static_cast<const std::byte*>(source.data) + offset),
            bytes / sizeof(float)});
    }
    pw_stream_queue_buffer(&stream, buffer);
  }
  /// Nobody reads for so long: the oldest goes.
  void take(std::span<const float> samples) noexcept {
    std::array<std::int16_t, 256> some;
    for (; !samples.empty(); samples = samples.subspan(std::min(samples.size(), some.size()))) {
      const auto part = samples.first(std::min(samples.size(), some.size()));
      std::transform(part.begin(), part.end(), some.begin(), sampleOf);
      const std::size_t bytes = part.size() * kSample;
      if (const std::size_t room = m_ring.capacity() - m_ring.waiting(); room < bytes)
        m_ring.discard(bytes - room);
      m_ring.write(reinterpret_cast<const std::byte*>(some.data()), bytes);
    }
    m_cameAt.store(MonotonicClock::now().time_since_epoch().count(), kRelaxed);
  }
  // The connection's thread.
  void disconnected() noexcept override {}

  AudioRing m_ring;
  DevicePresence m_presence;
  // relaxed: a figure, no data hangs on it.
  std::atomic<std::int64_t> m_cameAt{MonotonicClock::now().time_since_epoch().count()};

  PipeWireConnection m_connection;  // last: its threads use the others
};

SinkMonitor::SinkMonitor(const std::string& sink) : m_state(std::make_unique<State>(sink)) {}
SinkMonitor::~SinkMonitor() = default;

std::size_t SinkMonitor::read(std::span<std::int16_t> into) noexcept {
  return m_state->read(into);
}
TimePoint SinkMonitor::cameAt() const noexcept {
  return m_state->cameAt();
}

}  // namespace tactus::plugins
