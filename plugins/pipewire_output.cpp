// SPDX-License-Identifier: Apache-2.0
#include "plugins/pipewire_output.h"

#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "plugins/audio_ring.h"
#include "plugins/event_descriptor.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::MonotonicClock;
using periodic::TimePoint;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr Duration kFill = 60ms;    // what waits in the ring: three of PipeWire's usual quanta
constexpr Duration kCapacity = 1s;  // of the ring
constexpr Duration kLongestWrite = 250ms;
constexpr Duration kPatience = 250ms;       // without a callback for so long, the device is taken for stalled
constexpr Duration kFirstPatience = 500ms;  // as long for the first one: the session manager has to link us
constexpr Duration kRetry = 1s;

std::int64_t nanoseconds(TimePoint instant) noexcept {
  return instant.time_since_epoch().count();
}

spa_audio_format spaFormat(PipeWireOutput::SampleFormat format) noexcept {
  switch (format) {
    case PipeWireOutput::SampleFormat::S16:
      return SPA_AUDIO_FORMAT_S16_LE;
    case PipeWireOutput::SampleFormat::S32:
      return SPA_AUDIO_FORMAT_S32_LE;
    case PipeWireOutput::SampleFormat::F32:
      break;
  }
  return SPA_AUDIO_FORMAT_F32_LE;
}

spa_audio_info_raw spaInfo(const PipeWireOutput::Format& format) noexcept {
  spa_audio_info_raw info{};
  info.format = spaFormat(format.sample);
  info.rate = static_cast<std::uint32_t>(format.rate);
  info.channels = static_cast<std::uint32_t>(format.channels);
  const auto known = std::min<std::size_t>(format.positions.size(), info.channels);
  if (known < info.channels) info.flags = SPA_AUDIO_FLAG_UNPOSITIONED;
  for (std::size_t i = 0; i < known; ++i) info.position[i] = format.positions[i];
  return info;
}

pw_context* newContext(pw_loop* loop) noexcept {
  // With this configuration the thread of the callback gets a real-time class, as the daemon's own has.
  auto* context = pw_context_new(loop, pw_properties_new(PW_KEY_CONFIG_NAME, "client-rt.conf", nullptr), 0);
  return context != nullptr ? context : pw_context_new(loop, nullptr, 0);
}

}  // namespace

class PipeWireOutput::State {
 public:
  State(Config config, ConnectionHandler handler);
  ~State();

  void write(const std::byte* data, std::size_t bytes) noexcept;
  void pause(Remainder remainder) noexcept;
  [[nodiscard]] Duration delay() const noexcept;
  [[nodiscard]] std::uint64_t underruns() const noexcept { return m_ring.gaps(); }

 private:
  [[nodiscard]] std::size_t bytesOf(Duration time) const noexcept;
  [[nodiscard]] Duration timeOf(std::size_t bytes) const noexcept;
  [[nodiscard]] bool served(TimePoint now) const noexcept;
  void resume(TimePoint now) noexcept;
  bool consumeInRealTime(std::size_t bytes, TimePoint now) noexcept;
  void wakeLoop() noexcept;

  // The loop's thread.
  void connect();
  void connectStream();
  void disconnect();
  void loseConnection(std::string why);
  void update();
  void announce(bool connected, std::string why);
  static void onCoreError(void* data, std::uint32_t id, int seq, int result, const char* message);
  static void onStreamState(void* data, pw_stream_state, pw_stream_state state, const char* error);

  // PipeWire's real-time thread.
  void process() noexcept;
  void measureDelay(TimePoint now, Duration taken) noexcept;

  const Config m_config;
  AudioRing m_ring;
  EventDescriptor m_room;  // the ring has room, or the writer is to return

