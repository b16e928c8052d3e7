// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spa/utils/hook.h>

#include <atomic>
#include <string>

#include "plugins/device_presence.h"
#include "plugins/pipewire_output.h"

struct pw_context;
struct pw_core;
struct pw_stream;
struct pw_thread_loop;
struct spa_source;

namespace tactus::plugins {

/// A playback stream on the daemon, made anew a second after it was lost, and the thread of PipeWire's loop
/// that cares for it. Says through DevicePresence whether there is a daemon.
class PipeWireConnection {
 public:
  /// The owner's half of a stream.
  class Player {
   public:
    virtual ~Player() = default;
    /// PipeWire's real-time thread: the device wants samples.
    virtual void process(pw_stream& stream) noexcept = 0;
    /// The loop's thread: the stream is gone, and process() has ended.
    virtual void disconnected() noexcept = 0;
  };

  /// Connects in the background. The presence and the player outlive it.
  PipeWireConnection(const PipeWireOutput::Config& config, DevicePresence& presence, Player& player,
                     PipeWireOutput::ConnectionHandler handler);
  ~PipeWireConnection();
  PipeWireConnection(const PipeWireConnection&) = delete;
  PipeWireConnection& operator=(const PipeWireConnection&) = delete;

  /// Whether samples are to be played; gives what was so before. Takes effect after wake(). Thread-safe: yes.
  /// Real-time-safe: yes.
  bool setActive(bool active) noexcept { return m_active.exchange(active, std::memory_order_relaxed); }
  /// PipeWire's own queue is to be emptied. Takes effect after wake(). Thread-safe: yes. Real-time-safe: yes.
  void requestFlush() noexcept { m_flush.store(true, std::memory_order_relaxed); }
  /// The loop looks at what has changed. Thread-safe: yes. Real-time-safe: yes: a write to an eventfd.
  void wake() noexcept;

 private:
  // The loop's thread.
  void connect();
  void connectStream();
  void disconnect();
  void loseConnection(std::string why);
  void update();
  void announce(bool connected, std::string why);
  static void onCoreError(void* data, std::uint32_t id, int seq, int result, const char* message);
  static void onStreamState(void* data, int state, const char* error);

  const PipeWireOutput::Config m_config;
  DevicePresence& m_presence;
  Player& m_player;

  // relaxed: the eventfd of wake() orders them.
  std::atomic<bool> m_active{false};
  std::atomic<bool> m_flush{false};

  // The loop's thread, or after its end.
  PipeWireOutput::ConnectionHandler m_handler;
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

}  // namespace tactus::plugins
