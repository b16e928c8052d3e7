// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/window_terms.h"

#include <array>
#include <cstdio>

namespace tactus::media {
namespace {

constexpr Duration kShortestWindow = std::chrono::milliseconds(200);
constexpr Duration kLongestWindow = std::chrono::seconds(60);

}  // namespace

std::string_view nameOf(Priority priority) noexcept {
  switch (priority) {
    case Priority::Background:
      return "background";
    case Priority::Normal:
      return "normal";
    case Priority::High:
      return "high";
  }
  return "normal";
}

std::optional<Priority> priorityOf(std::string_view name) noexcept {
  for (const Priority each : {Priority::Background, Priority::Normal, Priority::High})
    if (nameOf(each) == name) return each;
  return std::nullopt;
}

double WindowTerms::least() const noexcept {
  if (leastFrequency) return *leastFrequency;
  constexpr std::array<double, 3> kLeast{0.1, 0.5, 1.0};
  return kLeast[static_cast<std::size_t>(priority)];
}

double WindowTerms::weighs() const noexcept {
  if (weight) return *weight;
  constexpr std::array<double, 3> kWeight{1, 2, 8};
  return kWeight[static_cast<std::size_t>(priority)];
}

periodic::ServiceClass WindowTerms::serves() const noexcept {
  if (service) return *service;
  constexpr std::array<periodic::ServiceClass, 3> kServes{periodic::ServiceClass::BestEffort,
                                                          periodic::ServiceClass::Statistical,
                                                          periodic::ServiceClass::Guaranteed};
  return kServes[static_cast<std::size_t>(priority)];
}

Result<void> validate(const WindowTerms& terms) {
  char text[160];
  if (terms.leastFrequency && !(*terms.leastFrequency >= 0 && *terms.leastFrequency <= 1)) {
    std::snprintf(text, sizeof text, "f_min is a share of the pictures, from 0 to 1, and not %g.",
                  *terms.leastFrequency);
    return Error{ErrorCode::InvalidArgument, text};
  }
  if (terms.weight && !(*terms.weight > 0 && *terms.weight <= 1000)) {
    std::snprintf(text, sizeof text, "A weight is above 0 and at most 1000, and not %g.", *terms.weight);
    return Error{ErrorCode::InvalidArgument, text};
  }
  if (terms.window < kShortestWindow || terms.window > kLongestWindow) {
    std::snprintf(text, sizeof text, "Misses are counted within 0.2 to 60 seconds, and not %g.",
                  std::chrono::duration<double>(terms.window).count());
    return Error{ErrorCode::InvalidArgument, text};
  }
  for (const int cpu : terms.cpus) {
    if (cpu >= 0 && cpu < 4096) continue;
    std::snprintf(text, sizeof text, "There is no processor %d.", cpu);
    return Error{ErrorCode::InvalidArgument, text};
  }
  return {};
}

}  // namespace tactus::media
