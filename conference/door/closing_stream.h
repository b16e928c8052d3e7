// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gio/gio.h>

#include <functional>

#include "conference/door/object_ref.h"

namespace tactus::conference {

/// A stream over `base` whose close calls `closed`, once, and leaves `base` as it is. GIO would close a TLS
/// stream at once and wait for the peer to take the farewell, which a peer that does not read never does.
[[nodiscard]] ObjectRef<GIOStream> closingStream(GIOStream* base, std::function<void()> closed);

}  // namespace tactus::conference
