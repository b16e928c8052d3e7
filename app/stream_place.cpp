// SPDX-License-Identifier: Apache-2.0
#include "app/stream_place.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/option_value.h"
#include "core/net/stream/handshake_message.h"

namespace tactus::app {
namespace {

using net::StreamAddress;
using net::TransportKind;

constexpr std::string_view kLocal = "local:";
constexpr std::string_view kSchemeEnd = "://";
constexpr std::string_view kToken = "token=";
constexpr std::string_view kNameIfNone = "stream";
constexpr std::string_view kSocketPrefix = "/tactus-";

Error malformed(std::string_view text, std::string_view why) {
  std::string sentence = "A stream goes to udp://HOST:PORT/NAME, tcp://HOST:PORT/NAME or local:NAME; '";
  return usageError(sentence.append(text).append("' ").append(why));
}

/// Tokens stand in addresses as they are.
bool isToken(std::string_view token) {
  return token.size() <= net::ConnectMessage::kLongestToken &&
         token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
             std::string_view::npos;
}

Result<StreamPlace> local(std::string_view text, std::string_view name, const std::string& folder) {
  if (!net::isStreamName(name))
    return malformed(text, "has no name of 1 to 64 letters, digits, '.', '_' and '-'.");
  StreamPlace place;
  place.transport = TransportKind::Local;
  place.address = {StreamAddress::Unix{folder + std::string(kSocketPrefix) + std::string(name)},
                   std::string(name)};
  // What a path may be is known there.
  if (!place.address.format().ok())
    return malformed(text, "needs a socket in " + folder + ", whose path is too long.");
  return place;
}

/// `place`: of `text`, without the token.
Result<StreamPlace> overNetwork(std::string_view text, std::string_view place) {
  const auto scheme = place.find(kSchemeEnd);
  const auto transport = net::transportKindOf(place.substr(0, scheme));
  if (scheme == std::string_view::npos || !transport || *transport == TransportKind::Local)
    return malformed(text, "is none of these.");
  std::string address = "tcp" + std::string(place.substr(scheme));
  if (address.find('/', std::string_view("tcp://").size()) == std::string::npos) address += "/";
  if (address.back() == '/') address += kNameIfNone;
  auto parsed = StreamAddress::parse(address);
  if (!parsed.ok()) return usageError(parsed.error().message);
  return StreamPlace{*transport, std::move(parsed).value()};
}

}  // namespace

Result<StreamPlace> StreamPlace::parse(std::string_view text, const std::string& folder) {
  const auto mark = text.find('?');
  const std::string_view place = text.substr(0, mark);
  auto parsed =
      place.starts_with(kLocal) ? local(text, place.substr(kLocal.size()), folder) : overNetwork(text, place);
  if (!parsed.ok() || mark == std::string_view::npos) return parsed;
  const std::string_view query = text.substr(mark + 1);
  if (!query.starts_with(kToken) || query.size() == kToken.size())
    return malformed(text, "has something other than token=TOKEN after the '?'.");
  parsed.value().token = query.substr(kToken.size());
  if (!isToken(parsed.value().token))
    return malformed(text, "has no token of at most 128 letters, digits, '.', '_' and '-'.");
  return parsed;
}

std::string StreamPlace::text() const {
  return token.empty() ? shown() : shown() + "?" + std::string(kToken) + token;
}

std::string StreamPlace::shown() const {
  if (transport == TransportKind::Local) return std::string(kLocal) + address.name;
  const auto tcp = address.format();
  return std::string(net::nameOf(transport)) +
         (tcp.ok() ? tcp.value().substr(tcp.value().find(kSchemeEnd)) : std::string(kSchemeEnd));
}

std::string socketFolder() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read before any thread begins
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder != nullptr && *folder != '\0') return folder;
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  return error ? std::string("/tmp") : temporary.string();
}

}  // namespace tactus::app
