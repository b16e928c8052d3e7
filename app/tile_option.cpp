// SPDX-License-Identifier: Apache-2.0
#include "app/tile_option.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "app/option_value.h"
#include "media/playback/media_path.h"

namespace tactus::app {
namespace {

using media::WindowTerms;
using periodic::ServiceClass;

Result<void> setLeastFrequency(WindowTerms& terms, std::string_view key, std::string_view value) {
  const auto share = numberFrom(key, value, 0, 1);
  if (!share) return share.error();
  terms.leastFrequency = share.value();
  return {};
}

Result<void> setWeight(WindowTerms& terms, std::string_view key, std::string_view value) {
  const auto weight = numberFrom(key, value, 0.001, 1000);
  if (!weight) return weight.error();
  terms.weight = weight.value();
  return {};
}

Result<void> setClass(WindowTerms& terms, std::string_view key, std::string_view value) {
  const auto service = choiceFrom<ServiceClass>(key, value,
                                                {{"guaranteed", ServiceClass::Guaranteed},
                                                 {"statistical", ServiceClass::Statistical},
                                                 {"besteffort", ServiceClass::BestEffort}});
  if (!service) return service.error();
  terms.service = service.value();
  return {};
}

/// "0+1"
Result<void> setProcessors(WindowTerms& terms, std::string_view key, std::string_view value) {
  for (std::string_view rest = value; !rest.empty();) {
    const auto plus = rest.find('+');
    const auto cpu = numberFrom(key, rest.substr(0, plus), 0, 4095);
    if (!cpu) return cpu.error();
    terms.cpus.push_back(static_cast<int>(cpu.value()));
    rest = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 1);
  }
  return {};
}

/// "N", or "N/S": so many missed deadlines are tolerated, within S seconds.
Result<void> setTolerance(WindowTerms& terms, std::string_view key, std::string_view value) {
  const auto slash = value.find('/');
  const auto count = numberFrom(key, value.substr(0, slash), 0, 1e6);
  if (!count) return count.error();
  terms.tolerated = static_cast<std::uint64_t>(count.value());
  if (slash == std::string_view::npos) return {};
  const auto within = numberFrom(key, value.substr(slash + 1), 0.2, 60);
  if (!within) return within.error();
  terms.window = periodic::fromSeconds(within.value());
  return {};
}

Result<void> setName(WindowTerms& terms, std::string_view, std::string_view value) {
  terms.name = std::string(value);
  return {};
}

struct Key {
  std::string_view name;
  Result<void> (*set)(WindowTerms&, std::string_view key, std::string_view value);
};
constexpr Key kKeys[] = {{"f_min", setLeastFrequency}, {"weight", setWeight},    {"class", setClass},
                         {"cpus", setProcessors},      {"misses", setTolerance}, {"name", setName}};

/// A priority's name, or "KEY=VALUE"; false if it is neither.
Result<bool> setTerm(WindowTerms& terms, std::string_view term) {
  if (const auto priority = media::priorityOf(term)) {
    terms.priority = *priority;
    return true;
  }
  const auto equals = term.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = term.substr(0, equals);
  const auto* key =
      std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& k) { return k.name == name; });
  if (key == std::end(kKeys)) return false;
  if (const auto set = key->set(terms, name, term.substr(equals + 1)); !set) return set.error();
  return true;
}

}  // namespace

std::string TileOption::name() const {
  if (!terms.name.empty()) return terms.name;
  const auto uri = media::uriOf(item);
  return media::titleOf(uri.ok() ? uri.value() : item);
}

Result<TileOption> parseTile(std::string_view option, std::string_view value) {
  TileOption tile;
  tile.item = std::string(value);
  const auto at = value.rfind('@');
  std::string_view rest = at == std::string_view::npos ? std::string_view() : value.substr(at + 1);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view term = rest.substr(0, comma);
    const auto known = setTerm(tile.terms, term);
    if (!known) return known.error();
    if (!known.value() && !tile.given) break;  // the '@' belongs to the URL
    if (!known.value()) {
      return usageError(
          std::string(option) + " knows no '" + std::string(term) +
          "'; there are high, normal, background, f_min=, weight=, class=, cpus=, misses= and name=.");
    }
    if (!std::exchange(tile.given, true)) tile.item = std::string(value.substr(0, at));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  if (tile.item.empty()) return usageError(std::string(option) + " needs a file or URL to play.");
  return tile;
}

}  // namespace tactus::app
