// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/option_value.h"
#include "app/options.h"

namespace tactus::app {

/// Sets an option from its value; an error says why it cannot. Pure, as are all that follow.
using Setter = std::function<Result<void>(Options&, std::string_view name, std::string_view value)>;

[[nodiscard]] Setter numeric(double Options::*field, double lowest, double highest);
/// Any text but none.
[[nodiscard]] Setter text(std::string Options::*field);

template <typename Value>
[[nodiscard]] Setter choice(Value Options::*field,
                            std::type_identity_t<std::vector<std::pair<std::string_view, Value>>> all) {
  return [field, kept = std::move(all)](Options& options, std::string_view name,
                                        std::string_view value) -> Result<void> {
    const auto chosen = choiceFrom(name, value, kept);
    if (!chosen) return chosen.error();
    options.*field = chosen.value();
    return {};
  };
}

[[nodiscard]] Result<void> setVolume(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> setReport(Options& options, std::string_view name, std::string_view value);
/// WIDTHxHEIGHT[+X+Y]
[[nodiscard]] Result<void> setGeometry(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> setDuration(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> setDecoderThreads(Options& options, std::string_view name, std::string_view value);
/// Of the link.
[[nodiscard]] Result<void> setLinkRate(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> addSubtitles(Options& options, std::string_view name, std::string_view value);
[[nodiscard]] Result<void> addTile(Options& options, std::string_view name, std::string_view value);
/// The words of `tactus send`: SOURCE[@TERMS] ADDRESS, in pairs.
[[nodiscard]] Result<void> addSent(Options& options, const std::vector<std::string>& words);
/// The words of `tactus recv`: ADDRESS[@TERMS] each.
[[nodiscard]] Result<void> addReceived(Options& options, const std::vector<std::string>& words);

}  // namespace tactus::app
