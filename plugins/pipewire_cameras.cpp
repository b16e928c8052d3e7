// SPDX-License-Identifier: Apache-2.0
#include "plugins/pipewire_cameras.h"

#include <pipewire/pipewire.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/periodic/time/time.h"
#include "core/periodic/time/timespec.h"

namespace tactus::plugins {
namespace {

constexpr periodic::Duration kRetry = std::chrono::seconds(1);
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

class PipeWireCameras::Inside {
 public:
  explicit Inside(Changed changed) : m_changed(std::move(changed)) {
    static std::once_flag once;
    std::call_once(once, [] { pw_init(nullptr, nullptr); });
    m_loop = pw_thread_loop_new("tactus-cameras", nullptr);
    if (m_loop == nullptr) return;
    pw_loop* inner = pw_thread_loop_get_loop(m_loop);
    m_context = pw_context_new(inner, nullptr, 0);
    m_timer = pw_loop_add_timer(
        inner, [](void* data, std::uint64_t) { static_cast<Inside*>(data)->connect(); }, this);
    if (m_context == nullptr || m_timer == nullptr) return;
    connect();
    if (pw_thread_loop_start(m_loop) == 0) waitUntilTold();
  }

  ~Inside() {
    if (m_loop == nullptr) return;
    pw_thread_loop_stop(m_loop);  // what follows has the loop to itself
    disconnect();
    if (m_context != nullptr) pw_context_destroy(m_context);
    if (m_timer != nullptr) pw_loop_destroy_source(pw_thread_loop_get_loop(m_loop), m_timer);
    pw_thread_loop_destroy(m_loop);
  }
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
    pw_thread_loop_lock(m_loop);
    pw_thread_loop_get_time(m_loop, &end, kPatience.count());
    while (m_core != nullptr && !m_lost && !m_told)
      if (pw_thread_loop_timed_wait_full(m_loop, &end) != 0) break;
    m_told = true;  // what comes later is news
    pw_thread_loop_unlock(m_loop);
  }

  // The loop's thread, or while there is none.
  void connect() {
    disconnect();
    m_core = pw_context_connect(m_context, nullptr, 0);
    if (m_core == nullptr) {
      retry();
      return;
    }
    static constexpr pw_core_events kCoreEvents = [] {
      pw_core_events events{};
      events.version = PW_VERSION_CORE_EVENTS;
      events.done = [](void* data, std::uint32_t id, int sequence) {
        static_cast<Inside*>(data)->onDone(id, sequence);
      };
      events.error = [](void* data, std::uint32_t id, int, int result, const char*) {
        if (id == PW_ID_CORE && result == -EPIPE) static_cast<Inside*>(data)->onLost();
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
    pw_core_add_listener(m_core, &m_coreHook, &kCoreEvents, this);
    m_registry = pw_core_get_registry(m_core, PW_VERSION_REGISTRY, 0);
    if (m_registry != nullptr) pw_registry_add_listener(m_registry, &m_registryHook, &kRegistryEvents, this);
    m_sync = pw_core_sync(m_core, PW_ID_CORE, 0);
  }

  void disconnect() {
    m_lost = false;
    if (m_registry != nullptr) {
      spa_hook_remove(&m_registryHook);
      pw_proxy_destroy(reinterpret_cast<pw_proxy*>(m_registry));
      m_registry = nullptr;
    }
    if (m_core == nullptr) return;
    spa_hook_remove(&m_coreHook);
    pw_core_disconnect(m_core);
    m_core = nullptr;
  }

  void retry() {
    timespec after = periodic::timespecOf(kRetry);
    timespec never{};
    pw_loop_update_timer(pw_thread_loop_get_loop(m_loop), m_timer, &after, &never, false);
  }

  void onDone(std::uint32_t id, int sequence) {
    if (id != PW_ID_CORE || sequence != m_sync) return;
    m_told = true;
    pw_thread_loop_signal(m_loop, false);
  }

  /// The connection is what calls this: it ends later.
  void onLost() {
    m_lost = true;
    bool had = false;
    {
      const std::lock_guard lock(m_mutex);
      had = !m_nodes.empty();
      m_nodes.clear();
      m_apis.clear();
    }
    pw_thread_loop_signal(m_loop, false);
    if (had) tell();
    retry();
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
  pw_thread_loop* m_loop = nullptr;
  pw_context* m_context = nullptr;
  spa_source* m_timer = nullptr;
  // The loop's thread, or under its lock.
  pw_core* m_core = nullptr;
  pw_registry* m_registry = nullptr;
  spa_hook m_coreHook{}, m_registryHook{};
  int m_sync = 0;
  bool m_told = false;  // all that was there at first
  bool m_lost = false;

  mutable std::mutex m_mutex;                 // guards what follows
  std::map<std::uint32_t, Node> m_nodes;      // of the class Video/Source
  std::map<std::string, std::string> m_apis;  // of devices, by their numbers
};

PipeWireCameras::PipeWireCameras(Changed changed) : m_inside(std::make_unique<Inside>(std::move(changed))) {}

PipeWireCameras::~PipeWireCameras() = default;

std::vector<PipeWireCamera> PipeWireCameras::list() const {
  return m_inside->list();
}

}  // namespace tactus::plugins
