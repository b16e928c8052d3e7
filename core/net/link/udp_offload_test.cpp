// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/udp_offload.h"

#include <gtest/gtest.h>
#include <netinet/udp.h>

#include "core/net/link/packet_batch_fixture.h"

namespace tactus::net {
namespace {

TEST(UdpOffload, SaysWhatTheKernelGrants) {
  for (const int family : {AF_INET, AF_INET6}) {
    const TestSocket socket(family);
    if (socket.fd() < 0) continue;  // a machine without IPv6
    int value = 0;
    socklen_t length = sizeof value;
    const bool granted = getsockopt(socket.fd(), SOL_UDP, UDP_SEGMENT, &value, &length) == 0;
    const auto probed = UdpOffload::probe(socket.fd());
    ASSERT_TRUE(probed.ok());
    EXPECT_EQ(probed.value().segments(1200), granted);
    EXPECT_EQ(probed.value().ipv6(), family == AF_INET6);
    EXPECT_TRUE(probed.value().marks());
    EXPECT_FALSE(UdpOffload::probe(socket.fd(), UdpOffload::Segmentation::Off).value().segments(1200));
  }
}

TEST(UdpOffload, WhatIsNoUdpSocketIsRefused) {
  const int pair[] = {::socket(AF_INET, SOCK_STREAM, 0), ::socket(AF_UNIX, SOCK_DGRAM, 0)};
  for (const int each : pair) {
    EXPECT_EQ(UdpOffload::probe(each).error().code, ErrorCode::InvalidArgument);
    close(each);
  }
  EXPECT_FALSE(UdpOffload::probe(-1).ok());
}

TEST(UdpOffload, TheSmallestRefusedSizeCountsAndTheFirstRefusalIsTold) {
  const TestSocket socket(AF_INET);
  UdpOffload offload = UdpOffload::probe(socket.fd()).value();
  if (!offload.segments(1)) GTEST_SKIP() << "UDP_SEGMENT is not granted here";
  offload.refuseSegments(1600, EMSGSIZE);
  offload.refuseSegments(1500, EMSGSIZE);
  offload.refuseSegments(1700, EMSGSIZE);
  EXPECT_TRUE(offload.segments(1499));
  EXPECT_FALSE(offload.segments(1500));
  offload.refuseMarks(EINVAL);
  EXPECT_EQ(offload.takeRefusal()->size, 1600u);
  EXPECT_EQ(offload.takeRefusal()->what, UdpOffload::Refusal::What::TrafficClass);
  EXPECT_FALSE(offload.takeRefusal());
  offload.refuseSegments(1, EIO);
  EXPECT_FALSE(offload.segments(1));
  EXPECT_FALSE(offload.takeRefusal()) << "each kind once";
}

}  // namespace
}  // namespace tactus::net
