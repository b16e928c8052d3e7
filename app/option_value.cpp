// SPDX-License-Identifier: Apache-2.0
#include "app/option_value.h"

#include <charconv>

namespace tactus::app {
namespace {

/// 0.25 and not 0.250000
std::string shortest(double bound) {
  std::string digits = std::to_string(bound);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

}  // namespace

Error usageError(std::string sentence) {
  return Error{ErrorCode::InvalidArgument, std::move(sentence)};
}

Result<double> numberFrom(std::string_view name, std::string_view text, double lowest, double highest) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failure == std::errc{} && end == text.data() + text.size();
  if (whole && value >= lowest && value <= highest) return value;  // false for NaN
  return usageError(std::string(name) + " takes a number from " + shortest(lowest) + " to " +
                    shortest(highest) + ", not '" + std::string(text) + "'.");
}

}  // namespace tactus::app
