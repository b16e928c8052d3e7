// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::plugins::av {

/// What libav's libraries say goes to GStreamer's debug log, category "tactusav", instead of to stderr: for
/// the whole process. Thread-safe: yes.
void logToGStreamer();

}  // namespace tactus::plugins::av
