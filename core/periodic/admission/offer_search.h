// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "core/periodic/admission/admission_refusal.h"

namespace tactus::periodic {

/// Whether a contract would fit. Milliseconds a call.
using WouldFit = std::function<bool(const ReservationContract&)>;

/// What would fit instead of `contract`, which does not: another class, fewer packets of the stream, a slower
/// stream. Each by bisection in twentieths of what was asked. Thread-safe: yes (pure, as far as `fits` is).
/// Real-time-safe: no.
[[nodiscard]] std::vector<Offer> offersFor(const ReservationContract& contract, const WouldFit& fits);

}  // namespace tactus::periodic
