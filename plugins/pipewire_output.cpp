// SPDX-License-Identifier: Apache-2.0
#include "plugins/pipewire_output.h"

#include <pipewire/pipewire.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "plugins/audio_ring.h"
#include "plugins/device_delay.h"
#include "plugins/device_presence.h"
#include "plugins/event_descriptor.h"
#include "plugins/pipewire_connection.h"
#include "plugins/sample_pace.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::MonotonicClock;
using periodic::TimePoint;

// relaxed, where not said otherwise: hints between the threads, each looked at again within 20 ms.
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr Duration kFill = 60ms;    // what waits in the ring: three of PipeWire's usual quanta
constexpr Duration kCapacity = 1s;  // of the ring
constexpr Duration kLongestWrite = 250ms;

}  // namespace

class PipeWireOutput::State : private PipeWireConnection::Player {
 public:
  State(Config config, ConnectionHandler handler);

  void write(const std::byte* data, std::size_t bytes) noexcept;
  void widen(const Speakers& speakers) noexcept { m_connection.widen(speakers); }
  void pause(Remainder remainder) noexcept;
  [[nodiscard]] Duration delay() const noexcept;
  [[nodiscard]] std::uint64_t underruns() const noexcept { return m_ring.gaps(); }

 private:
  [[nodiscard]] std::size_t bytesOf(Duration time) const noexcept;
  [[nodiscard]] Duration timeOf(std::size_t bytes) const noexcept;

  // The writer.
  void resume(TimePoint now) noexcept;
  bool consumeInRealTime(std::size_t bytes, TimePoint now) noexcept;

  // PipeWire's real-time thread.
  void process(pw_stream& stream, const Speakers& speakers) noexcept override;
  std::size_t fill(spa_data& target, std::size_t requested, const Speakers& speakers) noexcept;
  // The connection's thread.
  void disconnected() noexcept override { m_delay.reset(); }

  const int m_rate;
  AudioRing m_ring;        // of SpeakerFrame
  EventDescriptor m_room;  // the ring has room, or the writer is to return
  DeviceDelay m_delay;
  DevicePresence m_presence;

  std::atomic<std::uint32_t> m_pauses{0};
  std::atomic<std::uint32_t> m_discards{0};  // pauses that gave up what waited
  std::atomic<std::size_t> m_fill;           // bytes; grows with the device's period
  SamplePace m_pace;                         // where there is no device

  PipeWireConnection m_connection;  // last: its threads use the others
};

PipeWireOutput::State::State(Config config, ConnectionHandler handler)
    : m_rate(config.rate),
      m_ring(bytesOf(kCapacity)),
      m_fill(bytesOf(kFill)),
      m_connection(config, m_presence, *this, std::move(handler)) {}

std::size_t PipeWireOutput::State::bytesOf(Duration time) const noexcept {
  const auto frames = time.count() * m_rate / 1'000'000'000;
  return static_cast<std::size_t>(frames) * sizeof(SpeakerFrame);
}

