// SPDX-License-Identifier: Apache-2.0
#include "plugins/pipewire_connection.h"

#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace tactus::plugins {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr periodic::Duration kRetry = std::chrono::seconds(1);

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

PipeWireConnection::PipeWireConnection(const PipeWireOutput::Config& config, DevicePresence& presence,
                                       Player& player, PipeWireOutput::ConnectionHandler handler)
    : m_config(config), m_presence(presence), m_player(player), m_handler(std::move(handler)) {
  static std::once_flag once;
  std::call_once(once, [] { pw_init(nullptr, nullptr); });
  m_loop = pw_thread_loop_new("tactus-audio", nullptr);
  if (m_loop == nullptr) return;
  pw_loop* inner = pw_thread_loop_get_loop(m_loop);
  m_context = newContext(inner);
  m_timer = pw_loop_add_timer(
      inner, [](void* data, std::uint64_t) { static_cast<PipeWireConnection*>(data)->connect(); }, this);
  m_wake = pw_loop_add_event(
      inner, [](void* data, std::uint64_t) { static_cast<PipeWireConnection*>(data)->update(); }, this);
  if (m_context == nullptr || pw_thread_loop_start(m_loop) != 0) return;
  wake();
}

PipeWireConnection::~PipeWireConnection() {
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

void PipeWireConnection::wake() noexcept {
  if (m_wake != nullptr) pw_loop_signal_event(pw_thread_loop_get_loop(m_loop), m_wake);
}

void PipeWireConnection::announce(bool connected, std::string why) {
  if (m_announced == connected && m_reason == why) return;
  m_announced = connected;
  m_reason = std::move(why);
  if (m_handler) m_handler(connected, m_reason);
}

void PipeWireConnection::connect() {
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

void PipeWireConnection::connectStream() {
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
    events.state_changed = [](void* data, pw_stream_state, pw_stream_state state, const char* error) {
      onStreamState(data, state, error);
    };
    events.process = [](void* data) {
      auto& self = *static_cast<PipeWireConnection*>(data);
      self.m_player.process(*self.m_stream);
    };
    return events;
  }();
  pw_stream_add_listener(m_stream, &m_streamHook, &kEvents, this);
  const bool active = m_active.load(kRelaxed);
  m_presence.expect(periodic::MonotonicClock::now());
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
  m_presence.setLinked(true);
}

/// Not from inside a callback of what it destroys.
void PipeWireConnection::disconnect() {
  m_presence.setLinked(false);
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
  m_player.disconnected();
}

void PipeWireConnection::loseConnection(std::string why) {
  m_presence.setLinked(false);
  m_lost = true;
  announce(false, std::move(why));
  wake();
}

/// Does what other threads and the callbacks asked for.
void PipeWireConnection::update() {
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
  if (m_presence.stalled()) {
    announce(false, "No sound device takes the sound; it returns when one does.");
  } else if (pw_stream_get_state(m_stream, nullptr) >= PW_STREAM_STATE_PAUSED &&
             (m_presence.taken() || !m_active.load(kRelaxed))) {
    // A stream is ready before the session manager has linked it to a device: a playing one has arrived when
    // a device took sound, and not before.
    announce(true, "");
  }
}

void PipeWireConnection::onCoreError(void* data, std::uint32_t id, int, int result, const char*) {
  auto& self = *static_cast<PipeWireConnection*>(data);
  if (id != PW_ID_CORE || result != -EPIPE) return;
  self.loseConnection("PipeWire went away; sound returns when it does.");
}

void PipeWireConnection::onStreamState(void* data, int state, const char* error) {
  auto& self = *static_cast<PipeWireConnection*>(data);
  if (state == PW_STREAM_STATE_ERROR && self.m_presence.linked()) {
    self.loseConnection(std::string("PipeWire refused the sound: ") +
                        (error != nullptr ? error : "unknown error") + ".");
  } else if (state == PW_STREAM_STATE_UNCONNECTED && self.m_presence.linked()) {
    self.loseConnection("PipeWire closed the stream; sound returns when a device does.");
  } else if (state == PW_STREAM_STATE_PAUSED || state == PW_STREAM_STATE_STREAMING) {
    self.wake();
  }
}

}  // namespace tactus::plugins
