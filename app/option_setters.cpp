// SPDX-License-Identifier: Apache-2.0
#include "app/option_setters.h"

#include <chrono>
#include <string>

namespace tactus::app {

Setter numeric(double Options::*field, double lowest, double highest) {
  return [=](Options& options, std::string_view name, std::string_view text) -> Result<void> {
    const auto parsed = numberFrom(name, text, lowest, highest);
    if (!parsed) return parsed.error();
    options.*field = parsed.value();
    return {};
  };
}

Setter text(std::string Options::*field) {
  return [=](Options& options, std::string_view name, std::string_view value) -> Result<void> {
    if (value.empty()) return usageError(std::string(name) + " needs a value.");
    options.*field = std::string(value);
    return {};
  };
}

Result<void> setVolume(Options& options, std::string_view name, std::string_view value) {
  const auto percent = numberFrom(name, value, 0, 130);
  if (!percent) return percent.error();
  options.volume = percent.value() / 100;
  return {};
}

Result<void> setReport(Options& options, std::string_view name, std::string_view value) {
  options.report = true;
  if (value == "text") return {};
  if (value != "json" && !value.starts_with("json:")) {
    return usageError(std::string(name) + " takes 'text', 'json' or 'json:FILE', not '" + std::string(value) +
                      "'.");
  }
  options.reportFormat = ReportFormat::Json;
  if (value.size() > 5) options.reportFile = std::string(value.substr(5));
  return {};
}

Result<void> setGeometry(Options& options, std::string_view name, std::string_view value) {
  const auto cross = value.find('x');
  if (cross == std::string_view::npos)
    return usageError(std::string(name) + " takes WIDTHxHEIGHT, for example 640x360.");
  const auto firstPlus = value.find('+', cross);
  const auto width = numberFrom(name, value.substr(0, cross), 64, 16384);
  const auto height = numberFrom(name, value.substr(cross + 1, firstPlus - cross - 1), 64, 16384);
  if (!width) return width.error();
  if (!height) return height.error();
  if (firstPlus != std::string_view::npos) {
    const auto secondPlus = value.find('+', firstPlus + 1);
    if (secondPlus == std::string_view::npos)
      return usageError(std::string(name) + " takes WIDTHxHEIGHT+X+Y, for example 640x360+0+0.");
    const auto x = numberFrom(name, value.substr(firstPlus + 1, secondPlus - firstPlus - 1), 0, 32767);
    const auto y = numberFrom(name, value.substr(secondPlus + 1), 0, 32767);
    if (!x) return x.error();
    if (!y) return y.error();
    options.x = static_cast<int>(x.value());
    options.y = static_cast<int>(y.value());
  }
  options.width = static_cast<int>(width.value());
  options.height = static_cast<int>(height.value());
  return {};
}

Result<void> setDuration(Options& options, std::string_view name, std::string_view value) {
  const auto seconds = numberFrom(name, value, 0.001, 1e6);
  if (!seconds) return seconds.error();
  options.duration = periodic::fromSeconds(seconds.value());
  return {};
}

Result<void> setDecoderThreads(Options& options, std::string_view name, std::string_view value) {
  const auto threads = numberFrom(name, value, 0, 64);
  if (!threads) return threads.error();
  options.decoderThreads = static_cast<int>(threads.value());
  return {};
}

Result<void> addSubtitles(Options& options, std::string_view name, std::string_view value) {
  if (value.empty()) return usageError(std::string(name) + " needs a file.");
  options.subtitles.emplace_back(value);
  return {};
}

Result<void> addTile(Options& options, std::string_view name, std::string_view value) {
  auto tile = parseTile(name, value);
  if (!tile) return tile.error();
  options.tiles.push_back(std::move(tile).value());
  return {};
}

Result<void> setLinkRate(Options& options, std::string_view name, std::string_view value) {
  const auto rate = net::BitRate::parse(value);
  if (!rate.ok()) return usageError(std::string(name) + ": " + rate.error().message);
  if (rate.value().isZero()) return usageError(std::string(name) + " is above 0: nothing would leave.");
  options.linkRate = rate.value();
  return {};
}

Result<void> addSent(Options& options, const std::vector<std::string>& words) {
  if (words.empty()) return usageError("tactus send needs what to send, and where to.");
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size())
      return usageError("tactus send takes a source and an address in turn: '" + words[i] + "' has none.");
    auto source = parseTile("send", words[i]);
    if (!source.ok()) return source.error();
    const media::WindowTerms& terms = source.value().terms;
    if (terms.leastFrequency || terms.service || !terms.cpus.empty())
      return usageError("A stream that is sent has high, normal, background, weight= and name=; '" +
                        words[i] + "' says more.");
    if (!source.value().given) source.value().terms.priority = options.priority;
    auto place = StreamPlace::parse(words[i + 1], socketFolder());
    if (!place.ok()) return place.error();
    options.sent.push_back({std::move(source).value(), std::move(place).value()});
  }
  return {};
}

Result<void> addReceived(Options& options, const std::vector<std::string>& words) {
  if (words.empty()) return usageError("tactus recv needs the address at which a stream arrives.");
  for (const std::string& word : words) {
    auto tile = parseTile("recv", word);
    if (!tile.ok()) return tile.error();
    auto place = StreamPlace::parse(tile.value().item, socketFolder());
    if (!place.ok()) return place.error();
    options.received.push_back({std::move(tile).value(), std::move(place).value()});
  }
  return {};
}

}  // namespace tactus::app
