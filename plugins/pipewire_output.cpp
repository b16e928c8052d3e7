// SPDX-License-Identifier: Apache-2.0
#include "plugins/pipewire_output.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

// PipeWire's headers are C and do not compile cleanly under our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::MonotonicClock;
using periodic::TimePoint;

constexpr Duration kFill = 60ms;       // what the ring holds: three of PipeWire's usual quanta
constexpr Duration kPatience = 250ms;  // without a callback for so long, the graph is taken for stalled
constexpr Duration kRetry = 1s;

void initialisePipeWire() {
  static std::once_flag once;
  std::call_once(once, [] { pw_init(nullptr, nullptr); });
}

}  // namespace

struct PipeWireOutput::State {
  State(Config settings, ConnectionHandler connection)
      : config(std::move(settings)),
        handler(std::move(connection)),
        event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    const auto bytes =
        static_cast<std::size_t>(config.format.rate) * static_cast<std::size_t>(config.format.frameBytes);
    fill = bytesOf(kFill);
    ring.resize(bytes);  // one second; whole frames, so an index never splits one
  }

  Config config;
  ConnectionHandler handler;
  int event;  // the callback's "there is room"

  // Single producer (write), single consumer (process). Positions only grow.
  std::vector<std::byte> ring;
  std::size_t fill = 0;
  std::atomic<std::uint64_t> written{0};
  std::atomic<std::uint64_t> consumed{0};
  std::atomic<std::uint64_t> discardTo{0};  // the consumer skips to here
  std::atomic<bool> playing{false};
  std::atomic<bool> isConnected{false};
  std::atomic<std::int64_t> deviceDelay{0};  // ns
  std::atomic<std::int64_t> lastProcess{0};  // CLOCK_MONOTONIC, ns
  std::atomic<std::uint64_t> underruns{0};
  std::atomic<std::uint64_t> connections{0};
  TimePoint nextConsumption{};  // writer only: real time without a daemon

  // The loop's thread, or its lock.
  pw_thread_loop* loop = nullptr;
  pw_context* context = nullptr;
  pw_core* core = nullptr;
  pw_stream* stream = nullptr;
  spa_source* timer = nullptr;
  spa_source* lost = nullptr;
  spa_hook coreHook{};
  spa_hook streamHook{};
  std::string reason;

  [[nodiscard]] std::size_t bytesOf(Duration time) const noexcept {
    const auto frames = time.count() * config.format.rate / 1'000'000'000;
    return static_cast<std::size_t>(frames) * static_cast<std::size_t>(config.format.frameBytes);
  }
  [[nodiscard]] Duration timeOf(std::uint64_t bytes) const noexcept {
    const auto frames = static_cast<std::int64_t>(bytes) / config.format.frameBytes;
    return Duration(frames * 1'000'000'000 / config.format.rate);
  }

  /// Bytes written and neither read nor given up.
  [[nodiscard]] std::uint64_t waiting() const noexcept {
    // acquire: pairs with read(); the space is free.
    const std::uint64_t gone =
        std::max(consumed.load(std::memory_order_acquire), discardTo.load(std::memory_order_relaxed));
    const std::uint64_t end = written.load(std::memory_order_relaxed);
    return end > gone ? end - gone : 0;
  }

  bool start();
  void stop();
  void connect();
  void disconnect();
  void retryLater();
  void announce(bool nowConnected, std::string why);
  void process() noexcept;
  std::size_t read(std::byte* into, std::size_t bytes) noexcept;

  static void onProcess(void* data) { static_cast<State*>(data)->process(); }
  static void onStreamState(void* data, pw_stream_state, pw_stream_state state, const char* error);
  static void onCoreError(void* data, std::uint32_t id, int seq, int result, const char* message);
};