  // Relaxed where not said otherwise: hints between the threads, each looked at again within 20 ms.
  std::atomic<bool> m_active{false};   // samples are to be played
  std::atomic<bool> m_linked{false};   // there is a daemon
  std::atomic<bool> m_stalled{false};  // it takes nothing
  std::atomic<bool> m_taken{false};    // it took something since it was connected
  std::atomic<bool> m_flush{false};    // PipeWire's own queue is to be emptied
  std::atomic<std::uint32_t> m_pauses{0};
  std::atomic<std::uint32_t> m_discards{0};     // pauses that gave up what waited
  std::atomic<std::int64_t> m_patientUntil{0};  // CLOCK_MONOTONIC, ns
  std::atomic<std::size_t> m_fill;              // bytes; grows with the device's period

  // Seqlock around what the callback knows of time: odd while it is being written.
  std::atomic<std::uint32_t> m_sequence{0};
  std::atomic<std::int64_t> m_deviceDelay{0};  // ns from the callback's next turn to the speaker
  std::atomic<std::int64_t> m_nextTurn{0};     // CLOCK_MONOTONIC, ns
  std::atomic<std::int64_t> m_turnLength{0};   // ns
  std::atomic<std::int64_t> m_sleepsUntil{0};  // CLOCK_MONOTONIC, ns; the writer, where there is no device

  TimePoint m_consumedUntil{};  // writer only

  // The loop's thread, or under its lock.
  ConnectionHandler m_handler;
  bool m_announced = false;
  std::string m_reason;
  bool m_begun = false;
  bool m_lost = false;
  pw_thread_loop* m_loop = nullptr;
  pw_context* m_context = nullptr;
  pw_core* m_core = nullptr;
  pw_stream* m_stream = nullptr;
  spa_source* m_timer = nullptr;
  spa_source* m_wake = nullptr;
  spa_hook m_coreHook{};
  spa_hook m_streamHook{};
};

PipeWireOutput::State::State(Config config, ConnectionHandler handler)
    : m_config(std::move(config)),
      m_ring(bytesOf(kCapacity), static_cast<std::size_t>(m_config.format.frameBytes)),
      m_fill(bytesOf(kFill)),
      m_handler(std::move(handler)) {
  static std::once_flag once;
  std::call_once(once, [] { pw_init(nullptr, nullptr); });
  m_loop = pw_thread_loop_new("tactus-audio", nullptr);
  if (m_loop == nullptr) return;
  pw_loop* inner = pw_thread_loop_get_loop(m_loop);
  m_context = newContext(inner);
  m_timer = pw_loop_add_timer(
      inner, [](void* data, std::uint64_t) { static_cast<State*>(data)->connect(); }, this);
  m_wake = pw_loop_add_event(
      inner, [](void* data, std::uint64_t) { static_cast<State*>(data)->update(); }, this);
  if (m_context == nullptr || pw_thread_loop_start(m_loop) != 0) return;
  wakeLoop();
}

PipeWireOutput::State::~State() {
  if (m_loop == nullptr) return;
  // Ends the thread first: what follows has the loop to itself.
  pw_thread_loop_stop(m_loop);
  m_handler = {};
  disconnect();
  if (m_context != nullptr) pw_context_destroy(m_context);
  pw_loop* inner = pw_thread_loop_get_loop(m_loop);
  if (m_timer != nullptr) pw_loop_destroy_source(inner, m_timer);
  if (m_wake != nullptr) pw_loop_destroy_source(inner, m_wake);
  pw_thread_loop_destroy(m_loop);
}

std::size_t PipeWireOutput::State::bytesOf(Duration time) const noexcept {
  const auto frames = time.count() * m_config.format.rate / 1'000'000'000;
  return static_cast<std::size_t>(frames) * static_cast<std::size_t>(m_config.format.frameBytes);
}

