// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <optional>

#include "core/periodic/result.h"

namespace tactus::plugins::av {

/// Why a film was not opened, as an error message of the element: its sentence and its code. Thread-safe:
/// yes.
void postRefusal(GstElement* element, const Error& why);
/// What postRefusal() has put into an error message; nothing in those of others.
[[nodiscard]] std::optional<Error> refusalIn(GstMessage* message);

}  // namespace tactus::plugins::av
