// SPDX-License-Identifier: Apache-2.0
// What memoryOf() says of a contract, beside the memory that ends take.
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <tuple>

#include "core/net/stream/local_receiving_end.h"
#include "core/net/stream/local_ring_fixture.h"
#include "core/net/stream/local_sending_end.h"
#include "core/net/stream/tcp_receiving_end.h"
#include "core/net/stream/tcp_sending_end.h"
#include "core/net/stream/udp_batch_end.h"
#include "core/net/stream/udp_end_fixture.h"
#include "core/net/stream/udp_link_end.h"
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Sanitizers have a heap of their own; the compiler's package lacks the header of this.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace tactus::net {
namespace {

std::size_t allocatedBytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return __sanitizer_get_current_allocated_bytes();
#else
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

/// By how much the heap grew while `make()` made an end, which is kept until then.
template <typename Make>
std::size_t bytesTakenBy(Make make) {
  const std::size_t before = allocatedBytes();
  const auto made = make();
  EXPECT_TRUE(made.ok());
  return allocatedBytes() - before;
}

void expectAbout(std::size_t said, std::size_t taken) {
  EXPECT_LE(said, taken + taken / 10 + 16'384);
  EXPECT_GE(said + said / 10 + 16'384, taken);
}

/// The largest buffer and W.
class StreamMemory : public testing::TestWithParam<std::tuple<std::size_t, std::uint32_t>> {
 protected:
  static StreamContract contractOf(TransportKind transport) {
    StreamContract contract;
    contract.transport = transport;
    std::tie(contract.largestBuffer, contract.workahead) = GetParam();
    return contract;
  }
};

INSTANTIATE_TEST_SUITE_P(Contracts, StreamMemory,
                         testing::Combine(testing::Values<std::size_t>(125, 1400, 131'072),
                                          testing::Values(1U, 8U, 64U)),
                         [](const auto& each) {
                           return "Buffers" + std::to_string(std::get<0>(each.param)) + "Workahead" +
                                  std::to_string(std::get<1>(each.param));
                         });

TEST_P(StreamMemory, OfADatagramWriterIsThatOfItsBuffersAndOfItsBatchOrItsRequests) {
  const StreamContract contract = contractOf(TransportKind::Udp);
  TestLink link{BitRate::perSecond(1'000'000'000)};
  const auto makeWith = [&](LinkTask* task) {
    Descriptor socket = loopbackSocket();
    const UdpAddress to = addressOf(socket);
    return bytesTakenBy([&] { return UdpSendingEnd::create(std::move(socket), to, contract, task, "film"); });
  };
  const std::size_t without = makeWith(nullptr), with = makeWith(link.get());
  expectAbout(UdpBatchEnd::bytesOf(contract), without);
  expectAbout(UdpLinkEnd::bytesOf(contract), with);
  expectAbout(memoryOf(contract, PortType::Write), std::max(with, without));
}

TEST_P(StreamMemory, OfADatagramReaderIsThatOfItsWindowAndOfItsInbox) {
  const StreamContract contract = contractOf(TransportKind::Udp);
  Descriptor socket = loopbackSocket();
  const std::size_t taken =
      bytesTakenBy([&] { return UdpReceivingEnd::create(std::move(socket), kTestSession, contract); });
  expectAbout(UdpReceivingEnd::bytesOf(contract), taken);
  expectAbout(memoryOf(contract, PortType::Read), taken + UdpReceivingEnd::kernelBytesOf(contract));
}

TEST_P(StreamMemory, OfAConnectionsEndsIsThatOfTheirRecords) {
  const StreamContract contract = contractOf(TransportKind::Tcp);
  auto [here, there] = socketPair(SOCK_STREAM);
  Descriptor& one = here;
  Descriptor& other = there;
  expectAbout(memoryOf(contract, PortType::Write),
              bytesTakenBy([&] { return TcpSendingEnd::create(std::move(one), contract, nullptr, "film"); }));
  std::tie(one, other) = socketPair(SOCK_STREAM);
  expectAbout(memoryOf(contract, PortType::Read), bytesTakenBy([&] {
                return TcpReceivingEnd::create(std::move(other), kTestSession, contract);
              }));
}

TEST_P(StreamMemory, OfLocalEndsIsThatOfTheRingAndOfTheReadersWindow) {
  const StreamContract contract = contractOf(TransportKind::Local);
  LocalRing made = LocalRing::create(LocalSendingEnd::capacityFor(contract)).value();
  LocalRing opened = LocalRing::open(copiesOf(made), made.capacity()).value();
  const std::size_t ring = made.memory().size();
  const std::size_t writer = bytesTakenBy([&] { return LocalSendingEnd::create(std::move(made), contract); });
  EXPECT_EQ(memoryOf(contract, PortType::Write), ring);
  EXPECT_LT(writer, 4096u);
  expectAbout(memoryOf(contract, PortType::Read), bytesTakenBy([&] {
                return LocalReceivingEnd::create(std::move(opened), kTestSession, contract);
              }));
}

std::size_t kernelBufferOf(int socket) {
  int bytes = 0;
  socklen_t length = sizeof bytes;
  EXPECT_EQ(getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, &length), 0);
  return static_cast<std::size_t>(bytes);
}

TEST(StreamMemoryInKernel, IsWhatADatagramReaderAsksFor) {
  StreamContract contract;
  contract.largestBuffer = 131'072;
  contract.workahead = 64;
  Descriptor socket = loopbackSocket();
  const std::size_t wanted = UdpReceivingEnd::kernelBytesOf(contract);
  const std::size_t before = kernelBufferOf(socket.get());
  ASSERT_LT(before, wanted);
  const auto end = UdpReceivingEnd::create(std::move(socket), kTestSession, contract).value();
  const std::size_t held = kernelBufferOf(end->wait().descriptor);
  EXPECT_GE(held, before);
  EXPECT_LE(held, wanted);
  if (held < wanted) GTEST_SKIP() << "the kernel permits no such receive buffer (net.core.rmem_max)";
}

}  // namespace
}  // namespace tactus::net
