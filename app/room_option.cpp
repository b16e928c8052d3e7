// SPDX-License-Identifier: Apache-2.0
#include "app/room_option.h"

#include <cmath>

#include "app/option_value.h"
#include "app/options.h"
#include "conference/door/room_link.h"
#include "conference/room/plain_text.h"
#include "conference/room/room_facts.h"

namespace tactus::app {
namespace {

Result<double> wholeNumberFrom(std::string_view name, std::string_view value, double lowest, double highest) {
  const auto number = numberFrom(name, value, lowest, highest);
  if (!number.ok() || number.value() == std::floor(number.value())) return number;
  return usageError(std::string(name) + " takes a whole number, not '" + std::string(value) + "'.");
}

}  // namespace

Result<void> setRoomName(Options& options, std::string_view name, std::string_view value) {
  const std::string plain = conference::plainName(value);
  if (plain.empty() || plain.size() > conference::kLongestName)
    return usageError(std::string(name) + " takes a name of 1 to " +
                      std::to_string(conference::kLongestName) + " bytes in UTF-8, not '" +
                      std::string(value) + "'.");
  options.room.name = plain;
  return {};
}

Result<void> setRoomPort(Options& options, std::string_view name, std::string_view value) {
  const auto port = wholeNumberFrom(name, value, 0, 65535);
  if (!port.ok()) return port.error();
  options.room.port = static_cast<std::uint16_t>(port.value());
  return {};
}

Result<void> setRoomAddress(Options& options, std::string_view name, std::string_view value) {
  const std::string host(value);
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  const auto link = conference::RoomLink::parse("https://" + shown + ":1/r/" + std::string(32, 'A'));
  if (!link.ok() || link.value().port != 1)
    return usageError(std::string(name) + " takes a host name or a numeric address, not '" + host + "'.");
  options.room.address = link.value().host;
  return {};
}

Result<void> setMostParticipants(Options& options, std::string_view name, std::string_view value) {
  const auto most = wholeNumberFrom(name, value, 1, conference::kMostParticipants);
  if (!most.ok()) return most.error();
  options.room.most = static_cast<std::size_t>(most.value());
  return {};
}

}  // namespace tactus::app
