// SPDX-License-Identifier: Apache-2.0
#include "conference/door/room_link.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "conference/door/base64url.h"
#include "core/net/stream/percent_code.h"

namespace tactus::conference {
namespace {

constexpr std::size_t kLongest = 2048;
constexpr std::size_t kDigest = 32;
constexpr std::string_view kScheme = "https://";
constexpr std::string_view kPath = "/r/";

Error wrong(const std::string& why) {
  return {ErrorCode::InvalidArgument, "This is no link to a room: " + why};
}

std::string inSmallLetters(std::string_view text) {
  std::string small(text);
  for (char& letter : small) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return small;
}

/// What comes before the first of these letters; the rest, with it, stays in `text`.
std::string_view takeUntil(std::string_view& text, std::string_view letters) {
  const auto end = std::min(text.find_first_of(letters), text.size());
  const auto taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

bool isName(std::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '.' && host.front() != '-' &&
         host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string_view::npos;
}

bool isIpv6(const std::string& host) {
  std::array<std::uint8_t, 16> bytes{};
  return inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

struct Authority {
  std::string host;
  std::uint16_t port = 443;
};

Result<std::uint16_t> parsePort(std::string_view digits) {
  unsigned port = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || port == 0 || port > 65535)
    return wrong("its port is not a number from 1 to 65535.");
  return static_cast<std::uint16_t>(port);
}

Result<Authority> parseAuthority(std::string_view text) {
  Authority authority;
  if (text.find('@') != std::string_view::npos) return wrong("it has a user's name before the host.");
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return wrong("the ']' after the address is missing.");
    authority.host = inSmallLetters(text.substr(1, end - 1));
    if (!isIpv6(authority.host)) return wrong("there is no IPv6 address between '[' and ']'.");
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return wrong("there is no ':' between address and port.");
  } else {
    const auto host = net::percentDecoded(takeUntil(text, ":"));
    authority.host = host ? inSmallLetters(*host) : std::string();
    if (!isName(authority.host)) return wrong("it names no host.");
    port = text;
  }
  if (port.empty()) return authority;
  const auto number = parsePort(port.substr(1));
  if (!number.ok()) return number.error();
  authority.port = number.value();
  return authority;
}

Result<std::string> parseFingerprint(std::string_view fragment) {
  constexpr std::string_view kName = "sha256=";
  while (!fragment.empty()) {
    fragment.remove_prefix(1);  // '#' or '&'
    const auto part = takeUntil(fragment, "&");
    if (!part.starts_with(kName)) continue;
    auto value = net::percentDecoded(part.substr(kName.size()));
    const auto digest = value ? fromBase64Url(*value) : std::nullopt;
    if (!digest || digest->size() != kDigest)
      return wrong("its fingerprint is damaged, perhaps because the link was cut off.");
    return std::move(*value);
  }
  return std::string();
}

}  // namespace

std::string RoomLink::base() const {
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return std::string(kScheme) + shown + ":" + std::to_string(port) + std::string(kPath) + token.text();
}

std::string RoomLink::text() const {
  return base() + (fingerprint.empty() ? "" : "#sha256=" + fingerprint);
}

Result<RoomLink> RoomLink::parse(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
  if (text.size() > kLongest) return wrong("it has more than " + std::to_string(kLongest) + " letters.");
  if (inSmallLetters(text.substr(0, kScheme.size())) != kScheme)
    return wrong("it does not begin with https://.");
  text.remove_prefix(kScheme.size());
  const auto authority = parseAuthority(takeUntil(text, "/?#"));
  if (!authority.ok()) return authority.error();
  std::string_view path = takeUntil(text, "?#");
  if (!path.starts_with(kPath)) return wrong("its path does not begin with /r/.");
  path.remove_prefix(kPath.size());
  if (path.ends_with('/')) path.remove_suffix(1);
  const auto secret = net::percentDecoded(path);
  auto token = secret ? Token::parse(*secret) : std::nullopt;
  if (!token) return wrong("its secret, what follows /r/, is damaged or cut off.");
  (void)takeUntil(text, "#");
  auto fingerprint = parseFingerprint(text);
  if (!fingerprint.ok()) return fingerprint.error();
  return RoomLink{authority.value().host, authority.value().port, std::move(*token),
                  std::move(fingerprint).value()};
}

}  // namespace tactus::conference
