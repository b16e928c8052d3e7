// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/periodic/result.h"

namespace tactus::net {

/// Whether a port may have this name: 1 to 64 letters, digits, '.', '_' and '-'. Thread-safe: yes.
/// Real-time-safe: yes.
[[nodiscard]] bool isStreamName(std::string_view name) noexcept;

/// Where a port is found by its name (RTSS_name, section 4.1), from another process or host:
///
///   tcp://HOST:PORT/NAME    HOST: a name, an IPv4 address, or an IPv6 address in brackets
///   unix:/PATH#NAME         the last '#' ends the path, which is written as it is
///
/// Thread-safe: no (a value). Real-time-safe: no (allocates).
struct StreamAddress {
  struct Tcp {
    std::string host;  ///< without brackets
    std::uint16_t port = 0;
    friend bool operator==(const Tcp&, const Tcp&) = default;
  };
  struct Unix {
    std::string path;  ///< from the root on
    friend bool operator==(const Unix&, const Unix&) = default;
  };
  static constexpr std::size_t kLongestHost = 253;  ///< RFC 1035, 2.3.4
  static constexpr std::size_t kLongestPath = 107;  ///< sun_path, unix(7)

  std::variant<Tcp, Unix> at;
  std::string name;

  /// InvalidArgument, with a sentence, for what is no address.
  [[nodiscard]] static Result<StreamAddress> parse(std::string_view text);
  /// InvalidArgument if parse() would not take it.
  [[nodiscard]] Result<std::string> format() const;

  friend bool operator==(const StreamAddress&, const StreamAddress&) = default;
};

}  // namespace tactus::net
