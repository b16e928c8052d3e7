// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/udp_address.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/net/link/packet_batch_fixture.h"

namespace tactus::net {
namespace {

TEST(UdpAddress, IsEqualWhereAddressAndPortAre) {
  EXPECT_EQ(addressOf("127.0.0.1", 5000), addressOf("127.0.0.1", 5000));
  EXPECT_FALSE(addressOf("127.0.0.1", 5000) == addressOf("127.0.0.1", 5001));
  EXPECT_FALSE(addressOf("127.0.0.1", 5000) == addressOf("127.0.0.2", 5000));
  EXPECT_EQ(addressOf("::1", 5000), addressOf("::1", 5000));
  EXPECT_FALSE(addressOf("::1", 5000) == addressOf("::2", 5000));
  EXPECT_FALSE(addressOf("::1", 5000) == addressOf("::1", 5001));
  EXPECT_FALSE(addressOf("::ffff:127.0.0.1", 5000) == addressOf("127.0.0.1", 5000));
}

TEST(UdpAddress, BytesThatMeanNothingDoNotCount) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  const UdpAddress clean = UdpAddress::from(reinterpret_cast<sockaddr*>(&address), sizeof address).value();
  std::memset(address.sin_zero, 7, sizeof address.sin_zero);
  EXPECT_EQ(clean, UdpAddress::from(reinterpret_cast<sockaddr*>(&address), sizeof address).value());
}

TEST(UdpAddress, TwoScopesAreTwoAddresses) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  const UdpAddress one = UdpAddress::from(reinterpret_cast<sockaddr*>(&address), sizeof address).value();
  address.sin6_scope_id = 2;
  EXPECT_FALSE(one == UdpAddress::from(reinterpret_cast<sockaddr*>(&address), sizeof address).value());
}

TEST(UdpAddress, HasTheLengthOfItsFamily) {
  EXPECT_EQ(addressOf("127.0.0.1", 1).length(), sizeof(sockaddr_in));
  EXPECT_EQ(addressOf("::1", 1).length(), sizeof(sockaddr_in6));
}

TEST(UdpAddress, OtherFamiliesAndShortOnesAreRefused) {
  sockaddr_in6 address{};
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  address.sin6_family = AF_UNIX;
  EXPECT_EQ(UdpAddress::from(any, sizeof address).error().code, ErrorCode::InvalidArgument);
  address.sin6_family = AF_INET6;
  EXPECT_FALSE(UdpAddress::from(any, sizeof(sockaddr_in)).ok());
  address.sin6_family = AF_INET;
  EXPECT_FALSE(UdpAddress::from(any, sizeof(sockaddr_in) - 1).ok());
  EXPECT_FALSE(UdpAddress::from(nullptr, 0).ok());
}

}  // namespace
}  // namespace tactus::net
