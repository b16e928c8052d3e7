// SPDX-License-Identifier: Apache-2.0
#include "media/capture/capture_devices.h"

#include <gst/gst.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "plugins/gst_handle.h"
#include "plugins/pipewire_cameras.h"

namespace tactus::media {
namespace {

using DevicePtr = std::unique_ptr<GstDevice, plugins::Releaser<plugins::releaseObject>>;
using MonitorPtr = std::unique_ptr<GstDeviceMonitor, plugins::Releaser<plugins::releaseObject>>;

std::string field(const GstStructure& of, const char* name) {
  const char* value = gst_structure_get_string(&of, name);
  return value != nullptr ? value : "";
}

/// Absent: it is not captured from, or by another element.
std::optional<CaptureDevice> describe(GstDevice& device, MediaKind kind) {
  const std::string_view provider = G_OBJECT_TYPE_NAME(&device);
  const plugins::StructurePtr facts(gst_device_get_properties(&device));
  if (!facts) return std::nullopt;
  CaptureDevice found;
  found.source.kind = CaptureSource::Kind::Device;
  const plugins::CharPtr label(gst_device_get_display_name(&device));
  if (label) found.label = label.get();
  gboolean isDefault = FALSE;
  (void)gst_structure_get_boolean(facts.get(), "is-default", &isDefault);
  found.isDefault = isDefault != FALSE;
  if (kind == MediaKind::Audio) {
    if (provider != "GstPulseDevice" || field(*facts, "device.class") == "monitor") return std::nullopt;
    gchar* name = nullptr;
    g_object_get(&device, "internal-name", &name, nullptr);
    const plugins::CharPtr owned(name);
    if (owned) found.source.name = owned.get();
  } else if (provider == "GstV4l2Device") {
    found.source.name = field(*facts, "device.path");
  }
  return found.source.name.empty() ? std::nullopt : std::optional(std::move(found));
}

/// Its stop breaks the heap now and then: it (0.3.65) destroys its registry without the lock of the loop
/// whose thread uses it.
void leaveOutPipeWireProvider() {
  GstPluginFeature* provider = gst_registry_lookup_feature(gst_registry_get(), "pipewiredeviceprovider");
  if (provider == nullptr) return;
  gst_plugin_feature_set_rank(provider, GST_RANK_NONE);
  gst_object_unref(provider);
}

}  // namespace

class CaptureDevices::Inside {
 public:
  explicit Inside(const Changed& changed) : m_told(std::make_shared<Told>()), m_cameras(changed) {
    m_told->changed = changed;
    gst_init(nullptr, nullptr);
    leaveOutPipeWireProvider();
    m_monitor.reset(gst_device_monitor_new());
    gst_device_monitor_add_filter(m_monitor.get(), "Audio/Source", nullptr);
    gst_device_monitor_add_filter(m_monitor.get(), "Video/Source", nullptr);
    m_bus.reset(gst_device_monitor_get_bus(m_monitor.get()));
    gst_bus_set_sync_handler(m_bus.get(), onMessage, new std::shared_ptr<Told>(m_told),
                             [](gpointer told) { delete static_cast<std::shared_ptr<Told>*>(told); });
    m_runs = gst_device_monitor_start(m_monitor.get()) != FALSE;
  }
  ~Inside() {
    {
      const std::lock_guard lock(m_told->mutex);
      m_told->changed = nullptr;  // a thread of GStreamer may be about to tell
    }
    if (m_runs) gst_device_monitor_stop(m_monitor.get());
    gst_bus_set_sync_handler(m_bus.get(), nullptr, nullptr, nullptr);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  std::vector<CaptureDevice> list(MediaKind kind) const {
    std::vector<CaptureDevice> devices = listOfGStreamer(kind);
    if (kind == MediaKind::Audio) return devices;
    for (const plugins::PipeWireCamera& camera : m_cameras.list())
      devices.push_back(
          {.label = camera.label, .source = {.kind = CaptureSource::Kind::Device, .name = camera.serial}});
    return devices;
  }

 private:
  struct Told {
    std::mutex mutex;
    Changed changed;  // guarded by it
  };

  std::vector<CaptureDevice> listOfGStreamer(MediaKind kind) const {
    std::vector<CaptureDevice> devices;
    if (!m_runs) return devices;
    const char* wanted = kind == MediaKind::Audio ? "Audio/Source" : "Video/Source";
    GList* all = gst_device_monitor_get_devices(m_monitor.get());
    for (GList* each = all; each != nullptr; each = each->next) {
      const DevicePtr device(GST_DEVICE(each->data));
      if (gst_device_has_classes(device.get(), wanted) == FALSE) continue;
      if (auto found = describe(*device, kind)) devices.push_back(std::move(*found));
    }
    g_list_free(all);
    std::stable_partition(devices.begin(), devices.end(),
                          [](const CaptureDevice& device) { return device.isDefault; });
    return devices;
  }

  static GstBusSyncReply onMessage(GstBus*, GstMessage* message, gpointer data) {
    Told& told = **static_cast<std::shared_ptr<Told>*>(data);
    const GstMessageType type = GST_MESSAGE_TYPE(message);
    const bool concerns = type == GST_MESSAGE_DEVICE_ADDED || type == GST_MESSAGE_DEVICE_REMOVED ||
                          type == GST_MESSAGE_DEVICE_CHANGED;
    if (concerns) {
      const std::lock_guard lock(told.mutex);
      if (told.changed) told.changed();
    }
    gst_message_unref(message);
    return GST_BUS_DROP;
  }

  const std::shared_ptr<Told> m_told;
  const plugins::PipeWireCameras m_cameras;
  MonitorPtr m_monitor;
  plugins::BusPtr m_bus;
  bool m_runs = false;
};

CaptureDevices::CaptureDevices(const Changed& changed) : m_inside(std::make_unique<Inside>(changed)) {}

CaptureDevices::~CaptureDevices() = default;

std::vector<CaptureDevice> CaptureDevices::list(MediaKind kind) const {
  return m_inside->list(kind);
}

}  // namespace tactus::media