namespace {

const pw_stream_events& streamEvents(void (*process)(void*),
                                     void (*changed)(void*, pw_stream_state, pw_stream_state, const char*)) {
  static const pw_stream_events events = [&] {
    pw_stream_events table{};
    table.version = PW_VERSION_STREAM_EVENTS;
    table.process = process;
    table.state_changed = changed;
    return table;
  }();
  return events;
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

void setPositions(spa_audio_info_raw& info) noexcept {
  static constexpr std::uint32_t kOrder[] = {
      SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR, SPA_AUDIO_CHANNEL_FC, SPA_AUDIO_CHANNEL_LFE,
      SPA_AUDIO_CHANNEL_RL, SPA_AUDIO_CHANNEL_RR, SPA_AUDIO_CHANNEL_SL, SPA_AUDIO_CHANNEL_SR};
  if (info.channels == 1) {
    info.position[0] = SPA_AUDIO_CHANNEL_MONO;
    return;
  }
  for (std::uint32_t i = 0; i < info.channels && i < std::size(kOrder); ++i) info.position[i] = kOrder[i];
}

}  // namespace

bool PipeWireOutput::State::start() {
  initialisePipeWire();
  loop = pw_thread_loop_new("tactus-audio", nullptr);
  if (loop == nullptr) return false;
  context = pw_context_new(pw_thread_loop_get_loop(loop), nullptr, 0);
  if (context == nullptr) return false;
  pw_loop* inner = pw_thread_loop_get_loop(loop);
  timer = pw_loop_add_timer(
      inner, [](void* data, std::uint64_t) { static_cast<State*>(data)->connect(); }, this);
  // A connection must not be torn down inside its own callback.
  lost = pw_loop_add_event(
      inner,
      [](void* data, std::uint64_t) {
        auto& self = *static_cast<State*>(data);
        self.disconnect();
        self.retryLater();
      },
      this);
  if (pw_thread_loop_start(loop) != 0) return false;
  pw_thread_loop_lock(loop);
  connect();
  pw_thread_loop_unlock(loop);
  return true;
}

void PipeWireOutput::State::stop() {
  if (loop == nullptr) return;
  pw_thread_loop_lock(loop);
  handler = {};
  disconnect();
  pw_thread_loop_unlock(loop);
  pw_thread_loop_stop(loop);
  if (timer != nullptr) pw_loop_destroy_source(pw_thread_loop_get_loop(loop), timer);
  if (lost != nullptr) pw_loop_destroy_source(pw_thread_loop_get_loop(loop), lost);
  if (context != nullptr) pw_context_destroy(context);
  pw_thread_loop_destroy(loop);
}

void PipeWireOutput::State::announce(bool nowConnected, std::string why) {
  // relaxed: the writer looks at it again within one segment.
  const bool before = isConnected.exchange(nowConnected, std::memory_order_relaxed);
  if (before == nowConnected && why == reason) return;
  reason = std::move(why);
  if (nowConnected && !before) connections.fetch_add(1, std::memory_order_relaxed);
  if (handler) handler(nowConnected, reason);
}

void PipeWireOutput::State::retryLater() {
  const timespec delay{kRetry.count() / 1'000'000'000, kRetry.count() % 1'000'000'000};
  const timespec never{};
  pw_loop_update_timer(pw_thread_loop_get_loop(loop), timer, const_cast<timespec*>(&delay),
                       const_cast<timespec*>(&never), false);
}

void PipeWireOutput::State::connect() {
  static const pw_core_events kCoreEvents = [] {
    pw_core_events table{};
    table.version = PW_VERSION_CORE_EVENTS;
    table.error = onCoreError;
    return table;
  }();
  if (core != nullptr) return;
  core = pw_context_connect(context, nullptr, 0);
  if (core == nullptr) {
    announce(false, "PipeWire is not running; sound returns when it does.");
    retryLater();
    return;
  }
  pw_core_add_listener(core, &coreHook, &kCoreEvents, this);
  pw_properties* properties =
      pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Playback", PW_KEY_MEDIA_ROLE,
                        "Movie", PW_KEY_NODE_NAME, "tactus", PW_KEY_APP_NAME, "Tactus", nullptr);
  pw_properties_set(properties, PW_KEY_MEDIA_NAME, config.name.c_str());
  pw_properties_setf(properties, PW_KEY_NODE_LATENCY, "%d/%d", config.format.rate / 50, config.format.rate);
  if (!config.target.empty()) pw_properties_set(properties, PW_KEY_TARGET_OBJECT, config.target.c_str());
  stream = pw_stream_new(core, config.name.c_str(), properties);
  if (stream == nullptr) {
    pw_loop_signal_event(pw_thread_loop_get_loop(loop), lost);
    return;
  }
  pw_stream_add_listener(stream, &streamHook, &streamEvents(onProcess, onStreamState), this);
  std::uint8_t storage[1024];
  spa_pod_builder builder = SPA_POD_BUILDER_INIT(storage, sizeof storage);
  spa_audio_info_raw info{};
  info.format = spaFormat(config.format.sample);
  info.rate = static_cast<std::uint32_t>(config.format.rate);
  info.channels = static_cast<std::uint32_t>(config.format.channels);
  setPositions(info);
  const spa_pod* parameters[1] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &info)};
  const auto flags = static_cast<pw_stream_flags>(PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS |
                                                  PW_STREAM_FLAG_RT_PROCESS);
  if (pw_stream_connect(stream, PW_DIRECTION_OUTPUT, PW_ID_ANY, flags, parameters, 1) < 0) {
    pw_loop_signal_event(pw_thread_loop_get_loop(loop), lost);
  }
}

