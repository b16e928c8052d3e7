// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <memory>

namespace tactus::plugins {

/// One owner for each kind of GStreamer handle. Construct from a transferred reference only.
template <auto Release>
struct Releaser {
  template <typename T>
  void operator()(T* handle) const noexcept {
    Release(handle);
  }
};

inline void releaseObject(gpointer object) noexcept {
  gst_object_unref(object);
}

// GStreamer's own are static: a type made of one would be another type in each source file.
inline void releaseMini(gpointer object) noexcept {
  gst_mini_object_unref(static_cast<GstMiniObject*>(object));
}

using ElementPtr = std::unique_ptr<GstElement, Releaser<releaseObject>>;
using PadPtr = std::unique_ptr<GstPad, Releaser<releaseObject>>;
using BusPtr = std::unique_ptr<GstBus, Releaser<releaseObject>>;
using ClockPtr = std::unique_ptr<GstClock, Releaser<releaseObject>>;
using CapsPtr = std::unique_ptr<GstCaps, Releaser<releaseMini>>;
using MessagePtr = std::unique_ptr<GstMessage, Releaser<releaseMini>>;
using EventPtr = std::unique_ptr<GstEvent, Releaser<releaseMini>>;
using BufferPtr = std::unique_ptr<GstBuffer, Releaser<releaseMini>>;
using SamplePtr = std::unique_ptr<GstSample, Releaser<releaseMini>>;
using StructurePtr = std::unique_ptr<GstStructure, Releaser<gst_structure_free>>;
using TagListPtr = std::unique_ptr<GstTagList, Releaser<releaseMini>>;
using ErrorPtr = std::unique_ptr<GError, Releaser<g_error_free>>;
using CharPtr = std::unique_ptr<gchar, Releaser<g_free>>;

/// A further reference to a GstObject.
template <typename Pointer, typename T>
[[nodiscard]] Pointer share(T* object) noexcept {
  return Pointer(static_cast<T*>(object != nullptr ? gst_object_ref(object) : nullptr));
}

}  // namespace tactus::plugins
