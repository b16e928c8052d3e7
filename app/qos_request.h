// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/periodic/qos/qos_event.h"
#include "core/periodic/result.h"

namespace tactus::app {

/// What a program at the QoS socket asks for with one line of JSON.
struct QosRequest {
  std::optional<bool> handles;  ///< it handles violations from now on, or no longer
  std::string window;           ///< name of the windows that `action` is for
  periodic::QosAction action;
};

/// {"handle": true}, or {"window": "Camera", "frequency": 0.5, "size": 0.5, "f_min": 0.25, "weight": 4} with
/// any of these numbers. Errors: a sentence for what is no JSON, unknown or out of range. Thread-safe: yes
/// (pure). Real-time-safe: no.
[[nodiscard]] Result<QosRequest> qosRequestOf(std::string_view line);

}  // namespace tactus::app
