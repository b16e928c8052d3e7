// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "plugins/device_presence.h"
#include "plugins/pipewire_daemon.h"
#include "plugins/pipewire_output.h"

struct pw_stream;
struct spa_io_rate_match;
struct spa_source;

namespace tactus::plugins {

/// A stream on the daemon, made anew with its connection, and the thread of PipeWire's loop that cares for
/// it. Says through DevicePresence whether there is a daemon.
class PipeWireConnection final : private PipeWireDaemon::Client {
 public:
  enum class Direction {
    Plays,    ///< on the target
    Monitors  ///< captures what the target plays
  };
  /// The owner's half of a stream.
  class Player {
   public:
    virtual ~Player() = default;
    /// PipeWire's real-time thread: the device wants samples for these speakers, or has some.
    virtual void process(pw_stream& stream, const Speakers& speakers) noexcept = 0;
    /// The loop's thread: where process() tells the stream's resampler at which speed to take samples; null:
    /// nowhere. It is there until disconnected().
    virtual void offerRateMatch(spa_io_rate_match*) noexcept {}
    /// The loop's thread: the stream is gone, and process() has ended.
    virtual void disconnected() noexcept = 0;
  };

  /// Connects in the background. The presence and the player outlive it.
  PipeWireConnection(const PipeWireOutput::Config& config, DevicePresence& presence, Player& player,
                     PipeWireOutput::ConnectionHandler handler, Direction direction = Direction::Plays);
  ~PipeWireConnection() override;
  PipeWireConnection(const PipeWireConnection&) = delete;
  PipeWireConnection& operator=(const PipeWireConnection&) = delete;

  /// Whether samples are to be played; gives what was so before. Takes effect after wake(). Thread-safe: yes.
  /// Real-time-safe: yes.
  bool setActive(bool active) noexcept { return m_active.exchange(active, std::memory_order_relaxed); }
  /// PipeWire's own queue is to be emptied. Takes effect after wake(). Thread-safe: yes. Real-time-safe: yes.
  void requestFlush() noexcept { m_flush.store(true, std::memory_order_relaxed); }
  /// The stream gets these speakers too. A stream that has them is connected, and takes the place of the
  /// present one when a device asks it for sound. For one thread at a time. Real-time-safe: yes.
  void widen(const Speakers& speakers) noexcept;
  /// The loop looks at what has changed. Thread-safe: yes. Real-time-safe: yes: a write to an eventfd.
  void wake() noexcept;

 private:
  struct Stream;

  // The loop's thread.
  void connected(pw_core& core) override;
  void lost(bool was) override;
  void disconnected() noexcept override;
  [[nodiscard]] std::unique_ptr<Stream> newStream(bool begins);
  void replaceStream();
  void tellLoss(std::string why);
  void loseConnection(std::string why);
  void update();
  void announce(bool connected, std::string why);
  void onStreamState(int state, const char* error);

  const PipeWireOutput::Config m_config;
  const Direction m_direction;
  DevicePresence& m_presence;
  Player& m_player;

  // relaxed: the eventfd of wake() orders them.
  std::atomic<bool> m_active{false};
  std::atomic<bool> m_flush{false};
  std::atomic<Speakers> m_speakers;  // only more of them

  // The loop's thread, or after its end.
  PipeWireOutput::ConnectionHandler m_handler;
  bool m_announced = false;
  std::string m_reason;
  pw_core* m_core = nullptr;
  std::unique_ptr<Stream> m_stream;
  std::unique_ptr<Stream> m_wider;  // takes the place of m_stream when a device asks it for sound
  spa_source* m_wake = nullptr;
  PipeWireDaemon m_daemon;  // last: its thread uses the others
};

/// What passes between the next turn of process() and the speaker. Real-time-safe: yes.
[[nodiscard]] periodic::Duration playbackDelay(pw_stream& stream, int rate) noexcept;

}  // namespace tactus::plugins