void PipeWireOutput::State::disconnect() {
  if (stream != nullptr) {
    spa_hook_remove(&streamHook);
    pw_stream_destroy(stream);
    stream = nullptr;
  }
  if (core != nullptr) {
    spa_hook_remove(&coreHook);
    pw_core_disconnect(core);
    core = nullptr;
  }
  deviceDelay.store(0, std::memory_order_relaxed);
}

void PipeWireOutput::State::onCoreError(void* data, std::uint32_t id, int, int result, const char*) {
  auto& self = *static_cast<State*>(data);
  if (id != PW_ID_CORE || result != -EPIPE) return;
  self.announce(false, "PipeWire went away; sound returns when it does.");
  pw_loop_signal_event(pw_thread_loop_get_loop(self.loop), self.lost);
}

void PipeWireOutput::State::onStreamState(void* data, pw_stream_state, pw_stream_state state,
                                          const char* error) {
  auto& self = *static_cast<State*>(data);
  if (state == PW_STREAM_STATE_STREAMING) self.announce(true, "");
  if (state == PW_STREAM_STATE_ERROR) {
    self.announce(false, std::string("PipeWire refused the sound: ") +
                             (error != nullptr ? error : "unknown error") + ".");
    pw_loop_signal_event(pw_thread_loop_get_loop(self.loop), self.lost);
  }
  if (state == PW_STREAM_STATE_UNCONNECTED && self.stream != nullptr) {
    self.announce(false, "PipeWire closed the stream; sound returns when a device does.");
    pw_loop_signal_event(pw_thread_loop_get_loop(self.loop), self.lost);
  }
}

std::size_t PipeWireOutput::State::read(std::byte* into, std::size_t bytes) noexcept {
  // acquire: the samples up to `written` are in the ring.
  const std::uint64_t end = written.load(std::memory_order_acquire);
  std::uint64_t position =
      std::max(consumed.load(std::memory_order_relaxed), discardTo.load(std::memory_order_relaxed));
  const std::size_t count = std::min<std::uint64_t>(bytes, end - std::min(position, end));
  const std::size_t offset = position % ring.size();
  const std::size_t first = std::min(count, ring.size() - offset);
  std::memcpy(into, ring.data() + offset, first);
  std::memcpy(into + first, ring.data(), count - first);
  // release: the space is free only after it was read.
  consumed.store(position + count, std::memory_order_release);
  return count;
}

