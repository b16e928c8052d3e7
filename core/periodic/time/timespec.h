// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// As system calls take it; 0 for what is negative. Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] constexpr timespec timespecOf(Duration duration) TACTUS_REALTIME {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t count = duration.count() < 0 ? 0 : duration.count();
  return {count / kSecond, count % kSecond};
}

}  // namespace tactus::periodic
