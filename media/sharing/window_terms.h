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

  [[nodiscard]] double least() const noexcept;   ///< High 1, Normal 0.5, Background 0.1
  [[nodiscard]] double weighs() const noexcept;  ///< High 8, Normal 2, Background 1
  [[nodiscard]] periodic::ServiceClass serves() const noexcept;
};
/// InvalidArgument with a sentence for what is out of range.
[[nodiscard]] Result<void> validate(const WindowTerms& terms);

}  // namespace tactus::media
