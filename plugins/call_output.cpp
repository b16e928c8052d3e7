// SPDX-License-Identifier: Apache-2.0
#include "plugins/call_output.h"

#include <pipewire/pipewire.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <utility>

#include "plugins/audio_ring.h"
#include "plugins/device_presence.h"
#include "plugins/pipewire_connection.h"
#include "plugins/ring_level.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::MonotonicClock;
using periodic::TimePoint;

// relaxed, where not said otherwise: figures and wishes, no data hangs on them.
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr int kRate = 48'000;
constexpr std::size_t kSample = sizeof(std::int16_t);
constexpr std::size_t kPeriod = 512;  // samples; PipeWire rounds down to powers of two
constexpr std::size_t kCapacity = kRate / 2;
constexpr double kLoudest = 1.5;
/// Of the gain from one sample to the next: 10 ms from silence to the full sound.
constexpr float kRamp = 100.0F / kRate;
constexpr std::size_t kFade = kRate / 200;  // samples before a gap

Duration timeOf(std::int64_t samples) noexcept {
  return std::chrono::seconds(samples / kRate) + Duration(samples % kRate * 1'000'000'000 / kRate);
}
std::size_t samplesOf(Duration time) noexcept {
  return static_cast<std::size_t>((time.count() * kRate + 500'000'000) / 1'000'000'000);
}

}  // namespace

class CallOutput::State : private PipeWireConnection::Player {
 public:
  explicit State(const Config& config)
      : m_ring(kCapacity * kSample),
        m_connection({.rate = kRate,
                      .speakers = Speakers(1U << static_cast<unsigned>(Speaker::FrontLeft)),
                      .target = config.target,
                      .name = config.name,
                      .role = "Communication",
                      .period = timeOf(kPeriod)},
                     m_presence, *this,
                     [this](bool connected, const std::string& why) { announced(connected, why); }) {
    m_connection.setActive(true);
    m_connection.wake();
  }

  void push(std::span<const std::int16_t> samples) noexcept;
  void setVolume(double volume) noexcept {
    const double set = std::clamp(std::isfinite(volume) ? volume : 1.0, 0.0, kLoudest);
    m_gain.store(static_cast<float>(set * set * set), kRelaxed);
  }
  void setMuted(bool muted) noexcept { m_muted.store(muted, kRelaxed); }
  [[nodiscard]] Figures figures() const;

 private:
  // PipeWire's real-time thread.
  void process(pw_stream& stream, const Speakers& speakers) noexcept override;
  void fill(std::span<float> wanted, TimePoint now) noexcept;
  std::size_t read(std::span<float> into) noexcept;
  void setSpeed(double speed) const noexcept;
  // The connection's thread.
  void offerRateMatch(spa_io_rate_match* area) noexcept override {
    m_rateMatch.store(area, std::memory_order_release);  // release: what is in it comes first
  }
  void disconnected() noexcept override {
    m_rateMatch.store(nullptr, kRelaxed);
    m_level.reset();
  }
  void announced(bool connected, const std::string& why);

  AudioRing m_ring;  // of samples of 16 bits
  DevicePresence m_presence;
  std::int64_t m_pushed = 0;  // samples; writer
  /// When the first sample ever was due, as the last push tells; ns of CLOCK_MONOTONIC.
  std::atomic<std::int64_t> m_begin{0};
  std::atomic<float> m_gain{1};
  std::atomic<bool> m_muted{false};

  RingLevel m_level;    // the callback's
  float m_applied = 0;  // gain; the callback's
  std::atomic<spa_io_rate_match*> m_rateMatch{nullptr};

  std::atomic<std::uint64_t> m_overflows{0};
  std::atomic<std::int64_t> m_waits{0}, m_device{0};  // ns
  mutable std::mutex m_mutex;                         // guards what follows; never a real-time thread's
  bool m_connected = false;
  std::string m_why = "A sound device is being looked for.";

  PipeWireConnection m_connection;  // last: its threads use the others
};

// ---- The writer

void CallOutput::State::push(std::span<const std::int16_t> samples) noexcept {
  if (samples.size() > kCapacity) samples = samples.last(kCapacity);
  const TimePoint now = MonotonicClock::now();
  const std::size_t bytes = samples.size_bytes();
  if (const std::size_t room = m_ring.capacity() - m_ring.waiting(); room < bytes)
    m_ring.discard(bytes - room);
  m_begin.store((now.time_since_epoch() - timeOf(m_pushed)).count(), kRelaxed);
  m_pushed += static_cast<std::int64_t>(samples.size());
  m_ring.write(reinterpret_cast<const std::byte*>(samples.data()), bytes);
  if (!m_presence.served(now) && m_presence.stall()) m_connection.wake();
}

// ---- PipeWire's real-time thread

void CallOutput::State::setSpeed(double speed) const noexcept {
  // acquire: what is in it was written before.
  spa_io_rate_match* const area = m_rateMatch.load(std::memory_order_acquire);
  if (area == nullptr) return;
  area->rate = 1 / speed;
  area->flags |= SPA_IO_RATE_MATCH_FLAG_ACTIVE;
}

/// Gives how many samples the ring had.
std::size_t CallOutput::State::read(std::span<float> into) noexcept {
  std::array<std::int16_t, 256> some;
  std::size_t done = 0;
  while (done < into.size()) {
    const std::size_t wanted = std::min(into.size() - done, some.size());
    const std::size_t got =
        m_ring.read(reinterpret_cast<std::byte*>(some.data()), wanted * kSample, 0) / kSample;
    std::transform(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(got), into.begin() + done,
                   [](std::int16_t sample) { return static_cast<float>(sample) / 32768; });
    done += got;
    if (got < wanted) break;
  }
  return done;
}

void CallOutput::State::fill(std::span<float> wanted, TimePoint now) noexcept {
  const std::uint64_t position = m_ring.readPosition() / kSample;
  const Duration due = Duration(m_begin.load(kRelaxed)) + timeOf(static_cast<std::int64_t>(position));
  const auto waiting = static_cast<std::int64_t>(m_ring.waiting() / kSample);
  const bool played = m_level.plays();
  const auto turn = m_level.turn(now.time_since_epoch() - due, timeOf(waiting),
                                 timeOf(static_cast<std::int64_t>(wanted.size())));
  if (turn.drop > 0ns) {
    m_ring.discard(samplesOf(turn.drop) * kSample);
    m_applied = 0;
    if (played) m_overflows.fetch_add(1, kRelaxed);
  }
  // More than there is where it does not suffice: the ring then knows that it ran dry.
  const std::size_t got = turn.play > 0ns || played ? read(wanted) : 0;
  const float gain = m_muted.load(kRelaxed) ? 0 : m_gain.load(kRelaxed);
  for (std::size_t i = 0; i < got; ++i) {
    m_applied += std::clamp(gain - m_applied, -kRamp, kRamp);
    wanted[i] *= m_applied;
  }
  // A gap begins as gently as sound does after it.
  for (std::size_t left = 1; got < wanted.size() && left <= std::min(got, kFade); ++left)
    wanted[got - left] *= static_cast<float>(left - 1) / static_cast<float>(kFade);
  if (got < wanted.size()) m_applied = 0;
  std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(got), wanted.end(), 0.0F);
  setSpeed(turn.speed);
  m_waits.store(m_level.delay().count(), kRelaxed);
}

