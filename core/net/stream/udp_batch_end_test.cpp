// SPDX-License-Identifier: Apache-2.0
// On a kernel that takes and refuses what a test wants.
#include "core/net/stream/udp_batch_end.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "core/net/link/fake_udp_kernel.h"
#include "core/net/link/packet_batch_fixture.h"
#include "core/net/stream/buffer_assembly_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

constexpr std::uint64_t kSession = 0x1234'5678'9abc'def0;
constexpr int kPort = 4711;

/// An end that sends to the fake kernel.
class Bench {
 public:
  explicit Bench(std::size_t largest, std::uint32_t workahead = 1) : m_largest(largest) {
    g_fakeUdpKernel = &kernel;
    StreamContract contract;
    contract.largestBuffer = largest;
    contract.workahead = workahead;
    Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    descriptor = socket.get();
    end = UdpSendingEnd::create(std::move(socket), addressOf("127.0.0.1", kPort), contract, nullptr, "test")
              .value();
  }
  ~Bench() { g_fakeUdpKernel = nullptr; }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// False: no room.
  bool send(std::size_t length) {
    const auto room = end->room();
    if (room.empty()) return false;
    const auto content = contentOf(sent, length);
    std::copy(content.begin(), content.end(), room.begin());
    end->send({.number = sent++,
               .session = kSession,
               .length = static_cast<std::uint32_t>(length),
               .offset = 0,
               .made = 1ms,
               .end = length == 0});
    return true;
  }
  /// The numbers of the buffers that arrived whole, in order; what is wrong with one fails the test.
  [[nodiscard]] std::vector<std::uint32_t> arrived() const {
    auto assembly = BufferAssembly::create({.largestBuffer = m_largest}).value();
    std::vector<std::uint32_t> numbers;
    for (const auto& each : kernel.delivered) {
      const auto piece =
          decode(std::as_bytes(std::span(each.bytes)), {.session = kSession, .largestBuffer = m_largest});
      if (!piece.ok()) ADD_FAILURE() << nameOf(piece.error());
      if (!piece.ok()) continue;
      assembly.add(piece.value(), TimePoint(1s));
      while (const auto buffer = assembly.next(TimePoint(1s))) {
        EXPECT_TRUE(sameBytes(buffer->bytes, contentOf(buffer->number, buffer->bytes.size())));
        numbers.push_back(buffer->number);
        assembly.release();
      }
    }
    again = assembly.figures().again + assembly.figures().tooLate;
    return numbers;
  }

  FakeUdpKernel kernel;
  std::unique_ptr<UdpSendingEnd> end;
  int descriptor = -1;
  std::uint32_t sent = 0;
  mutable std::uint64_t again = 0;

 private:
  std::size_t m_largest;
};

