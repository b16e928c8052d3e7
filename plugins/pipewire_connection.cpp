// SPDX-License-Identifier: Apache-2.0
#include "plugins/pipewire_connection.h"

#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tactus::plugins {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

constexpr std::array<std::uint32_t, kSpeakers> kChannels{
    SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR, SPA_AUDIO_CHANNEL_FC, SPA_AUDIO_CHANNEL_LFE,
    SPA_AUDIO_CHANNEL_RL, SPA_AUDIO_CHANNEL_RR, SPA_AUDIO_CHANNEL_SL, SPA_AUDIO_CHANNEL_SR};

/// What captures from a sink. The session manager gives it neither the volume nor the device of an earlier
/// one.
constexpr std::array<std::array<const char*, 2>, 3> kMonitoring{{{PW_KEY_STREAM_CAPTURE_SINK, "true"},
                                                                 {"state.restore-props", "false"},
                                                                 {"state.restore-target", "false"}}};

spa_audio_info_raw spaInfo(int rate, const Speakers& speakers) noexcept {
  spa_audio_info_raw info{};
  info.format = SPA_AUDIO_FORMAT_F32_LE;
  info.rate = static_cast<std::uint32_t>(rate);
  for (std::size_t i = 0; i < kSpeakers; ++i)
    if (speakers.test(i)) info.position[info.channels++] = kChannels[i];
  const Speakers mono(1U << static_cast<unsigned>(Speaker::FrontLeft));
  if (speakers == mono) info.position[0] = SPA_AUDIO_CHANNEL_MONO;
  return info;
}

}  // namespace

/// A stream on the daemon, and what its callbacks need.
struct PipeWireConnection::Stream {
  /// Its first callback comes when the session manager has linked it to a device. It plays when no other
  /// stream does.
  enum class Turn { Awaited, Come, Plays };

  Stream(PipeWireConnection& owner, const Speakers& wanted, bool plays)
      : connection(owner), speakers(wanted), turn(plays ? Turn::Plays : Turn::Awaited) {}
  ~Stream() {
    if (handle == nullptr) return;
    spa_hook_remove(&hook);
    pw_stream_destroy(handle);  // ends the real-time callback
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// PipeWire's real-time thread.
  void process() noexcept {
    // acquire: the callback of the stream before this has ended.
    if (turn.load(std::memory_order_acquire) == Turn::Plays) {
      connection.m_player.process(*handle, speakers);
    } else if (Turn awaited = Turn::Awaited; turn.compare_exchange_strong(awaited, Turn::Come, kRelaxed)) {
      connection.wake();
    }
  }

  PipeWireConnection& connection;
  const Speakers speakers;
  std::atomic<Turn> turn;
  pw_stream* handle = nullptr;
  spa_hook hook{};
};

PipeWireConnection::PipeWireConnection(const PipeWireOutput::Config& config, DevicePresence& presence,
                                       Player& player, PipeWireOutput::ConnectionHandler handler,
                                       Direction direction)
    : m_config(config),
      m_direction(direction),
      m_presence(presence),
      m_player(player),
      m_speakers(config.speakers),
      m_handler(std::move(handler)),
      m_daemon("tactus-audio", *this, PipeWireDaemon::Class::RealTime) {
  if (m_daemon.thread() == nullptr) return;
  m_wake = pw_loop_add_event(
      m_daemon.loop(), [](void* data, std::uint64_t) { static_cast<PipeWireConnection*>(data)->update(); },
      this);
  (void)m_daemon.start();
}

PipeWireConnection::~PipeWireConnection() {
  m_daemon.stop();
  if (m_wake != nullptr) pw_loop_destroy_source(m_daemon.loop(), m_wake);
}

void PipeWireConnection::wake() noexcept {
  if (m_wake != nullptr) pw_loop_signal_event(m_daemon.loop(), m_wake);
}

void PipeWireConnection::widen(const Speakers& speakers) noexcept {
  m_speakers.store(m_speakers.load(kRelaxed) | speakers, kRelaxed);
  wake();
}

void PipeWireConnection::announce(bool connected, std::string why) {
  if (m_announced == connected && m_reason == why) return;
  m_announced = connected;
  m_reason = std::move(why);
  if (m_handler) m_handler(connected, m_reason);
}

void PipeWireConnection::connected(pw_core& core) {
  m_core = &core;
  m_presence.expect(periodic::MonotonicClock::now());
  m_stream = newStream(true);
  m_presence.setLinked(m_stream != nullptr);
}

/// Null if the daemon gives none; the connection is then made anew.
std::unique_ptr<PipeWireConnection::Stream> PipeWireConnection::newStream(bool begins) {
  auto stream = std::make_unique<Stream>(*this, m_speakers.load(kRelaxed), begins);
  const bool plays = m_direction == Direction::Plays;
  pw_properties* properties = pw_properties_new(
      PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, plays ? "Playback" : "Capture", PW_KEY_NODE_NAME,
      plays ? "tactus" : "tactus-echo", PW_KEY_APP_NAME, "Tactus", nullptr);
  if (!plays)
    for (const auto& [key, value] : kMonitoring) pw_properties_set(properties, key, value);
  pw_properties_set(properties, PW_KEY_MEDIA_ROLE, m_config.role.c_str());
  pw_properties_set(properties, PW_KEY_MEDIA_NAME, m_config.name.c_str());
  const auto period = std::lround(periodic::inSeconds(m_config.period) * m_config.rate);
  pw_properties_setf(properties, PW_KEY_NODE_LATENCY, "%ld/%d", period, m_config.rate);
  if (!m_config.target.empty()) pw_properties_set(properties, PW_KEY_TARGET_OBJECT, m_config.target.c_str());
  stream->handle = pw_stream_new(m_core, m_config.name.c_str(), properties);
  if (stream->handle == nullptr) {
    loseConnection("PipeWire gave no stream; sound returns when it does.");
    return nullptr;
  }
  static constexpr pw_stream_events kEvents = [] {
    pw_stream_events events{};
    events.version = PW_VERSION_STREAM_EVENTS;
    events.state_changed = [](void* data, pw_stream_state, pw_stream_state state, const char* error) {
      static_cast<Stream*>(data)->connection.onStreamState(state, error);
    };
    events.io_changed = [](void* data, std::uint32_t id, void* area, std::uint32_t size) {
      if (id != SPA_IO_RateMatch) return;
      const bool whole = area != nullptr && size >= sizeof(spa_io_rate_match);
      static_cast<Stream*>(data)->connection.m_player.offerRateMatch(
          whole ? static_cast<spa_io_rate_match*>(area) : nullptr);
    };
    events.process = [](void* data) { static_cast<Stream*>(data)->process(); };
    return events;
  }();
  pw_stream_add_listener(stream->handle, &stream->hook, &kEvents, stream.get());
  std::uint8_t storage[1024];
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, storage, sizeof storage);
  spa_audio_info_raw info = spaInfo(m_config.rate, stream->speakers);
  const spa_pod* parameters[1] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &info)};
  auto flags = PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS;
  if (!m_active.load(kRelaxed)) flags |= PW_STREAM_FLAG_INACTIVE;
  if (pw_stream_connect(stream->handle, plays ? PW_DIRECTION_OUTPUT : PW_DIRECTION_INPUT, PW_ID_ANY,
                        static_cast<pw_stream_flags>(flags), parameters, 1) < 0) {
    loseConnection("PipeWire refused the sound; it is tried again.");
    return nullptr;
  }
  return stream;
}

