// SPDX-License-Identifier: Apache-2.0
// Random trains through a kernel with random faults. sendmmsg() is defined in packet_batch_test.cpp.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/net/link/fake_udp_kernel.h"
#include "core/net/link/packet_batch.h"
#include "core/net/link/packet_batch_fixture.h"

namespace tactus::net {
namespace {

using Outcome = SendResult::Outcome;

constexpr int kDeniedPort = 1004;
constexpr int kReportingPort = 1003;
constexpr std::size_t kMtu = 1472;

struct Sent {
  std::size_t socket;
  std::size_t receiver;
  std::size_t size;
};

void makeFaults(FakeUdpKernel& kernel, std::span<const int> sockets) {
  kernel.mtu = kMtu;
  kernel.trainError = *rc::gen::element(EMSGSIZE, EINVAL, EIO);
  kernel.mayFragment = *rc::gen::arbitrary<bool>();
  kernel.takesTrafficClass = *rc::gen::arbitrary<bool>();
  kernel.refusedPorts = {{kDeniedPort, EPERM}};
  kernel.reportsPorts = {kReportingPort};
  for (const int socket : sockets) kernel.room[socket] = *rc::gen::inRange<std::size_t>(0, 30);
  const auto faults =
      *rc::gen::container<std::vector<int>>(rc::gen::element(0, 0, 0, EINTR, ENOBUFS, EAGAIN));
  kernel.interruptions.assign(faults.begin(), faults.end());
}

/// What must become of a packet in the end.
Outcome expectedOf(const Sent& packet, int port, bool mayFragment) {
  if (packet.size > 65'507 || (packet.size > kMtu && !mayFragment)) return Outcome::TooLarge;
  return port == kDeniedPort ? Outcome::Denied : Outcome::Sent;
}

RC_GTEST_PROP(PacketBatchProperty, NoneIsLostNoneIsSentTwiceAndEachSocketKeepsItsOrder, ()) {
  FakeUdpKernel kernel;
  g_fakeUdpKernel = &kernel;
  const TestSocket sockets[] = {TestSocket(AF_INET), TestSocket(AF_INET)};
  const auto segmentation =
      *rc::gen::element(UdpOffload::Segmentation::IfGranted, UdpOffload::Segmentation::Off);
  UdpOffload offloads[] = {UdpOffload::probe(sockets[0].fd(), segmentation).value(),
                           UdpOffload::probe(sockets[1].fd(), segmentation).value()};
  const int fds[] = {sockets[0].fd(), sockets[1].fd()};
  makeFaults(kernel, fds);
  std::vector<UdpAddress> receivers;
  for (int port = 1001; port <= kDeniedPort; ++port) receivers.push_back(addressOf("127.0.0.1", port));

  TestPackets packets;
  PacketBatch batch(64);
  std::vector<Sent> made;
  const auto count = *rc::gen::inRange<std::size_t>(0, 64);
  Sent packet{0, 0, 1200};
  for (std::size_t i = 0; i < count; ++i) {
    // Runs of equal ones, so that there are trains.
    if (*rc::gen::inRange(0, 4) == 0) packet.socket = *rc::gen::inRange<std::size_t>(0, 2);
    if (*rc::gen::inRange(0, 4) == 0) packet.receiver = *rc::gen::inRange<std::size_t>(0, receivers.size());
    if (*rc::gen::inRange(0, 4) == 0)
      packet.size = *rc::gen::element<std::size_t>(4, 600, 1200, 1600, 66'000);
    made.push_back(packet);
    const std::optional<std::uint8_t> trafficClass =
        *rc::gen::inRange(0, 3) == 0 ? std::optional<std::uint8_t>(184) : std::nullopt;
    RC_ASSERT(batch.add(
        packets.make(offloads[packet.socket], &receivers[packet.receiver], packet.size, trafficClass)));
  }

  std::size_t went = batch.send();
  RC_ASSERT(went == kernel.delivered.size());
  for (std::size_t i = 0; i < count; ++i) {
    RC_ASSERT(batch.results()[i].outcome != Outcome::Unsent);
    if (!batch.results()[i].kept()) continue;
    for (std::size_t j = i; j < count; ++j)
      RC_ASSERT(made[j].socket != made[i].socket || batch.results()[j].kept());
  }
  kernel.room.clear();
  for (int again = 0; again < 200 && !kernel.interruptions.empty(); ++again) went += batch.send();
  went += batch.send();

  std::size_t sent = 0;
  std::map<int, std::vector<std::string>> expected;
  for (std::size_t i = 0; i < count; ++i) {
    const int port = 1001 + static_cast<int>(made[i].receiver);
    RC_ASSERT(batch.results()[i].outcome == expectedOf(made[i], port, kernel.mayFragment));
    if (batch.results()[i].outcome != Outcome::Sent) continue;
    ++sent;
    expected[fds[made[i].socket]].push_back(packets.bytes(i));
  }
  std::map<int, std::vector<std::string>> delivered;
  for (const auto& each : kernel.delivered) delivered[each.socket].push_back(each.bytes);
  RC_ASSERT(delivered == expected);
  RC_ASSERT(went == sent);
  g_fakeUdpKernel = nullptr;
}

}  // namespace
}  // namespace tactus::net
