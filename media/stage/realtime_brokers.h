// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/periodic/kernel/kernel_class.h"

namespace tactus::media {

/// RealtimeKit (system bus, org.freedesktop.RealtimeKit1) and the Realtime portal (session bus,
/// org.freedesktop.portal.Realtime), in that order, over GDBus. Never blocks longer than 2 s per call; a
/// missing bus is a refusal, not an error.
[[nodiscard]] std::vector<std::unique_ptr<periodic::RealtimeBroker>> realtimeBrokers();

}  // namespace tactus::media