void CallOutput::State::process(pw_stream& stream, const Speakers&) noexcept {
  pw_buffer* buffer = pw_stream_dequeue_buffer(&stream);
  if (buffer == nullptr) return;
  const TimePoint now = MonotonicClock::now();
  Duration taken{0};
  spa_data& target = buffer->buffer->datas[0];
  if (target.data != nullptr) {
    const std::size_t wanted = buffer->requested > 0 ? buffer->requested : kPeriod;
    const std::size_t frames = std::min(target.maxsize / sizeof(float), wanted);
    fill({static_cast<float*>(target.data), frames}, now);
    taken = timeOf(static_cast<std::int64_t>(frames));
    target.chunk->offset = 0;
    target.chunk->stride = sizeof(float);
    target.chunk->size = static_cast<std::uint32_t>(frames * sizeof(float));
  }
  // The stream keeps what it gets for a turn.
  m_device.store((playbackDelay(stream, kRate) + taken).count(), kRelaxed);
  pw_stream_queue_buffer(&stream, buffer);
  if (m_presence.arrived(now)) m_connection.wake();
}

// ---- Other threads

void CallOutput::State::announced(bool connected, const std::string& why) {
  const std::lock_guard lock(m_mutex);
  m_connected = connected;
  m_why = why;
}

CallOutput::Figures CallOutput::State::figures() const {
  Figures figures;
  figures.underruns = m_ring.gaps();
  figures.overflows = m_overflows.load(kRelaxed);
  const std::lock_guard lock(m_mutex);
  figures.connected = m_connected;
  figures.why = m_why;
  if (!m_connected) return figures;
  figures.waits = Duration(m_waits.load(kRelaxed));
  figures.device = Duration(m_device.load(kRelaxed));
  return figures;
}

CallOutput::CallOutput(const Config& config) : m_state(std::make_unique<State>(config)) {}
CallOutput::~CallOutput() = default;

void CallOutput::push(std::span<const std::int16_t> samples) noexcept {
  m_state->push(samples);
}
void CallOutput::setVolume(double volume) noexcept {
  m_state->setVolume(volume);
}
void CallOutput::setMuted(bool muted) noexcept {
  m_state->setMuted(muted);
}
CallOutput::Figures CallOutput::figures() const {
  return m_state->figures();
}

}  // namespace tactus::plugins