Duration PipeWireOutput::State::timeOf(std::size_t bytes) const noexcept {
  const auto frames = static_cast<std::int64_t>(bytes) / m_config.format.frameBytes;
  return Duration(frames * 1'000'000'000 / m_config.format.rate);
}

/// Safe from any thread, the real-time ones included: a write to an eventfd.
void PipeWireOutput::State::wakeLoop() noexcept {
  if (m_wake != nullptr) pw_loop_signal_event(pw_thread_loop_get_loop(m_loop), m_wake);
}

// ---- The loop's thread

void PipeWireOutput::State::announce(bool connected, std::string why) {
  if (m_announced == connected && m_reason == why) return;
  m_announced = connected;
  m_reason = std::move(why);
  if (m_handler) m_handler(connected, m_reason);
}

void PipeWireOutput::State::connect() {
  if (m_core != nullptr) return;
  m_core = pw_context_connect(m_context, nullptr, 0);
  if (m_core == nullptr) {
    loseConnection("PipeWire is not running; sound returns when it does.");
    return;
  }
  static constexpr pw_core_events kEvents = [] {
    pw_core_events events{};
    events.version = PW_VERSION_CORE_EVENTS;
    events.error = onCoreError;
    return events;
  }();
  pw_core_add_listener(m_core, &m_coreHook, &kEvents, this);
  connectStream();
}

void PipeWireOutput::State::connectStream() {
  const auto& format = m_config.format;
  pw_properties* properties =
      pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Playback", PW_KEY_MEDIA_ROLE,
                        "Movie", PW_KEY_NODE_NAME, "tactus", PW_KEY_APP_NAME, "Tactus", nullptr);
  pw_properties_set(properties, PW_KEY_MEDIA_NAME, m_config.name.c_str());
  pw_properties_setf(properties, PW_KEY_NODE_LATENCY, "%d/%d", format.rate / 50, format.rate);
  if (!m_config.target.empty()) pw_properties_set(properties, PW_KEY_TARGET_OBJECT, m_config.target.c_str());
  m_stream = pw_stream_new(m_core, m_config.name.c_str(), properties);
  if (m_stream == nullptr) {
    loseConnection("PipeWire gave no stream; sound returns when it does.");
    return;
  }
  static constexpr pw_stream_events kEvents = [] {
    pw_stream_events events{};
    events.version = PW_VERSION_STREAM_EVENTS;
    events.state_changed = onStreamState;
    events.process = [](void* data) { static_cast<State*>(data)->process(); };
    return events;
  }();
  pw_stream_add_listener(m_stream, &m_streamHook, &kEvents, this);
  const bool active = m_active.load(kRelaxed);
  m_taken.store(false, kRelaxed);
  m_patientUntil.store(nanoseconds(MonotonicClock::now() + kFirstPatience), kRelaxed);
  std::uint8_t storage[1024];
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, storage, sizeof storage);
  spa_audio_info_raw info = spaInfo(format);
  const spa_pod* parameters[1] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &info)};
  auto flags = PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS;
  if (!active) flags |= PW_STREAM_FLAG_INACTIVE;
  if (pw_stream_connect(m_stream, PW_DIRECTION_OUTPUT, PW_ID_ANY, static_cast<pw_stream_flags>(flags),
                        parameters, 1) < 0) {
    loseConnection("PipeWire refused the sound; it is tried again.");
    return;
  }
  m_linked.store(true, kRelaxed);
}

/// Not from inside a callback of what it destroys.
void PipeWireOutput::State::disconnect() {
  m_linked.store(false, kRelaxed);
  if (m_stream != nullptr) {
    spa_hook_remove(&m_streamHook);
    pw_stream_destroy(m_stream);  // ends the real-time callback
    m_stream = nullptr;
  }
  if (m_core != nullptr) {
    spa_hook_remove(&m_coreHook);
    pw_core_disconnect(m_core);
    m_core = nullptr;
  }
  m_deviceDelay.store(0, kRelaxed);
  m_nextTurn.store(0, kRelaxed);
}

void PipeWireOutput::State::loseConnection(std::string why) {
  m_linked.store(false, kRelaxed);
  m_lost = true;
  announce(false, std::move(why));
  wakeLoop();
}

