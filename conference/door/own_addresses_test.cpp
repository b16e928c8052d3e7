// SPDX-License-Identifier: Apache-2.0
#include "conference/door/own_addresses.h"

#include <gtest/gtest.h>

namespace tactus::conference {
namespace {

TEST(OwnAddresses, AHouseholdsAddressIsPreferred) {
  EXPECT_EQ(preferenceOf({"192.168.1.7", "wlan0"}), 4);
  EXPECT_EQ(preferenceOf({"10.0.0.7", "eth0"}), 4);
  EXPECT_EQ(preferenceOf({"172.31.0.1", "eth0"}), 4);
  EXPECT_EQ(preferenceOf({"172.17.0.1", "docker0"}), 3);
  EXPECT_EQ(preferenceOf({"172.32.0.1", "eth0"}), 3);
  EXPECT_EQ(preferenceOf({"203.0.113.5", "eth0"}), 3);
  EXPECT_EQ(preferenceOf({"2001:db8::1", "eth0"}), 2);
  EXPECT_EQ(preferenceOf({"fd00::1", "wg0"}), 1);
}

TEST(OwnAddresses, WhatOthersCannotReachIsLeftOut) {
  for (const char* useless : {"127.0.0.1", "127.9.9.9", "::1", "fe80::1", "169.254.1.1", "0.0.0.0",
                              "::", "224.0.0.1", "ff02::1", "::ffff:1.2.3.4", "nonsense"})
    EXPECT_EQ(preferenceOf({useless, "eth0"}), 0) << useless;
}

TEST(OwnAddresses, ThoseOfThisMachineAreInOrder) {
  const auto addresses = ownAddresses();
  ASSERT_TRUE(addresses.ok());
  int last = 4;
  for (const auto& each : addresses.value()) {
    EXPECT_LE(preferenceOf(each), last);
    last = preferenceOf(each);
    EXPECT_GT(last, 0) << each.text;
  }
}

}  // namespace
}  // namespace tactus::conference
