// SPDX-License-Identifier: Apache-2.0
#include "app/join_option.h"

#include <utility>

#include "app/option_value.h"
#include "app/options.h"
#include "conference/door/room_link.h"
#include "conference/room/plain_text.h"
#include "conference/room/room_facts.h"

namespace tactus::app {
namespace {

using media::CaptureSource;

Result<std::optional<CaptureSource>> sourceOf(std::string_view name, std::string_view value) {
  if (value.empty()) return usageError(std::string(name) + " takes test, none, or a file.");
  if (value == "none") return std::optional<CaptureSource>();
  if (value == "test") return std::optional(CaptureSource{});
  const bool isDevice = value.starts_with("/dev/");
  return std::optional(
      CaptureSource{isDevice ? CaptureSource::Kind::Device : CaptureSource::Kind::File, std::string(value)});
}

}  // namespace

Result<void> setJoinName(Options& options, std::string_view name, std::string_view value) {
  const std::string plain = conference::plainName(value);
  if (plain.empty() || plain.size() > conference::kLongestName)
    return usageError(std::string(name) + " takes a name of 1 to " +
                      std::to_string(conference::kLongestName) + " bytes in UTF-8, not '" +
                      std::string(value) + "'.");
  options.join.name = plain;
  options.join.nameNamed = true;
  return {};
}

Result<void> setJoinCamera(Options& options, std::string_view name, std::string_view value) {
  auto source = sourceOf(name, value);
  if (!source.ok()) return source.error();
  options.join.camera = std::move(source).value();
  options.join.cameraNamed = true;
  return {};
}

Result<void> setJoinMicrophone(Options& options, std::string_view name, std::string_view value) {
  auto source = sourceOf(name, value);
  if (!source.ok()) return source.error();
  options.join.microphone = std::move(source).value();
  options.join.microphoneNamed = true;
  return {};
}

Result<void> setJoinSpeaker(Options& options, std::string_view name, std::string_view value) {
  if (value.empty()) return usageError(std::string(name) + " takes none, default, or a node of PipeWire.");
  options.join.speaker.reset();
  options.join.speakerNamed = true;
  if (value != "none") options.join.speaker = value == "default" ? "" : value;
  return {};
}

Result<void> setJoinVoice(Options& options, std::string_view name, std::string_view value) {
  if (value != "processed" && value != "original")
    return usageError(std::string(name) + " takes processed or original, not '" + std::string(value) + "'.");
  options.join.originalSound = value == "original";
  return {};
}

Result<void> takeLink(Options& options) {
  if (options.items.size() != 1)
    return usageError("tactus join takes the link of one room; `tactus host` prints it.");
  options.join.link = std::exchange(options.items, {}).front();
  const auto link = conference::RoomLink::parse(options.join.link);
  if (!link.ok()) return usageError(link.error().message);
  if (link.value().fingerprint.empty())
    return usageError(
        "The link has no fingerprint of the room's certificate: copy it whole, with what follows the '#'.");
  return {};
}

}  // namespace tactus::app
