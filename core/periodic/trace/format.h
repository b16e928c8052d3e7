// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: sentences for people.

#include <cstdio>
#include <string>

namespace tactus::periodic {

/// As snprintf(), at most 511 characters.
template <typename... Arguments>
[[nodiscard]] std::string format(const char* pattern, Arguments... arguments) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, arguments...);
  return text;
}

}  // namespace tactus::periodic
