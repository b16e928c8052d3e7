// SPDX-License-Identifier: Apache-2.0
#include "examples/pipewire_sound.h"

#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "examples/sample_ring.h"

namespace tactus::examples {
namespace {

constexpr const char* kGone = "PipeWire went away";
constexpr std::int64_t kPatience = 10 * SPA_NSEC_PER_SEC;

pw_context* newContext(pw_loop* loop) noexcept {
  // With this configuration the thread of the callback gets a real-time class, as the daemon's own has.
  return pw_context_new(loop, pw_properties_new(PW_KEY_CONFIG_NAME, "client-rt.conf", nullptr), 0);
}

}  // namespace

/// A stream on the daemon, the thread of PipeWire's loop that cares for it, and the ring between PipeWire's
/// real-time callback and the port's handler.
class PipeWireStream {
 public:
  static Result<std::unique_ptr<PipeWireStream>> open(pw_direction direction);
  ~PipeWireStream();
  PipeWireStream(const PipeWireStream&) = delete;
  PipeWireStream& operator=(const PipeWireStream&) = delete;

  [[nodiscard]] SampleRing& ring() noexcept { return m_ring; }
  // relaxed: nothing else is read by it.
  [[nodiscard]] bool isLost() const noexcept { return m_lost.load(std::memory_order_relaxed); }

 private:
  explicit PipeWireStream(pw_direction direction) noexcept : m_direction(direction) {}
  [[nodiscard]] bool records() const noexcept { return m_direction == PW_DIRECTION_INPUT; }
  [[nodiscard]] Result<void> connect();
  [[nodiscard]] Result<void> awaitSound();
  void changed(pw_stream_state state, const char* error);
  void process() noexcept;

  const pw_direction m_direction;
  SampleRing m_ring;
  std::atomic<bool> m_lost{false};
  pw_thread_loop* m_loop = nullptr;
  pw_context* m_context = nullptr;
  pw_core* m_core = nullptr;
  pw_stream* m_stream = nullptr;
  spa_hook m_hook{};
  // Under the loop's lock.
  pw_stream_state m_state = PW_STREAM_STATE_UNCONNECTED;
  std::string m_error;
};

Result<std::unique_ptr<PipeWireStream>> PipeWireStream::open(pw_direction direction) {
  pw_init(nullptr, nullptr);
  std::unique_ptr<PipeWireStream> stream(new PipeWireStream(direction));
  stream->m_loop = pw_thread_loop_new("sound", nullptr);
  if (stream->m_loop == nullptr || pw_thread_loop_start(stream->m_loop) != 0)
    return Error{ErrorCode::System, std::string("There is no thread for PipeWire: ") + std::strerror(errno)};
  pw_thread_loop_lock(stream->m_loop);
  auto done = stream->connect();
  if (done.ok()) done = stream->awaitSound();
  pw_thread_loop_unlock(stream->m_loop);
  if (!done.ok()) return done.error();
  return stream;
}

PipeWireStream::~PipeWireStream() {
  // Ends the loop's thread first: what follows has the loop to itself.
  if (m_loop != nullptr) pw_thread_loop_stop(m_loop);
  if (m_stream != nullptr) {
    spa_hook_remove(&m_hook);
    pw_stream_destroy(m_stream);  // ends the real-time callback
  }
  if (m_core != nullptr) pw_core_disconnect(m_core);
  if (m_context != nullptr) pw_context_destroy(m_context);
  if (m_loop != nullptr) pw_thread_loop_destroy(m_loop);
}

Result<void> PipeWireStream::connect() {
  m_context = newContext(pw_thread_loop_get_loop(m_loop));
  m_core = m_context != nullptr ? pw_context_connect(m_context, nullptr, 0) : nullptr;
  if (m_core == nullptr) return Error{ErrorCode::Unavailable, "PipeWire is not running."};
  m_stream = pw_stream_new(
      m_core, records() ? "microphone" : "speaker",
      pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, records() ? "Capture" : "Playback",
                        PW_KEY_MEDIA_ROLE, "Communication", PW_KEY_NODE_LATENCY, "960/48000", nullptr));
  if (m_stream == nullptr) return Error{ErrorCode::Unavailable, "PipeWire gave no stream."};
  static constexpr pw_stream_events kEvents = [] {
    pw_stream_events events{};
    events.version = PW_VERSION_STREAM_EVENTS;
    events.state_changed = [](void* data, pw_stream_state, pw_stream_state state, const char* error) {
      static_cast<PipeWireStream*>(data)->changed(state, error);
    };
    events.process = [](void* data) { static_cast<PipeWireStream*>(data)->process(); };
    return events;
  }();
  pw_stream_add_listener(m_stream, &m_hook, &kEvents, this);
  std::array<std::uint8_t, 1024> storage{};
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, storage.data(), storage.size());
  spa_audio_info_raw mono{};
  mono.format = SPA_AUDIO_FORMAT_S16;
  mono.rate = kSampleRate;
  mono.channels = 1;
  mono.position[0] = SPA_AUDIO_CHANNEL_MONO;
  std::array<const spa_pod*, 1> formats{spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &mono)};
  constexpr auto kFlags = static_cast<pw_stream_flags>(
      PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS);
  if (pw_stream_connect(m_stream, m_direction, PW_ID_ANY, kFlags, formats.data(), formats.size()) < 0)
    return Error{ErrorCode::Unavailable, "PipeWire refused the sound."};
  return {};
}

