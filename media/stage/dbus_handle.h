// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gio/gio.h>
#include <gio/gunixfdlist.h>

#include <memory>

#include "plugins/gst_handle.h"

namespace tactus::media {

inline void releaseGObject(gpointer object) noexcept {
  g_object_unref(object);
}

// One owner for each kind of D-Bus handle. Construct from a transferred reference only.
using ConnectionPtr = std::unique_ptr<GDBusConnection, plugins::Releaser<releaseGObject>>;
using CancellablePtr = std::unique_ptr<GCancellable, plugins::Releaser<releaseGObject>>;
using FdListPtr = std::unique_ptr<GUnixFDList, plugins::Releaser<releaseGObject>>;
using VariantPtr = std::unique_ptr<GVariant, plugins::Releaser<g_variant_unref>>;

}  // namespace tactus::media
