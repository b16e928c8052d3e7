// SPDX-License-Identifier: Apache-2.0
#include "conference/door/own_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace tactus::conference {
namespace {

constexpr int kPrivate = 4, kIpv4 = 3, kIpv6 = 2, kUseless = 0;

int rankOfIpv4(std::uint32_t address) {
  const auto isIn = [address](std::uint32_t network, int bits) { return address >> (32 - bits) == network; };
  if (isIn(127, 8) || isIn(0, 8) || isIn(0xa9fe, 16) || isIn(0xe, 4) || isIn(0xf, 4)) return kUseless;
  return isIn(10, 8) || isIn(0xac1, 12) || isIn(0xc0a8, 16) ? kPrivate : kIpv4;
}

int rankOfIpv6(const in6_addr& address) {
  const bool isUseless = IN6_IS_ADDR_LOOPBACK(&address) || IN6_IS_ADDR_LINKLOCAL(&address) ||
                         IN6_IS_ADDR_MULTICAST(&address) || IN6_IS_ADDR_UNSPECIFIED(&address) ||
                         IN6_IS_ADDR_V4MAPPED(&address);
  return isUseless ? kUseless : kIpv6;
}

bool isMade(std::string_view interface) {
  constexpr std::array<std::string_view, 10> kMade = {"docker", "br-", "veth", "virbr",     "tun",
                                                      "tap",    "wg",  "zt",   "tailscale", "podman"};
  return std::any_of(kMade.begin(), kMade.end(), [&](auto prefix) { return interface.starts_with(prefix); });
}

std::string textOf(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = address->sa_family == AF_INET
                          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr)
                          : &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  return inet_ntop(address->sa_family, bytes, text.data(), text.size()) == nullptr ? "" : text.data();
}

}  // namespace

int preferenceOf(const OwnAddress& address) {
  in_addr ipv4{};
  in6_addr ipv6{};
  int rank = kUseless;
  if (inet_pton(AF_INET, address.text.c_str(), &ipv4) == 1) {
    rank = rankOfIpv4(ntohl(ipv4.s_addr));
  } else if (inet_pton(AF_INET6, address.text.c_str(), &ipv6) == 1) {
    rank = rankOfIpv6(ipv6);
  }
  return rank > 1 && isMade(address.interface) ? rank - 1 : rank;
}

Result<std::vector<OwnAddress>> ownAddresses() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0)
    return Error{ErrorCode::System, std::string("The kernel does not tell this machine's addresses: ") +
                                        std::strerror(errno) + "."};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(first, freeifaddrs);
  std::vector<OwnAddress> addresses;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    const bool isUp = (each->ifa_flags & IFF_UP) != 0;
    if (!isUp || each->ifa_addr == nullptr) continue;
    if (each->ifa_addr->sa_family != AF_INET && each->ifa_addr->sa_family != AF_INET6) continue;
    OwnAddress address{textOf(each->ifa_addr), each->ifa_name};
    if (preferenceOf(address) > kUseless) addresses.push_back(std::move(address));
  }
  std::stable_sort(addresses.begin(), addresses.end(),
                   [](const auto& a, const auto& b) { return preferenceOf(a) > preferenceOf(b); });
  return addresses;
}

}  // namespace tactus::conference
