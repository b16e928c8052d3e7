// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <glib.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "core/periodic/time/time.h"

namespace tactus::conference {

/// Calls back on the thread of a main context, once after each start(). To be used on that thread only.
class ContextTimer {
 public:
  explicit ContextTimer(GMainContext* context) : m_context(context) {}
  ~ContextTimer() { stop(); }
  ContextTimer(const ContextTimer&) = delete;
  ContextTimer& operator=(const ContextTimer&) = delete;

  /// After `wait`, whatever was started before.
  void start(periodic::Duration wait, std::function<void()> action) {
    stop();
    m_action = std::move(action);
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
    m_source = g_timeout_source_new(static_cast<guint>(std::clamp<std::int64_t>(milliseconds, 0, G_MAXINT)));
    g_source_set_callback(m_source, onTime, this, nullptr);
    g_source_attach(m_source, m_context);
  }
  void stop() noexcept {
    if (m_source == nullptr) return;
    g_source_destroy(m_source);
    g_source_unref(std::exchange(m_source, nullptr));
  }
  [[nodiscard]] bool isRunning() const noexcept { return m_source != nullptr; }

 private:
  static gboolean onTime(gpointer data) {
    auto* const self = static_cast<ContextTimer*>(data);
    self->stop();
    const auto action = std::exchange(self->m_action, nullptr);
    action();  // may start the timer again, or destroy it
    return G_SOURCE_REMOVE;
  }

  GMainContext* const m_context;
  GSource* m_source = nullptr;
  std::function<void()> m_action;
};

}  // namespace tactus::conference
