// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/periodic/result.h"

namespace tactus::conference {

/// A numeric address of this machine. Plain data.
struct OwnAddress {
  std::string text;
  std::string interface;
};

/// How well an address serves in a link that is given away; the higher, the better:
///   4  private IPv4 (RFC 1918): the others of the house or of the office
///   3  other IPv4
///   2  global and unique local IPv6: right, but not every network carries it
///   0  useless to others: loopback, link-local (IPv6 needs a zone, which no link has), multicast,
///   unspecified
/// One less (but never 0) for an interface that a bridge, container or tunnel made ("docker", "podman",
/// "br-", "veth", "virbr", "tun", "tap", "wg", "tailscale", "zt"). Thread-safe: yes (pure). Real-time-safe:
/// no.
[[nodiscard]] int preferenceOf(const OwnAddress& address);

/// The addresses of this machine's interfaces that are up (getifaddrs(3)), the best for a link first, those
/// of preference 0 left out. Of equals, the kernel's order counts. System: the kernel does not tell.
/// Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<std::vector<OwnAddress>> ownAddresses();

}  // namespace tactus::conference