void PipeWireOutput::State::process() noexcept {
  pw_buffer* buffer = pw_stream_dequeue_buffer(stream);
  if (buffer == nullptr) return;
  spa_data& target = buffer->buffer->datas[0];
  const auto frameBytes = static_cast<std::size_t>(config.format.frameBytes);
  if (target.data != nullptr) {
    std::size_t frames = target.maxsize / frameBytes;
    if (buffer->requested > 0) frames = std::min<std::size_t>(frames, buffer->requested);
    auto* out = static_cast<std::byte*>(target.data);
    const std::size_t wanted = frames * frameBytes;
    const std::size_t got = read(out, wanted);
    std::memset(out + got, 0, wanted - got);
    // Counted once a gap: playing is set again by the next write().
    if (got < wanted && playing.exchange(false, std::memory_order_relaxed))
      underruns.fetch_add(1, std::memory_order_relaxed);
    target.chunk->offset = 0;
    target.chunk->stride = config.format.frameBytes;
    target.chunk->size = static_cast<std::uint32_t>(wanted);
  }
  pw_time time{};
  if (pw_stream_get_time_n(stream, &time, sizeof time) == 0 && time.rate.denom > 0) {
    const auto ticks = time.delay + static_cast<std::int64_t>(time.buffered);
    const std::int64_t delayed = ticks * 1'000'000'000 * time.rate.num / time.rate.denom;
    deviceDelay.store(std::clamp<std::int64_t>(delayed, 0, 1'000'000'000), std::memory_order_relaxed);
  }
  pw_stream_queue_buffer(stream, buffer);
  lastProcess.store(MonotonicClock::now().time_since_epoch().count(), std::memory_order_relaxed);
  const std::uint64_t one = 1;
  (void)!::write(event, &one, sizeof one);
}

PipeWireOutput::PipeWireOutput(Config config, ConnectionHandler handler)
    : m_state(std::make_unique<State>(std::move(config), std::move(handler))) {
  if (!m_state->start()) m_state->announce(false, "PipeWire's client library could not start.");
}

PipeWireOutput::~PipeWireOutput() {
  m_state->stop();
  if (m_state->event >= 0) close(m_state->event);
}

void PipeWireOutput::write(const std::byte* data, std::size_t bytes) noexcept {
  auto& state = *m_state;
  bytes = std::min(bytes, state.ring.size() - state.fill);
  const TimePoint patience = MonotonicClock::now() + kPatience;
  while (state.waiting() > state.fill) {
    const TimePoint now = MonotonicClock::now();
    const TimePoint last{Duration(state.lastProcess.load(std::memory_order_relaxed))};
    const bool served = state.isConnected.load(std::memory_order_relaxed) && now - last < kPatience;
    if (!served || now >= patience) {
      // Nobody listens: time goes on all the same, at the pace of the samples.
      state.nextConsumption = std::max(state.nextConsumption + state.timeOf(bytes), now);
      periodic::KernelTime::sleepUntil(state.nextConsumption);
      // The oldest go; by way of discardTo, since the consumer may wake up again at any moment.
      const std::uint64_t oldest = std::max(state.consumed.load(std::memory_order_relaxed),
                                            state.discardTo.load(std::memory_order_relaxed));
      state.discardTo.store(oldest + bytes, std::memory_order_relaxed);
      break;
    }
    pollfd wait{state.event, POLLIN, 0};
    if (poll(&wait, 1, 20) > 0) {
      std::uint64_t count = 0;
      (void)!::read(state.event, &count, sizeof count);
    }
  }
  const std::uint64_t position = state.written.load(std::memory_order_relaxed);
  const std::size_t offset = position % state.ring.size();
  const std::size_t first = std::min(bytes, state.ring.size() - offset);
  std::memcpy(state.ring.data() + offset, data, first);
  std::memcpy(state.ring.data(), data + first, bytes - first);
  state.playing.store(true, std::memory_order_relaxed);
  state.written.store(position + bytes,
                      std::memory_order_release);  // the samples are there before they are seen
}

Duration PipeWireOutput::delay() const noexcept {
  const auto& state = *m_state;
  const Duration waiting = state.timeOf(state.waiting());
  return waiting + Duration(state.deviceDelay.load(std::memory_order_relaxed));
}

void PipeWireOutput::pause(bool discard) noexcept {
  auto& state = *m_state;
  state.playing.store(false, std::memory_order_relaxed);
  if (discard)
    state.discardTo.store(state.written.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

bool PipeWireOutput::connected() const noexcept {
  return m_state->isConnected.load(std::memory_order_relaxed);
}
std::uint64_t PipeWireOutput::underruns() const noexcept {
  return m_state->underruns.load(std::memory_order_relaxed);
}
std::uint64_t PipeWireOutput::connections() const noexcept {
  return m_state->connections.load(std::memory_order_relaxed);
}

}  // namespace tactus::plugins

#pragma GCC diagnostic pop
