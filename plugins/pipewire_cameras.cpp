// SPDX-License-Identifier: Apache-2.0
#include "plugins/pipewire_cameras.h"

#include <pipewire/pipewire.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/periodic/time/time.h"
#include "plugins/pipewire_daemon.h"

namespace tactus::plugins {
namespace {

constexpr periodic::Duration kPatience = std::chrono::seconds(2);

/// Empty where there is none.
std::string valueOf(const spa_dict& facts, const char* key) {
  const char* value = spa_dict_lookup(&facts, key);
  return value != nullptr ? value : "";
}

std::string labelOf(const spa_dict& facts) {
  for (const char* key : {PW_KEY_NODE_DESCRIPTION, PW_KEY_NODE_NICK, PW_KEY_NODE_NAME})
    if (std::string label = valueOf(facts, key); !label.empty()) return label;
  return "";
}

}  // namespace

class PipeWireCameras::Inside final : private PipeWireDaemon::Client {
 public:
  explicit Inside(Changed changed) : m_changed(std::move(changed)) {
    if (m_daemon.start()) waitUntilTold();
  }
  ~Inside() override { m_daemon.stop(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  std::vector<PipeWireCamera> list() const {
    const std::lock_guard lock(m_mutex);
    std::vector<PipeWireCamera> cameras;
    for (const auto& [id, node] : m_nodes) {
      const auto api = m_apis.find(node.device);
      if (api == m_apis.end() || api->second != "v4l2") cameras.push_back(node.camera);
    }
    return cameras;
  }

 private:
  struct Node {
    PipeWireCamera camera;
    std::string device;  // its number, in words
  };

  void waitUntilTold() {
    timespec end{};
    pw_thread_loop_lock(m_daemon.thread());
    pw_thread_loop_get_time(m_daemon.thread(), &end, kPatience.count());
    while (!m_told)
      if (pw_thread_loop_timed_wait_full(m_daemon.thread(), &end) != 0) break;
    m_told = true;
    pw_thread_loop_unlock(m_daemon.thread());
  }

  // The loop's thread.
  void connected(pw_core& core) override {
    static constexpr pw_core_events kCoreEvents = [] {
      pw_core_events events{};
      events.version = PW_VERSION_CORE_EVENTS;
      events.done = [](void* data, std::uint32_t id, int sequence) {
        auto& self = *static_cast<Inside*>(data);
        if (id == PW_ID_CORE && sequence == self.m_sync) self.endWait();
      };
      return events;
    }();
    static constexpr pw_registry_events kRegistryEvents = [] {
      pw_registry_events events{};
      events.version = PW_VERSION_REGISTRY_EVENTS;
      events.global = [](void* data, std::uint32_t id, std::uint32_t, const char* type, std::uint32_t,
                         const spa_dict* facts) {
        if (facts != nullptr) static_cast<Inside*>(data)->onObject(id, type, *facts);
      };
      events.global_remove = [](void* data, std::uint32_t id) { static_cast<Inside*>(data)->onGone(id); };
      return events;
    }();
    m_registry = pw_core_get_registry(&core, PW_VERSION_REGISTRY, 0);
    if (m_registry == nullptr) return m_daemon.lose();
    pw_core_add_listener(&core, &m_coreHook, &kCoreEvents, this);
    pw_registry_add_listener(m_registry, &m_registryHook, &kRegistryEvents, this);
    m_sync = pw_core_sync(&core, PW_ID_CORE, 0);
  }

  void disconnected() noexcept override {
    if (m_registry == nullptr) return;
    spa_hook_remove(&m_registryHook);
    spa_hook_remove(&m_coreHook);
    pw_proxy_destroy(reinterpret_cast<pw_proxy*>(std::exchange(m_registry, nullptr)));
  }

  void lost(bool) override {
    bool had = false;
    {
      const std::lock_guard lock(m_mutex);
      had = !m_nodes.empty();
      m_nodes.clear();
      m_apis.clear();
    }
    if (had) tell();
    endWait();
  }

  /// All that was there at first is known: what comes later is news.
  void endWait() {
    m_told = true;
    pw_thread_loop_signal(m_daemon.thread(), false);
  }

  void onObject(std::uint32_t id, std::string_view type, const spa_dict& facts) {
    if (type == PW_TYPE_INTERFACE_Device) {
      const std::lock_guard lock(m_mutex);
      m_apis[std::to_string(id)] = valueOf(facts, PW_KEY_DEVICE_API);
    } else if (type == PW_TYPE_INTERFACE_Node && valueOf(facts, PW_KEY_MEDIA_CLASS) == "Video/Source") {
      Node node{{labelOf(facts), valueOf(facts, PW_KEY_OBJECT_SERIAL)}, valueOf(facts, PW_KEY_DEVICE_ID)};
      {
        const std::lock_guard lock(m_mutex);
        m_nodes[id] = std::move(node);
      }
      tell();
    }
  }

  void onGone(std::uint32_t id) {
    bool was = false;
    {
      const std::lock_guard lock(m_mutex);
      was = m_nodes.erase(id) > 0;
      m_apis.erase(std::to_string(id));
    }
    if (was) tell();
  }

  void tell() const {
    if (m_told && m_changed) m_changed();
  }

  const Changed m_changed;
  // The loop's thread, or under its lock.
  pw_registry* m_registry = nullptr;
  spa_hook m_coreHook{}, m_registryHook{};
  int m_sync = 0;
  bool m_told = false;

  mutable std::mutex m_mutex;                 // guards what follows
  std::map<std::uint32_t, Node> m_nodes;      // of the class Video/Source
  std::map<std::string, std::string> m_apis;  // of devices, by their numbers

  PipeWireDaemon m_daemon{"tactus-cameras", *this,
                          PipeWireDaemon::Class::Usual};  // last: its thread uses the others
};

PipeWireCameras::PipeWireCameras(Changed changed) : m_inside(std::make_unique<Inside>(std::move(changed))) {}

PipeWireCameras::~PipeWireCameras() = default;

std::vector<PipeWireCamera> PipeWireCameras::list() const {
  return m_inside->list();
}

}  // namespace tactus::plugins
