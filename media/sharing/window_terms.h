// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/admission/band.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::media {

using periodic::Duration;

/// What a user says of a window in one click.
enum class Priority { Background, Normal, High };
[[nodiscard]] std::string_view nameOf(Priority priority) noexcept;  // "background", "normal", "high"
[[nodiscard]] std::optional<Priority> priorityOf(std::string_view name) noexcept;

/// Everything that a priority means. Nothing else asks which priority a window has.
struct PriorityNumbers {
  double weight = 1;          ///< the heavier, the less it gives way
  double leastFrequency = 0;  ///< f_min
  periodic::ServiceClass service = periodic::ServiceClass::Statistical;
  bool preferred = false;  ///< its stages come before the others', where all deadlines are met so too
  bool aboveOrdinary =
      false;            ///< without a reservation it still runs above ordinary programs, among others too
  bool mayFall = true;  ///< to keyframes only, once the sum of all f_min exceeds the capacity
  bool keepsPictures = false;  ///< it promises more than keyframes: fallen, it gives up its reservation only
  bool smallWhenMany = true;   ///< reserves by a lower quantile once many windows share the processors
};
[[nodiscard]] PriorityNumbers numbersOf(Priority priority) noexcept;

/// A window's claim when not all can have everything. What is not said follows from the priority.
struct WindowTerms {
  std::string name = {};  ///< shown to people
  Priority priority = Priority::Normal;
  std::optional<double> leastFrequency =
      std::nullopt;                             ///< f_min: the share of its pictures it must keep, [0, 1]
  std::optional<double> weight = std::nullopt;  ///< above 0, at most 1000; the heavier, the less it gives
  std::optional<periodic::ServiceClass> service = std::nullopt;
  std::vector<int> cpus = {};  ///< where its stages may run; empty = anywhere
  /// More than this many missed deadlines within so long are a violation (RTSS, section 4.3). The time is
  /// from 0.2 s to a minute.
  std::uint64_t tolerated = 2;
  Duration window = std::chrono::seconds(1);

  /// The priority's numbers, with those that the user has set in their place.
  [[nodiscard]] PriorityNumbers numbers() const noexcept;
};
/// Changes of single terms; a field without a value stays as it is, and where a number may follow from the
/// priority, an inner field without a value says that it does. LoadGovernor::amend() applies a patch under
/// the governor's lock, so that two authors who change different terms lose nothing.
struct TermsPatch {
  std::optional<std::string> name = {};
  std::optional<Priority> priority = {};
  std::optional<std::optional<double>> leastFrequency = {};
  std::optional<std::optional<double>> weight = {};
  std::optional<std::optional<periodic::ServiceClass>> service = {};
  std::optional<std::vector<int>> cpus = {};
  std::optional<std::uint64_t> tolerated = {};
  std::optional<Duration> window = {};

  /// The priority and what follows from it: the numbers that were set beside the one before are taken back.
  [[nodiscard]] static TermsPatch ofPriority(Priority priority);
  /// All terms but the name.
  [[nodiscard]] static TermsPatch allButName(const WindowTerms& terms);
  void applyTo(WindowTerms& terms) const;
};
/// InvalidArgument with a sentence for what is out of range.
[[nodiscard]] Result<void> validate(const WindowTerms& terms);

}  // namespace tactus::media
