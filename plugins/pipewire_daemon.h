// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spa/utils/hook.h>

#include "core/periodic/time/time.h"

struct pw_context;
struct pw_core;
struct pw_loop;
struct pw_thread_loop;
struct spa_source;

namespace tactus::plugins {

/// A connection to PipeWire's daemon, made anew a second after it was lost, and the thread of the loop that
/// cares for it.
class PipeWireDaemon {
 public:
  /// All is called on the loop's thread, but for disconnected() by stop().
  class Client {
   public:
    virtual ~Client() = default;
    /// The daemon is there, and so is the core, until disconnected().
    virtual void connected(pw_core& core) = 0;
    /// `was`: the daemon has gone away; else it does not run. disconnected() follows.
    virtual void lost(bool was) = 0;
    /// The core goes next, if there is one.
    virtual void disconnected() noexcept = 0;
  };
  /// What the thread of the client's callbacks gets.
  enum class Class {
    Usual,
    RealTime  ///< the class that the daemon's own has, where it can be had
  };

  /// `thread`: its name. The client outlives the connection.
  PipeWireDaemon(const char* thread, Client& client, Class callbacks);
  /// After stop().
  ~PipeWireDaemon();
  PipeWireDaemon(const PipeWireDaemon&) = delete;
  PipeWireDaemon& operator=(const PipeWireDaemon&) = delete;

  /// Connects in the background. Once. False: there is no thread for it.
  bool start();
  /// Ends the thread, then the connection: its caller has the loop to itself.
  void stop();
  /// The connection is given up, soon and not within the caller, and made anew. On the loop's thread.
  void lose() noexcept;
  /// It is about to be given up. On the loop's thread.
  [[nodiscard]] bool isLost() const noexcept { return m_lost; }
  /// Null where none could be made.
  [[nodiscard]] pw_thread_loop* thread() const noexcept { return m_thread; }
  [[nodiscard]] pw_loop* loop() const noexcept;

 private:
  void connect();
  void disconnect() noexcept;
  void turnAfter(periodic::Duration delay) noexcept;
  void turn();

  Client& m_client;
  pw_thread_loop* m_thread = nullptr;
  pw_context* m_context = nullptr;
  spa_source* m_timer = nullptr;
  // The loop's thread, or before and after it.
  pw_core* m_core = nullptr;
  spa_hook m_hook{};
  bool m_lost = false;
};

}  // namespace tactus::plugins