/// Does what other threads and the callbacks asked for.
void PipeWireOutput::State::update() {
  if (std::exchange(m_lost, false)) {
    disconnect();
    timespec after{kRetry.count() / 1'000'000'000, kRetry.count() % 1'000'000'000};
    timespec never{};
    pw_loop_update_timer(pw_thread_loop_get_loop(m_loop), m_timer, &after, &never, false);
    return;
  }
  if (!std::exchange(m_begun, true)) connect();
  if (m_stream == nullptr) return;
  if (m_flush.exchange(false, kRelaxed)) pw_stream_flush(m_stream, false);
  pw_stream_set_active(m_stream, m_active.load(kRelaxed));
  if (m_stalled.load(kRelaxed)) {
    announce(false, "No sound device takes the sound; it returns when one does.");
  } else if (pw_stream_get_state(m_stream, nullptr) >= PW_STREAM_STATE_PAUSED &&
             (m_taken.load(kRelaxed) || !m_active.load(kRelaxed))) {
    // A stream is ready before the session manager has linked it to a device: a playing one has arrived when
    // a device took sound, and not before.
    announce(true, "");
  }
}

void PipeWireOutput::State::onCoreError(void* data, std::uint32_t id, int, int result, const char*) {
  auto& self = *static_cast<State*>(data);
  if (id != PW_ID_CORE || result != -EPIPE) return;
  self.loseConnection("PipeWire went away; sound returns when it does.");
}

void PipeWireOutput::State::onStreamState(void* data, pw_stream_state, pw_stream_state state,
                                          const char* error) {
  auto& self = *static_cast<State*>(data);
  if (state == PW_STREAM_STATE_ERROR && self.m_linked.load(kRelaxed)) {
    self.loseConnection(std::string("PipeWire refused the sound: ") +
                        (error != nullptr ? error : "unknown error") + ".");
  } else if (state == PW_STREAM_STATE_UNCONNECTED && self.m_linked.load(kRelaxed)) {
    self.loseConnection("PipeWire closed the stream; sound returns when a device does.");
  } else if (state == PW_STREAM_STATE_PAUSED || state == PW_STREAM_STATE_STREAMING) {
    self.wakeLoop();
  }
}

// ---- PipeWire's real-time thread

void PipeWireOutput::State::process() noexcept {
  pw_buffer* buffer = pw_stream_dequeue_buffer(m_stream);
  if (buffer == nullptr) return;
  const TimePoint now = MonotonicClock::now();
  // acq_rel, with the fences of a seqlock's writer: readers see the odd number before any of what follows.
  m_sequence.fetch_add(1, std::memory_order_acq_rel);
  std::atomic_thread_fence(std::memory_order_release);
  spa_data& target = buffer->buffer->datas[0];
  std::size_t wanted = 0;
  if (target.data != nullptr) {
    const std::size_t frameBytes = m_ring.frameBytes();
    std::size_t frames = target.maxsize / frameBytes;
    if (buffer->requested > 0) frames = std::min<std::size_t>(frames, buffer->requested);
    wanted = frames * frameBytes;
    const std::size_t prime = 2 * wanted;
    // A device with a longer period than we thought needs more in store.
    if (const auto most = m_ring.capacity() / 2; m_fill.load(kRelaxed) < prime)
      m_fill.store(std::min(prime, most), kRelaxed);
    auto* out = static_cast<std::byte*>(target.data);
    const std::size_t got = m_ring.read(out, wanted, std::min(prime, m_fill.load(kRelaxed)));
    std::memset(out + got, 0, wanted - got);  // silence in all three formats
    target.chunk->offset = 0;
    target.chunk->stride = m_config.format.frameBytes;
    target.chunk->size = static_cast<std::uint32_t>(wanted);
  }
  measureDelay(now, timeOf(wanted));
  // release: what was written is seen before the even number.
  m_sequence.fetch_add(1, std::memory_order_release);
  pw_stream_queue_buffer(m_stream, buffer);
  m_patientUntil.store(nanoseconds(now + kPatience), kRelaxed);
  const bool first = !m_taken.exchange(true, kRelaxed);
  if (m_stalled.exchange(false, kRelaxed) || first) wakeLoop();
  m_room.signal();
}

