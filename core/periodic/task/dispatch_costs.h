// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/periodic/admission/admission.h"
#include "core/periodic/kernel/kernel_class.h"

namespace tactus::periodic {

/// Measures what this machine takes for itself, in the kernel class that the gate grants: context switches
/// between two threads on one processor, and how late a sleeping thread begins. Takes about 0.1 s and a few
/// milliseconds of processor time. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] DispatchCosts measureDispatchCosts(KernelClassGate& gate);

/// For keeping across runs: one line that says on what kernel, machine and class it was measured.
[[nodiscard]] std::string toText(const DispatchCosts& costs, const KernelClassGate& gate);
/// What toText() wrote; nullopt if it is something else or was measured elsewhere.
[[nodiscard]] std::optional<DispatchCosts> costsFromText(std::string_view text, const KernelClassGate& gate);

}  // namespace tactus::periodic
