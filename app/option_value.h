// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/periodic/result.h"

namespace tactus::app {

/// A fault of the command line, told in one sentence.
[[nodiscard]] Error usageError(std::string sentence);

/// The number that `text` spells, from `lowest` to `highest`; the error names the option and its range.
/// Thread-safe: yes (pure). Real-time-safe: no. So are the others here.
[[nodiscard]] Result<double> numberFrom(std::string_view name, std::string_view text, double lowest,
                                        double highest);

/// The value of the word `text`; the error lists all words: "--shedding takes on or off, not 'maybe'."
template <typename Value>
[[nodiscard]] Result<Value> choiceFrom(std::string_view name, std::string_view text,
                                       const std::vector<std::pair<std::string_view, Value>>& all) {
  std::string words;
  std::size_t left = all.size();
  for (const auto& [word, value] : all) {
    if (word == text) return value;
    --left;
    words += std::string(word) + (left > 1 ? ", " : left == 1 ? " or " : "");
  }
  return usageError(std::string(name) + " takes " + words + ", not '" + std::string(text) + "'.");
}

}  // namespace tactus::app