void PipeWireOutput::State::measureDelay(TimePoint now, Duration taken) noexcept {
  pw_time time{};
  std::int64_t delayed = 0;
  if (pw_stream_get_time_n(m_stream, &time, sizeof time) == 0 && time.rate.denom > 0) {
    delayed = time.delay * 1'000'000'000 * time.rate.num / time.rate.denom;
    delayed += static_cast<std::int64_t>(time.buffered) * 1'000'000'000 / m_config.format.rate;
  }
  m_deviceDelay.store(std::clamp<std::int64_t>(delayed, 0, 1'000'000'000), kRelaxed);
  m_turnLength.store(taken.count(), kRelaxed);
  m_nextTurn.store(nanoseconds(now + taken), kRelaxed);
}

// ---- Any thread

Duration PipeWireOutput::State::delay() const noexcept {
  const std::int64_t now = nanoseconds(MonotonicClock::now());
  if (!m_linked.load(kRelaxed) || m_stalled.load(kRelaxed)) {
    const std::int64_t asleep = std::max<std::int64_t>(0, m_sleepsUntil.load(kRelaxed) - now);
    return timeOf(m_ring.waiting()) + std::min(Duration(asleep), kLongestWrite);
  }
  // A seqlock's reader. The callback writes for microseconds; should it be stopped there, an uneven reading
  // is better than a wait.
  for (int attempt = 0;; ++attempt) {
    const std::uint32_t before = m_sequence.load(std::memory_order_acquire);
    const std::size_t waiting = m_ring.waiting();
    const std::int64_t untilTurn =
        std::clamp<std::int64_t>(m_nextTurn.load(kRelaxed) - now, 0, m_turnLength.load(kRelaxed));
    const std::int64_t device = m_deviceDelay.load(kRelaxed);
    std::atomic_thread_fence(std::memory_order_acquire);  // the loads above are done before the next
    const bool even = before % 2 == 0 && m_sequence.load(kRelaxed) == before;
    if (even || attempt == 100) return timeOf(waiting) + Duration(untilTurn + device);
  }
}

void PipeWireOutput::State::pause(Remainder remainder) noexcept {
  m_active.store(false, kRelaxed);
  m_ring.expectSilence();
  if (remainder == Remainder::Discard) {
    m_discards.fetch_add(1, kRelaxed);
    m_ring.discard(m_ring.capacity());
    m_flush.store(true, kRelaxed);
  }
  m_pauses.fetch_add(1, kRelaxed);
  m_room.signal();
  wakeLoop();
}

// ---- The writer

/// Whether a device takes the samples, as far as can be told.
bool PipeWireOutput::State::served(TimePoint now) const noexcept {
  return m_linked.load(kRelaxed) && nanoseconds(now) < m_patientUntil.load(kRelaxed);
}

void PipeWireOutput::State::resume(TimePoint now) noexcept {
  if (m_active.exchange(true, kRelaxed)) return;
  m_patientUntil.store(nanoseconds(now + kFirstPatience), kRelaxed);
  wakeLoop();
}

/// Time goes on without a device, at the pace of the samples. False when a pause ended the wait.
bool PipeWireOutput::State::consumeInRealTime(std::size_t bytes, TimePoint now) noexcept {
  const Duration length = timeOf(bytes);
  // From where the last sleep was to end, so that no wake-up's lateness adds up; from now on after a gap.
  m_consumedUntil = now - m_consumedUntil > length ? now + length : m_consumedUntil + length;
  m_sleepsUntil.store(nanoseconds(m_consumedUntil), kRelaxed);
  const std::uint32_t pauses = m_pauses.load(kRelaxed);
  for (TimePoint instant = now; instant < m_consumedUntil; instant = MonotonicClock::now()) {
    m_room.wait(std::min<Duration>(m_consumedUntil - instant, 20ms));
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
    if (!served(now)) {
      if (m_linked.load(kRelaxed) && !m_stalled.exchange(true, kRelaxed)) wakeLoop();
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
