// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/net/stream/stream_address.h"
#include "core/net/stream/stream_contract.h"
#include "core/periodic/result.h"

namespace tactus::app {

/// Where a stream is received, and what carries it there:
///
///   udp://HOST:PORT[/NAME][?token=TOKEN]
///   tcp://HOST:PORT[/NAME][?token=TOKEN]
///   local:NAME[?token=TOKEN]              another program of this user
///
/// NAME is "stream" if it is left out. With udp the two agree over TCP at PORT; the data come as datagrams.
/// Plain data.
struct StreamPlace {
  net::TransportKind transport = net::TransportKind::Tcp;
  net::StreamAddress address{net::StreamAddress::Tcp{}, {}};  ///< of the reader's port
  std::string token = {};                                     ///< that lets in; empty: none was given

  /// InvalidArgument, with a sentence. `folder` holds the sockets of local streams. Thread-safe: yes (pure).
  /// Real-time-safe: no.
  [[nodiscard]] static Result<StreamPlace> parse(std::string_view text, const std::string& folder);
  /// As parse() takes it, with the token. Thread-safe: yes (pure). Real-time-safe: no.
  [[nodiscard]] std::string text() const;
  /// The same without the token, to be shown.
  [[nodiscard]] std::string shown() const;
};

/// Where this user's programs keep their sockets: $XDG_RUNTIME_DIR, else the folder for temporary files.
/// Thread-safe: as getenv(). Real-time-safe: no.
[[nodiscard]] std::string socketFolder();

}  // namespace tactus::app