std::vector<std::uint32_t> upTo(std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

TEST(UdpBatchEnd, SmallBuffersOfAPortThatDoesNotWaitLeaveInOneSystemCall) {
  Bench bench(125);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(bench.send(125));
  EXPECT_EQ(bench.kernel.calls, 0);
  EXPECT_FALSE(bench.end->isEmpty());
  bench.end->flush();
  EXPECT_EQ(bench.kernel.calls, 1);
  EXPECT_EQ(bench.kernel.trains, (std::vector<std::size_t>{64, 36}));
  EXPECT_TRUE(bench.end->isEmpty());
  EXPECT_EQ(bench.arrived(), upTo(100));
  EXPECT_EQ(bench.end->figures().sent, 100u);
  EXPECT_EQ(bench.end->figures().sentBytes, 12'500u);
}

TEST(UdpBatchEnd, AFullBatchGoesByItselfSoThatThereIsAlwaysRoom) {
  Bench bench(125);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(bench.send(125));
  EXPECT_EQ(bench.kernel.delivered.size(), 256u);
  EXPECT_EQ(bench.kernel.calls, 2);
}

TEST(UdpBatchEnd, ALargeBufferGoesInSeveralBatches) {
  Bench bench(1 << 20);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(bench.send(1 << 20));
  bench.end->flush();
  EXPECT_EQ(bench.arrived(), upTo(3));
}

TEST(UdpBatchEnd, WhatTheSocketDoesNotTakeStaysInOrderAndIsNotDoubled) {
  Bench bench(3000, 3);
  bench.kernel.room[bench.descriptor] = 4;
  bench.kernel.trainError = EMSGSIZE;
  bench.kernel.mtu = 100;  // no trains: the socket is full within a buffer
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(bench.send(3000));
  bench.end->flush();
  EXPECT_EQ(bench.kernel.delivered.size(), 4u);
  EXPECT_EQ(bench.end->figures().sent, 1u);
  EXPECT_FALSE(bench.end->isEmpty());
  const EndWait wait = bench.end->wait();
  EXPECT_EQ(wait.descriptor, bench.descriptor);
  EXPECT_EQ(wait.events, POLLOUT);
  EXPECT_EQ(wait.until, TimePoint::max());
  bench.kernel.room.clear();
  bench.end->flush();
  EXPECT_TRUE(bench.end->isEmpty());
  EXPECT_EQ(bench.kernel.delivered.size(), 9u);
  EXPECT_EQ(bench.arrived(), upTo(3));
  EXPECT_EQ(bench.end->wait().descriptor, -1);
  EXPECT_EQ(bench.end->wait().until, TimePoint::max());
}

TEST(UdpBatchEnd, AFullSocketLeavesNoRoomAndIsAskedOnlyByFlush) {
  Bench bench(100'000);  // two buffers
  bench.kernel.room[bench.descriptor] = 0;
  ASSERT_TRUE(bench.send(100));
  bench.end->flush();
  const int calls = bench.kernel.calls;
  ASSERT_TRUE(bench.send(100));
  EXPECT_FALSE(bench.send(100));
  EXPECT_EQ(bench.kernel.calls, calls);
  bench.kernel.room.clear();
  EXPECT_EQ(bench.end->wait().events, POLLOUT);
  bench.end->flush();
  EXPECT_EQ(bench.end->wait().until, TimePoint()) << "there is room again";
  EXPECT_TRUE(bench.send(100));
  bench.end->flush();
  EXPECT_EQ(bench.end->wait().until, TimePoint::max());
  EXPECT_EQ(bench.arrived(), upTo(3));
}

TEST(UdpBatchEnd, WithoutBuffersInTheKernelItIsTriedAgainAtAnInstant) {
  Bench bench(125);
  bench.kernel.interruptions = {ENOBUFS};
  ASSERT_TRUE(bench.send(125));
  bench.end->flush();
  const EndWait wait = bench.end->wait();
  EXPECT_EQ(wait.descriptor, -1) << "poll(2) does not tell";
  EXPECT_GT(wait.until, TimePoint());
  EXPECT_LT(wait.until, TimePoint::max());
  bench.end->flush();
  EXPECT_EQ(bench.arrived(), upTo(1));
}

TEST(UdpBatchEnd, WhatIcmpSaysOfEarlierDatagramsIsNoFailure) {
  Bench bench(125);
  bench.kernel.reportsPorts = {kPort};
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(bench.send(125));
    bench.end->flush();
  }
  EXPECT_EQ(bench.arrived(), upTo(10));
  EXPECT_EQ(bench.end->figures().failed, 0u);
}

TEST(UdpBatchEnd, ARefusedBufferFailsAndTheNextOnesGo) {
  for (const int error : {EPERM, EACCES, EHOSTUNREACH, ENETUNREACH, EMSGSIZE, EPROTO}) {
    Bench bench(3000, 3);
    bench.kernel.refusedPorts[kPort] = error;
    ASSERT_TRUE(bench.send(3000));
    bench.end->flush();
    EXPECT_EQ(bench.end->figures().failed, 1u) << strerror(error);
    EXPECT_TRUE(bench.end->isEmpty());
    EXPECT_FALSE(bench.end->broken());
    bench.kernel.refusedPorts.clear();
    ASSERT_TRUE(bench.send(3000));
    bench.end->flush();
    EXPECT_EQ(bench.end->figures().sent, 1u);
    EXPECT_EQ(bench.kernel.delivered.size(), 3u);
  }
}

TEST(UdpBatchEnd, ASocketThatIsNoneAnyMoreBreaksIt) {
  for (const int error : {EBADF, ENOTSOCK, EDESTADDRREQ, EAFNOSUPPORT, EPIPE}) {
    Bench bench(3000, 3);
    bench.kernel.refusedPorts[kPort] = error;
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(bench.send(3000));
    EXPECT_FALSE(bench.end->broken());
    bench.end->flush();
    ASSERT_TRUE(bench.end->broken());
    EXPECT_EQ(bench.end->broken()->sentence,
              std::string("The stream's UDP socket does not work any more: ") + strerror(error) + ".");
    EXPECT_EQ(bench.end->figures().failed, 2u);
    EXPECT_TRUE(bench.end->isEmpty());
    EXPECT_TRUE(bench.end->room().empty());
    EXPECT_EQ(bench.end->wait().until, TimePoint()) << "nobody waits for what does not come";
  }
}

TEST(UdpBatchEnd, TheEndIsSentThreeTimesAndCountsOnce) {
  Bench bench(125);
  ASSERT_TRUE(bench.send(125));
  ASSERT_TRUE(bench.send(0));
  bench.end->flush();
  EXPECT_EQ(bench.kernel.delivered.size(), 4u);
  EXPECT_EQ(bench.arrived(), upTo(2));
  EXPECT_EQ(bench.again, 2u);
  EXPECT_EQ(bench.end->figures().sent, 2u);
}

/// Whatever the socket takes, each buffer arrives once, in order, and is counted.
RC_GTEST_PROP(UdpBatchEnd, WhateverTheSocketTakesEachBufferArrivesOnceInOrder, ()) {
  Bench bench(6000, *rc::gen::element(1u, 2u, 7u));
  if (*rc::gen::arbitrary<bool>()) bench.kernel.mtu = 100;
  const auto steps = *rc::gen::element(5, 20, 60);
  std::uint64_t bytes = 0;
  for (int i = 0; i < steps; ++i) {
    switch (*rc::gen::element(0, 0, 0, 1, 2, 3)) {
      case 0: {
        const auto length = *rc::gen::element<std::size_t>(1, 125, 1400, 1401, 2800, 5999, 6000);
        if (bench.send(length)) bytes += length;
        break;
      }
      case 1:
        bench.kernel.room[bench.descriptor] = *rc::gen::element<std::size_t>(0, 1, 3, 10);
        break;
      case 2:
        bench.kernel.interruptions.push_back(*rc::gen::element(ENOBUFS, EINTR, EAGAIN));
        break;
      default:
        bench.end->flush();
    }
  }
  bench.kernel.room.clear();
  bench.kernel.interruptions.clear();
  bench.end->flush();
  RC_ASSERT(bench.end->isEmpty());
  RC_ASSERT(bench.arrived() == upTo(bench.sent));
  RC_ASSERT(bench.again == 0u);
  RC_ASSERT(bench.end->figures().sent == bench.sent);
  RC_ASSERT(bench.end->figures().sentBytes == bytes);
}

}  // namespace
}  // namespace tactus::net
