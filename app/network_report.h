// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <string>

#include "media/streaming/network_load.h"

namespace tactus::app {

/// The part of a run's report about streams and the link, for programs and for people. Durations are in
/// milliseconds, rates in bits a second. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] QJsonObject networkJson(const media::NetworkLoad& network);
/// Empty where there are no streams.
[[nodiscard]] std::string networkText(const media::NetworkLoad& network);
/// Buffers that were late or lost.
[[nodiscard]] std::uint64_t violationsOf(const media::NetworkLoad& network);

}  // namespace tactus::app
