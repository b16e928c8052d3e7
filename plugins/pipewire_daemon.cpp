// SPDX-License-Identifier: Apache-2.0
#include "plugins/pipewire_daemon.h"

#include <pipewire/pipewire.h>

#include <cerrno>
#include <mutex>
#include <utility>

#include "core/periodic/time/timespec.h"

namespace tactus::plugins {
namespace {

constexpr periodic::Duration kAtOnce{1};  // zero would stop the timer
constexpr periodic::Duration kRetry = std::chrono::seconds(1);

pw_context* newContext(pw_loop* loop, PipeWireDaemon::Class callbacks) noexcept {
  if (callbacks == PipeWireDaemon::Class::RealTime) {
    auto* settings = pw_properties_new(PW_KEY_CONFIG_NAME, "client-rt.conf", nullptr);
    if (auto* context = pw_context_new(loop, settings, 0)) return context;
  }
  return pw_context_new(loop, nullptr, 0);
}

}  // namespace

PipeWireDaemon::PipeWireDaemon(const char* thread, Client& client, Class callbacks) : m_client(client) {
  static std::once_flag once;
  std::call_once(once, [] { pw_init(nullptr, nullptr); });
  m_thread = pw_thread_loop_new(thread, nullptr);
  if (m_thread == nullptr) return;
  m_context = newContext(loop(), callbacks);
  m_timer = pw_loop_add_timer(
      loop(), [](void* self, std::uint64_t) { static_cast<PipeWireDaemon*>(self)->turn(); }, this);
}

PipeWireDaemon::~PipeWireDaemon() {
  if (m_thread == nullptr) return;
  if (m_context != nullptr) pw_context_destroy(m_context);
  if (m_timer != nullptr) pw_loop_destroy_source(loop(), m_timer);
  pw_thread_loop_destroy(m_thread);
}

pw_loop* PipeWireDaemon::loop() const noexcept {
  return pw_thread_loop_get_loop(m_thread);
}

bool PipeWireDaemon::start() {
  if (m_context == nullptr || m_timer == nullptr) return false;
  turnAfter(kAtOnce);
  return pw_thread_loop_start(m_thread) == 0;
}

void PipeWireDaemon::stop() {
  if (m_thread == nullptr) return;
  pw_thread_loop_stop(m_thread);
  disconnect();
}

void PipeWireDaemon::turnAfter(periodic::Duration delay) noexcept {
  timespec due = periodic::timespecOf(delay);
  timespec never{};
  pw_loop_update_timer(loop(), m_timer, &due, &never, false);
}

void PipeWireDaemon::lose() noexcept {
  if (std::exchange(m_lost, true)) return;
  turnAfter(kAtOnce);
}

void PipeWireDaemon::turn() {
  if (!m_lost) return connect();
  disconnect();
  turnAfter(kRetry);
}

void PipeWireDaemon::connect() {
  m_core = pw_context_connect(m_context, nullptr, 0);
  if (m_core == nullptr) {
    m_client.lost(false);
    return lose();
  }
  static constexpr pw_core_events kEvents = [] {
    pw_core_events events{};
    events.version = PW_VERSION_CORE_EVENTS;
    events.error = [](void* data, std::uint32_t id, int, int result, const char*) {
      auto& self = *static_cast<PipeWireDaemon*>(data);
      if (id != PW_ID_CORE || result != -EPIPE) return;
      self.m_client.lost(true);
      self.lose();
    };
    return events;
  }();
  pw_core_add_listener(m_core, &m_hook, &kEvents, this);
  m_client.connected(*m_core);
}

void PipeWireDaemon::disconnect() noexcept {
  m_lost = false;
  m_client.disconnected();
  if (m_core == nullptr) return;
  spa_hook_remove(&m_hook);
  pw_core_disconnect(m_core);
  m_core = nullptr;
}

}  // namespace tactus::plugins
