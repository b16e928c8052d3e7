// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/window_terms.h"

#include <cstdio>

#include "core/periodic/qos/qos_event.h"

namespace tactus::media {
namespace {

/// f_min up to which the last stage may show keyframes only.
constexpr double kMostThatKeyframesKeep = 0.5;
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

PriorityNumbers numbersOf(Priority priority) noexcept {
  using periodic::ServiceClass;
  switch (priority) {
    case Priority::Background:
      return {.weight = 1, .leastFrequency = 0.1, .service = ServiceClass::BestEffort};
    case Priority::Normal:
      break;
    case Priority::High:
      return {.weight = 8,
              .leastFrequency = 1,
              .service = ServiceClass::Guaranteed,
              .preferred = true,
              .aboveOrdinary = true,
              .mayFall = false,
              .smallWhenMany = false};
  }
  return {.weight = 2, .leastFrequency = 0.5, .service = ServiceClass::Statistical};
}

PriorityNumbers WindowTerms::numbers() const noexcept {
  PriorityNumbers numbers = numbersOf(priority);
  numbers.leastFrequency = leastFrequency.value_or(numbers.leastFrequency);
  numbers.weight = weight.value_or(numbers.weight);
  numbers.service = service.value_or(numbers.service);
  // An f_min above a half is a promise that keyframes alone would break.
  numbers.keepsPictures = leastFrequency.value_or(0) > kMostThatKeyframesKeep;
  return numbers;
}

TermsPatch TermsPatch::allButName(const WindowTerms& terms) {
  return {.priority = terms.priority,
          .leastFrequency = terms.leastFrequency,
          .weight = terms.weight,
          .service = terms.service,
          .cpus = terms.cpus,
          .tolerated = terms.tolerated,
          .window = terms.window};
}

TermsPatch TermsPatch::ofPriority(Priority priority) {
  return allButName({.priority = priority});
}

void TermsPatch::applyTo(WindowTerms& terms) const {
  if (name) terms.name = *name;
  if (priority) terms.priority = *priority;
  if (leastFrequency) terms.leastFrequency = *leastFrequency;
  if (weight) terms.weight = *weight;
  if (service) terms.service = *service;
  if (cpus) terms.cpus = *cpus;
  if (tolerated) terms.tolerated = *tolerated;
  if (window) terms.window = *window;
}

Result<void> validate(const WindowTerms& terms) {
  char text[160];
  if (terms.leastFrequency && !periodic::isLeastFrequency(*terms.leastFrequency)) {
    std::snprintf(text, sizeof text, "f_min is a share of the pictures, from 0 to 1, and not %g.",
                  *terms.leastFrequency);
    return Error{ErrorCode::InvalidArgument, text};
  }
  if (terms.weight && !periodic::isWeight(*terms.weight)) {
    std::snprintf(text, sizeof text, "A weight is above 0 and at most 1000, and not %g.", *terms.weight);
    return Error{ErrorCode::InvalidArgument, text};
  }
  if (terms.window < kShortestWindow || terms.window > kLongestWindow) {
    std::snprintf(text, sizeof text, "Misses are counted within 0.2 to 60 seconds, and not %g.",
                  periodic::inSeconds(terms.window));
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
