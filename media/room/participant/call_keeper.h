// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/task/scheduler.h"
#include "media/room/participant/call_life.h"
#include "media/room/participant/call_listener.h"
#include "media/room/participant/call_stage.h"
#include "media/room/participant/named_threads.h"
#include "media/room/participant/offering_peer.h"
#include "media/stage/stage_adopter.h"
#include "plugins/event_descriptor.h"

namespace tactus::media {

/// Looks after one stream of a call, whichever way it goes: its state and time limits, the tasks of the
/// threads that webrtcbin starts, and the thread that does all of this. Thread-safe: yes, but for the
/// constructor, run() and the destructor. Real-time-safe: no.
class CallKeeper {
 public:
  /// Called on the keeper's thread; may be null.
  struct Hooks {
    std::function<void(periodic::TimePoint)> look = {};  ///< ten times a second, and whenever it is woken
    std::function<std::string()> fault = {};             ///< why the call cannot go on; empty: it can
    std::function<void()> stop = {};                     ///< once, before the peer is stopped
  };

  /// `direction`: Send or Receive. `adopter`, `scheduler` and `listener` (may be null) outlive it.
  CallKeeper(periodic::Scheduler& scheduler, StageAdopter& adopter, const std::string& label,
             periodic::Stage direction, CallListener* listener);
  ~CallKeeper() { end(); }
  CallKeeper(const CallKeeper&) = delete;
  CallKeeper& operator=(const CallKeeper&) = delete;

  /// Wakes the keeper's thread.
  [[nodiscard]] plugins::EventDescriptor& wake() noexcept { return m_wake; }
  /// For the hooks of the peer: its threads become tasks.
  void onStreamStatus(GstMessage* message);
  void onElement(GstElement* element);

  /// Begins to look after the peer, which outlives the keeper. Error System: there can be no thread.
  [[nodiscard]] Result<void> run(OfferingPeer& peer, Hooks hooks);
  void answered();
  /// Ends the call, without waiting for it.
  void stop() noexcept;
  /// The same, and waits for the thread. Not from the listener.
  void end();
  [[nodiscard]] CallLife life() const;
  /// Packets of any kind that came from the network.
  [[nodiscard]] std::uint64_t heard() const;
  /// Tasks of threads that announce themselves to nobody.
  [[nodiscard]] std::vector<periodic::TaskReport> namedThreads() const;

 private:
  void main();
  /// True once the call has ended.
  [[nodiscard]] bool look(periodic::TimePoint now);
  void tell();

  StageAdopter& m_adopter;
  CallListener* const m_listener;
  plugins::EventDescriptor m_wake;
  OfferingPeer* m_peer = nullptr;
  Hooks m_hooks;
  std::atomic<bool> m_stop{false};
  CallState m_told = CallState::Offered;  // own thread
  periodic::TimePoint m_namedAt{};        // own thread

  mutable std::mutex m_mutex;  // guards what follows
  CallLife m_life;
  NamedThreads m_named;
  std::unique_ptr<CallStage> m_receives;  // what comes from the network; null before
  std::thread m_thread;                   // last: uses all the others
};

}  // namespace tactus::media
