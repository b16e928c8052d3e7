// SPDX-License-Identifier: Apache-2.0
#include "media/capture/capture_devices.h"

#include <gst/gst.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

struct GObjectUnref {
  void operator()(gpointer object) const noexcept { gst_object_unref(object); }
};
using DevicePtr = std::unique_ptr<GstDevice, GObjectUnref>;
using MonitorPtr = std::unique_ptr<GstDeviceMonitor, GObjectUnref>;
struct StructureFree {
  void operator()(GstStructure* structure) const noexcept { gst_structure_free(structure); }
};
using StructurePtr = std::unique_ptr<GstStructure, StructureFree>;

std::string field(const GstStructure& of, const char* name) {
  const char* value = gst_structure_get_string(&of, name);
  return value != nullptr ? value : "";
}

/// Absent: it is not captured from, or by another element.
std::optional<CaptureDevice> describe(GstDevice& device, MediaKind kind) {
  const std::string_view provider = G_OBJECT_TYPE_NAME(&device);
  const StructurePtr facts(gst_device_get_properties(&device));
  if (!facts) return std::nullopt;
  CaptureDevice found;
  found.source.kind = CaptureSource::Kind::Device;
  gchar* label = gst_device_get_display_name(&device);
  if (label != nullptr) found.label = label;
  g_free(label);
  gboolean isDefault = FALSE;
  (void)gst_structure_get_boolean(facts.get(), "is-default", &isDefault);
  found.isDefault = isDefault != FALSE;
  if (kind == MediaKind::Audio) {
    if (provider != "GstPulseDevice" || field(*facts, "device.class") == "monitor") return std::nullopt;
    gchar* name = nullptr;
    g_object_get(&device, "internal-name", &name, nullptr);
    if (name != nullptr) found.source.name = name;
    g_free(name);
  } else if (provider == "GstV4l2Device") {
    found.source.name = field(*facts, "device.path");
  } else if (provider == "GstPipeWireDevice" && field(*facts, "api.v4l2.path").empty()) {
    found.source.name = field(*facts, "object.serial");  // a camera of V4L2 is opened as such
  }
  return found.source.name.empty() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace

std::vector<CaptureDevice> captureDevices(MediaKind kind) {
  gst_init(nullptr, nullptr);
  std::vector<CaptureDevice> devices;
  const MonitorPtr monitor(gst_device_monitor_new());
  gst_device_monitor_add_filter(monitor.get(), kind == MediaKind::Audio ? "Audio/Source" : "Video/Source",
                                nullptr);
  if (gst_device_monitor_start(monitor.get()) == FALSE) return devices;
  GList* all = gst_device_monitor_get_devices(monitor.get());
  for (GList* each = all; each != nullptr; each = each->next) {
    const DevicePtr device(GST_DEVICE(each->data));
    if (auto found = describe(*device, kind)) devices.push_back(std::move(*found));
  }
  g_list_free(all);
  gst_device_monitor_stop(monitor.get());
  std::stable_partition(devices.begin(), devices.end(), [](const auto& device) { return device.isDefault; });
  return devices;
}

}  // namespace tactus::media