/// The loop's lock is held. A stream flows once the session manager has linked it to a device.
Result<void> PipeWireStream::awaitSound() {
  timespec end{};
  pw_thread_loop_get_time(m_loop, &end, kPatience);
  while (m_state != PW_STREAM_STATE_STREAMING) {
    if (isLost()) return Error{ErrorCode::Unavailable, "PipeWire refused the sound: " + m_error + "."};
    if (pw_thread_loop_timed_wait_full(m_loop, &end) != 0)
      return Error{ErrorCode::NotFound, std::string("PipeWire has no ") +
                                            (records() ? "microphone" : "speaker") +
                                            " that begins within 10 s."};
  }
  return {};
}

void PipeWireStream::changed(pw_stream_state state, const char* error) {
  m_state = state;
  if (state == PW_STREAM_STATE_ERROR || state == PW_STREAM_STATE_UNCONNECTED) {
    m_error = error != nullptr ? error : "it went away";
    m_lost.store(true, std::memory_order_relaxed);
  }
  pw_thread_loop_signal(m_loop, false);
}

/// PipeWire's real-time thread.
void PipeWireStream::process() noexcept {
  pw_buffer* buffer = pw_stream_dequeue_buffer(m_stream);
  if (buffer == nullptr) return;
  spa_data& data = buffer->buffer->datas[0];
  auto* const bytes = static_cast<std::byte*>(data.data);
  if (bytes != nullptr && records()) {
    const std::uint32_t offset = std::min(data.chunk->offset, data.maxsize);
    m_ring.write({bytes + offset, std::min(data.chunk->size, data.maxsize - offset)});
  } else if (bytes != nullptr) {
    std::size_t frames = data.maxsize / kSampleBytes;
    if (buffer->requested > 0) frames = std::min<std::size_t>(frames, buffer->requested);
    const std::size_t size = frames * kSampleBytes;
    if (!m_ring.read({bytes, size})) std::fill_n(bytes, size, std::byte{0});
    data.chunk->offset = 0;
    data.chunk->stride = kSampleBytes;
    data.chunk->size = static_cast<std::uint32_t>(size);
  }
  pw_stream_queue_buffer(m_stream, buffer);
}

Microphone::Microphone(std::unique_ptr<PipeWireStream> stream) noexcept : m_stream(std::move(stream)) {}
Microphone::~Microphone() = default;

Result<std::unique_ptr<Microphone>> Microphone::open() {
  auto stream = PipeWireStream::open(PW_DIRECTION_INPUT);
  if (!stream.ok()) return stream.error();
  return std::unique_ptr<Microphone>(new Microphone(std::move(stream).value()));
}

std::optional<std::size_t> Microphone::record(std::span<std::byte> buffer) {
  if (m_stopped.load(std::memory_order_relaxed)) return std::nullopt;  // relaxed: nothing else is read by it
  if (m_stream->isLost()) throw std::runtime_error(kGone);
  return m_stream->ring().read(buffer) ? buffer.size() : 0;
}

void Microphone::stop() noexcept {
  m_stopped.store(true, std::memory_order_relaxed);
}

Speaker::Speaker(std::unique_ptr<PipeWireStream> stream) noexcept : m_stream(std::move(stream)) {}
Speaker::~Speaker() = default;

Result<std::unique_ptr<Speaker>> Speaker::open() {
  auto stream = PipeWireStream::open(PW_DIRECTION_OUTPUT);
  if (!stream.ok()) return stream.error();
  return std::unique_ptr<Speaker>(new Speaker(std::move(stream).value()));
}

void Speaker::play(std::span<const std::byte> buffer) {
  if (m_stream->isLost()) throw std::runtime_error(kGone);
  static constexpr std::array<std::byte, kSoundBuffer> kSilence{};
  if (buffer.empty()) buffer = kSilence;
  m_stream->ring().write(buffer.first(buffer.size() / kSampleBytes * kSampleBytes));  // whole samples
}

}  // namespace tactus::examples
