// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/net/stream/shown_text.h"

namespace tactus::net {
namespace {

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kUnix = "unix:";

bool isNameCharacter(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

bool isIpv6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool isHostName(std::string_view host) {
  return !host.empty() && host.size() <= StreamAddress::kLongestHost &&
         std::all_of(host.begin(), host.end(), isNameCharacter);
}

/// 1 ... 65535 without leading zeros; 0: none of these.
std::uint16_t portOf(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, port);
  if (read.ec != std::errc{} || read.ptr != end || text.front() == '0') return 0;
  return port;
}

Error malformed(std::string_view text, const char* why) {
  return {ErrorCode::InvalidArgument, "A stream's address is tcp://HOST:PORT/NAME or unix:/PATH#NAME; '" +
                                          shownText(text, 120) + "' " + why};
}

Result<StreamAddress> parseTcp(std::string_view text) {
  std::string_view rest = text.substr(kTcp.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return malformed(text, "has no name of a port.");
  const std::string_view name = rest.substr(slash + 1);
  rest = rest.substr(0, slash);
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) return malformed(text, "has no port number.");
  const std::uint16_t port = portOf(rest.substr(colon + 1));
  if (port == 0) return malformed(text, "has no port number from 1 to 65535.");
  std::string host(rest.substr(0, colon));
  const bool brackets = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  // c_str() ends at a NUL: it is no part of an address.
  const bool good = brackets ? host.find('\0') == std::string::npos && isIpv6(host) : isHostName(host);
  if (!good) return malformed(text, "has no host; an IPv6 address stands in brackets.");
  if (!isStreamName(name))
    return malformed(text, "has no name of 1 to 64 letters, digits, '.', '_' and '-'.");
  return StreamAddress{StreamAddress::Tcp{std::move(host), port}, std::string(name)};
}

Result<StreamAddress> parseUnix(std::string_view text) {
  const std::string_view rest = text.substr(kUnix.size());
  const std::size_t mark = rest.rfind('#');
  if (mark == std::string_view::npos) return malformed(text, "has no name of a port.");
  const std::string_view path = rest.substr(0, mark);
  const std::string_view name = rest.substr(mark + 1);
  if (path.size() < 2 || path.front() != '/' || path.back() == '/')
    return malformed(text, "has no path of a socket that begins with '/'.");
  if (path.size() > StreamAddress::kLongestPath)
    return malformed(text, "has a path of more than 107 bytes, which no socket can have.");
  if (shownText(path, path.size()) != path) return malformed(text, "has a path that cannot be shown.");
  if (!isStreamName(name))
    return malformed(text, "has no name of 1 to 64 letters, digits, '.', '_' and '-'.");
  return StreamAddress{StreamAddress::Unix{std::string(path)}, std::string(name)};
}

}  // namespace

bool isStreamName(std::string_view name) noexcept {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), isNameCharacter);
}

Result<StreamAddress> StreamAddress::parse(std::string_view text) {
  if (text.starts_with(kTcp)) return parseTcp(text);
  if (text.starts_with(kUnix)) return parseUnix(text);
  return malformed(text, "begins otherwise.");
}

Result<std::string> StreamAddress::format() const {
  std::string text;
  if (const auto* tcp = std::get_if<Tcp>(&at)) {
    const bool brackets = tcp->host.find(':') != std::string::npos;
    text = std::string(kTcp) + (brackets ? "[" + tcp->host + "]" : tcp->host) + ":" +
           std::to_string(tcp->port) + "/";
  } else if (const auto* local = std::get_if<Unix>(&at)) {
    text = std::string(kUnix) + local->path + "#";
  }
  text += name;
  auto read = parse(text);
  if (!read) return read.error();
  if (read.value() != *this) return malformed(text, "has parts that cannot be told apart.");
  return text;
}

}  // namespace tactus::net