Duration PipeWireOutput::State::timeOf(std::size_t bytes) const noexcept {
  const auto frames = static_cast<std::int64_t>(bytes / sizeof(SpeakerFrame));
  return Duration(frames * 1'000'000'000 / m_rate);
}

// ---- PipeWire's real-time thread

/// Fills the device's buffer from the ring, the rest of it with silence; gives how much of the ring the
/// device takes, in bytes.
std::size_t PipeWireOutput::State::fill(spa_data& target, std::size_t requested,
                                        const Speakers& speakers) noexcept {
  if (target.data == nullptr) return 0;
  const std::size_t channels = speakers.count();
  const std::size_t frameBytes = channels * sizeof(float);  // the device's
  std::size_t frames = target.maxsize / frameBytes;
  if (requested > 0) frames = std::min(frames, requested);
  const std::size_t prime = 2 * frames * sizeof(SpeakerFrame);
  // A device with a longer period than we thought needs more in store.
  if (const auto most = m_ring.capacity() / 2; m_fill.load(kRelaxed) < prime)
    m_fill.store(std::min(prime, most), kRelaxed);
  auto* out = static_cast<float*>(target.data);
  auto* const end = out + frames * channels;
  std::array<SpeakerFrame, 256> some;
  for (std::size_t left = frames; left > 0;) {
    const std::size_t wanted = std::min(left, some.size());
    const std::size_t got = m_ring.read(reinterpret_cast<std::byte*>(some.data()), wanted * sizeof some[0],
                                        std::min(prime, m_fill.load(kRelaxed))) /
                            sizeof some[0];
    out = gather({some.data(), got}, speakers, out);
    left = got < wanted ? 0 : left - got;
  }
  std::fill(out, end, 0.0F);
  target.chunk->offset = 0;
  target.chunk->stride = static_cast<std::int32_t>(frameBytes);
  target.chunk->size = static_cast<std::uint32_t>(frames * frameBytes);
  return frames * sizeof(SpeakerFrame);
}

void PipeWireOutput::State::process(pw_stream& stream, const Speakers& speakers) noexcept {
  pw_buffer* buffer = pw_stream_dequeue_buffer(&stream);
  if (buffer == nullptr) return;
  const TimePoint now = MonotonicClock::now();
  m_delay.beginTurn();
  const std::size_t taken = fill(buffer->buffer->datas[0], buffer->requested, speakers);
  m_delay.endTurn(now, timeOf(taken), playbackDelay(stream, m_rate));
  pw_stream_queue_buffer(&stream, buffer);
  if (m_presence.arrived(now)) m_connection.wake();
  m_room.signal();
}

// ---- Any thread

Duration PipeWireOutput::State::delay() const noexcept {
  const TimePoint now = MonotonicClock::now();
  if (!m_presence.linked() || m_presence.stalled())
    return timeOf(m_ring.waiting()) + std::min(m_pace.left(now), kLongestWrite);
  return m_delay.total(now, [this] { return timeOf(m_ring.waiting()); });
}

void PipeWireOutput::State::pause(Remainder remainder) noexcept {
  m_connection.setActive(false);
  m_ring.expectSilence();
  if (remainder == Remainder::Discard) {
    m_discards.fetch_add(1, kRelaxed);
    m_ring.discard(m_ring.capacity());
    m_connection.requestFlush();
  }
  m_pauses.fetch_add(1, kRelaxed);
  m_room.signal();
  m_connection.wake();
}

// ---- The writer

void PipeWireOutput::State::resume(TimePoint now) noexcept {
  if (m_connection.setActive(true)) return;
  m_presence.beginToPlay(now);
  m_connection.wake();
}

/// Time goes on without a device, at the pace of the samples. False when a pause ended the wait.
bool PipeWireOutput::State::consumeInRealTime(std::size_t bytes, TimePoint now) noexcept {
  const TimePoint end = m_pace.consume(timeOf(bytes), now);
  const std::uint32_t pauses = m_pauses.load(kRelaxed);
  for (TimePoint instant = now; instant < end; instant = MonotonicClock::now()) {
    m_room.wait(std::min<Duration>(end - instant, 20ms));
    if (m_pauses.load(kRelaxed) != pauses) return false;
  }
  m_ring.discard(bytes);
  return true;
}

void PipeWireOutput::State::write(const std::byte* data, std::size_t bytes) noexcept {
  bytes = std::min(bytes, bytesOf(kLongestWrite));
  const std::uint32_t pauses = m_pauses.load(kRelaxed);
  const std::uint32_t discards = m_discards.load(kRelaxed);
  resume(MonotonicClock::now());
  while (m_ring.waiting() > m_fill.load(kRelaxed)) {
    const TimePoint now = MonotonicClock::now();
    if (!m_presence.served(now)) {
      if (m_presence.stall()) m_connection.wake();
      consumeInRealTime(bytes, now);
      break;
    }
    m_room.wait(20ms);  // bounded: a daemon that dies signals nothing
    if (m_pauses.load(kRelaxed) != pauses) break;
  }
  if (m_discards.load(kRelaxed) != discards) return;  // what was given up includes these
  if (m_ring.waiting() + bytes <= m_ring.capacity()) m_ring.write(data, bytes);
}

PipeWireOutput::PipeWireOutput(Config config, ConnectionHandler handler)
    : m_state(std::make_unique<State>(std::move(config), std::move(handler))) {}
PipeWireOutput::~PipeWireOutput() = default;
void PipeWireOutput::write(const std::byte* data, std::size_t bytes) noexcept {
  m_state->write(data, bytes);
}
void PipeWireOutput::widen(const Speakers& speakers) noexcept {
  m_state->widen(speakers);
}
void PipeWireOutput::pause(Remainder remainder) noexcept {
  m_state->pause(remainder);
}
Duration PipeWireOutput::delay() const noexcept {
  return m_state->delay();
}
std::uint64_t PipeWireOutput::underruns() const noexcept {
  return m_state->underruns();
}

}  // namespace tactus::plugins
