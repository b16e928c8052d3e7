// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <glib.h>

#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace tactus::media {

/// A thread that serves the sources of a GMainContext of its own, which is its default context.
class EventThread {
 public:
  explicit EventThread(const char* name);
  /// Nothing is posted any more. What was posted runs before.
  ~EventThread();
  EventThread(const EventThread&) = delete;
  EventThread& operator=(const EventThread&) = delete;

  [[nodiscard]] GMainContext* context() const noexcept { return m_context.get(); }
  /// Runs `work` on the thread, and returns afterwards; at once where the caller is the thread.
  /// Thread-safe: yes. Real-time-safe: no.
  void call(const std::function<void()>& work);
  /// Runs `work` on the thread soon, never within this. Thread-safe: yes. Real-time-safe: no.
  void post(std::function<void()> work);

 private:
  struct Free {
    void operator()(GMainContext* context) const noexcept { g_main_context_unref(context); }
    void operator()(GMainLoop* loop) const noexcept { g_main_loop_unref(loop); }
  };
  std::unique_ptr<GMainContext, Free> m_context;
  std::unique_ptr<GMainLoop, Free> m_loop;
  std::thread m_thread;
};

/// A source of a context that repeats until this goes.
class RepeatedEvent {
 public:
  RepeatedEvent() = default;
  /// `work` every `milliseconds`, on the thread of `context`; destroyed there.
  RepeatedEvent(GMainContext* context, unsigned milliseconds, std::function<void()> work);
  ~RepeatedEvent() { stop(); }
  RepeatedEvent(RepeatedEvent&& other) noexcept : m_source(std::exchange(other.m_source, nullptr)) {}
  RepeatedEvent& operator=(RepeatedEvent&& other) noexcept {
    stop();
    m_source = std::exchange(other.m_source, nullptr);
    return *this;
  }
  /// May be called by `work` itself.
  void stop() noexcept;

 private:
  GSource* m_source = nullptr;
};

}  // namespace tactus::media
