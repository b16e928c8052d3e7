// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <glib.h>

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tactus::conference {

/// A thread that runs a main context of its own, which is that thread's default: what GIO and libsoup begin
/// there, they end there.
class ContextThread {
 public:
  /// Begins the thread, named `name` (15 letters at most).
  explicit ContextThread(const std::string& name);
  /// Ends the loop, after what has been posted so far, and waits for the thread.
  ~ContextThread();
  ContextThread(const ContextThread&) = delete;
  ContextThread& operator=(const ContextThread&) = delete;

  /// Runs `action` on the thread, after what was posted before it; never at once.
  /// Thread-safe: yes. Real-time-safe: no.
  void post(std::function<void()> action);
  /// Runs `action` on the thread and waits for its end. Not from the thread itself. Thread-safe: yes.
  void run(const std::function<void()>& action);
  [[nodiscard]] GMainContext* context() const noexcept { return m_context; }

 private:
  static gboolean onPosted(gpointer self);

  GMainContext* const m_context;
  GMainLoop* const m_loop;
  GSource* const m_source;
  std::mutex m_mutex;  // m_posted
  std::deque<std::function<void()>> m_posted;
  std::thread m_thread;
};

}  // namespace tactus::conference