/// Not from inside a callback of what it destroys.
void PipeWireConnection::disconnected() noexcept {
  m_presence.setLinked(false);
  m_wider.reset();
  m_stream.reset();
  m_core = nullptr;
  m_player.disconnected();
}

void PipeWireConnection::lost(bool was) {
  tellLoss(was ? "PipeWire went away; sound returns when it does."
               : "PipeWire is not running; sound returns when it does.");
}

void PipeWireConnection::tellLoss(std::string why) {
  m_presence.setLinked(false);
  announce(false, std::move(why));
}

void PipeWireConnection::loseConnection(std::string why) {
  tellLoss(std::move(why));
  m_daemon.lose();
}

/// One stream at a time reads the ring: the wider one begins when the callback of the other has ended.
void PipeWireConnection::replaceStream() {
  if (m_wider && m_wider->turn.load(kRelaxed) == Stream::Turn::Come) {
    m_stream = std::move(m_wider);  // destroys the other
    m_stream->turn.store(Stream::Turn::Plays, std::memory_order_release);
  }
  if (!m_wider && m_stream->speakers != m_speakers.load(kRelaxed)) m_wider = newStream(false);
}

/// Does what other threads and the callbacks asked for.
void PipeWireConnection::update() {
  if (m_daemon.isLost() || m_stream == nullptr) return;
  replaceStream();
  if (m_flush.exchange(false, kRelaxed)) pw_stream_flush(m_stream->handle, false);
  for (const auto* stream : {m_stream.get(), m_wider.get()})
    if (stream != nullptr) pw_stream_set_active(stream->handle, m_active.load(kRelaxed));
  if (m_presence.stalled()) {
    announce(false, "No sound device takes the sound; it returns when one does.");
  } else if (pw_stream_get_state(m_stream->handle, nullptr) >= PW_STREAM_STATE_PAUSED &&
             (m_presence.taken() || !m_active.load(kRelaxed))) {
    // A stream is ready before the session manager has linked it to a device: a playing one has arrived when
    // a device took sound, and not before.
    announce(true, "");
  }
}

void PipeWireConnection::onStreamState(int state, const char* error) {
  if (state == PW_STREAM_STATE_ERROR && m_presence.linked()) {
    loseConnection(std::string("PipeWire refused the sound: ") +
                   (error != nullptr ? error : "unknown error") + ".");
  } else if (state == PW_STREAM_STATE_UNCONNECTED && m_presence.linked()) {
    loseConnection("PipeWire closed the stream; sound returns when a device does.");
  } else if (state == PW_STREAM_STATE_PAUSED || state == PW_STREAM_STATE_STREAMING) {
    wake();
  }
}

periodic::Duration playbackDelay(pw_stream& stream, int rate) noexcept {
  pw_time time{};
  std::int64_t delayed = 0;
  if (pw_stream_get_time_n(&stream, &time, sizeof time) == 0 && time.rate.denom > 0) {
    delayed = time.delay * 1'000'000'000 * time.rate.num / time.rate.denom;
    delayed += static_cast<std::int64_t>(time.buffered) * 1'000'000'000 / rate;
  }
  return periodic::Duration(std::clamp<std::int64_t>(delayed, 0, 1'000'000'000));
}

}  // namespace tactus::plugins
