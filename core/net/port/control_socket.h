// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/net/descriptor.h"
#include "core/net/link/udp_address.h"
#include "core/net/stream/stream_address.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// A listening Unix socket at `path`, for this user alone. What a program that died left there is removed.
/// InvalidArgument: the path is too long, or no absolute one. Unavailable: another program listens there.
/// PermissionDenied, System. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<Descriptor> listenAt(const StreamAddress::Unix& at);
/// A listening TCP socket; port 0: any that is free. An empty host: all addresses of this machine. NotFound:
/// there is no such host; else as above. May wait for the resolver. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<Descriptor> listenAt(const StreamAddress::Tcp& at);
/// A socket that is connected with whoever listens at `address`. NotFound: no such host. Unavailable: nobody
/// listens there. Timeout: no answer until `until`. PermissionDenied, System. Waits. Thread-safe: yes.
/// Real-time-safe: no.
[[nodiscard]] Result<Descriptor> dial(const StreamAddress& address, periodic::TimePoint until);

/// Waits until there is something to read. False: not until `until`.
[[nodiscard]] bool waitToRead(int socket, periodic::TimePoint until) noexcept;

/// A UDP socket at the own address of the control connection `control`, for the data of its stream; loopback
/// where that is a Unix socket. Not bound to a port that anybody knows. System. Real-time-safe: no.
[[nodiscard]] Result<Descriptor> datagramsBeside(int control);
/// The port at which a socket receives; 0: none. Real-time-safe: no.
[[nodiscard]] std::uint16_t portOf(int socket) noexcept;
/// Where the peer of the control connection receives datagrams at `port`. Corrupt: port 0.
[[nodiscard]] Result<UdpAddress> datagramsOfPeer(int control, std::uint16_t port);

}  // namespace tactus::net
