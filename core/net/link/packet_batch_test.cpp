// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/packet_batch.h"

#include <gtest/gtest.h>

#include "core/net/link/fake_udp_kernel.h"
#include "core/net/link/packet_batch_fixture.h"
#include "core/periodic/simulation/counted_allocations.h"

/// All that this program sends goes to the fake.
extern "C" int sendmmsg(int socket, mmsghdr* messages, unsigned count, int flags) {
  EXPECT_NE(flags & MSG_DONTWAIT, 0);
  if (tactus::net::g_fakeUdpKernel == nullptr) return -1;
  return tactus::net::g_fakeUdpKernel->send(socket, messages, count);
}

namespace tactus::net {
namespace {

using Outcome = SendResult::Outcome;

class Batch : public ::testing::Test {
 protected:
  Batch() { g_fakeUdpKernel = &m_kernel; }
  ~Batch() override { g_fakeUdpKernel = nullptr; }
  void add(UdpOffload& socket, const UdpAddress& to, std::size_t size,
           std::optional<std::uint8_t> trafficClass = {}) {
    ASSERT_TRUE(m_batch.add(m_packets.make(socket, &to, size, trafficClass)));
  }
  void add(int count, std::size_t size) {
    for (int i = 0; i < count; ++i) add(m_one, m_first, size);
  }
  [[nodiscard]] std::vector<Outcome> outcomes() const {
    std::vector<Outcome> all;
    for (const SendResult& each : m_batch.results()) all.push_back(each.outcome);
    return all;
  }
  /// Numbers of the packets in the order in which they went.
  [[nodiscard]] std::vector<int> delivered() const {
    std::vector<int> numbers;
    for (const auto& each : m_kernel.delivered) numbers.push_back(static_cast<unsigned char>(each.bytes[0]));
    return numbers;
  }
  using Trains = std::vector<std::size_t>;

  FakeUdpKernel m_kernel;
  TestPackets m_packets;
  PacketBatch m_batch{128};
  TestSocket m_oneSocket{AF_INET}, m_otherSocket{AF_INET};
  UdpOffload m_one = UdpOffload::probe(m_oneSocket.fd()).value();
  UdpOffload m_other = UdpOffload::probe(m_otherSocket.fd()).value();
  const UdpAddress m_first = addressOf("127.0.0.1", 1001), m_second = addressOf("127.0.0.1", 1002),
                   m_third = addressOf("127.0.0.1", 1003);
};

TEST_F(Batch, EqualDatagramsForOneReceiverAreOneMessage) {
  add(31, 1200);
  add(1, 700);
  EXPECT_EQ(m_batch.send(), 32u);
  EXPECT_EQ(m_kernel.trains, Trains{32});
  EXPECT_EQ(m_kernel.calls, 1);
  EXPECT_EQ(m_batch.systemCalls(), 1u);
  ASSERT_EQ(m_kernel.delivered.size(), 32u);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(m_kernel.delivered[i].bytes, m_packets.bytes(i));
}

TEST_F(Batch, ATrainEndsAtAnotherSizeTrafficClassOrReceiver) {
  add(2, 1200);
  add(2, 1201);  // larger: another train
  add(1, 600);   // shorter: its last
  add(2, 600);
  add(m_one, m_first, 600, 46 << 2);
  add(m_one, m_second, 600, 46 << 2);
  add(m_one, m_second, 600, 46 << 2);
  EXPECT_EQ(m_batch.send(), 10u);
  EXPECT_EQ(m_kernel.trains, (Trains{2, 3, 2, 1, 2}));
  EXPECT_EQ(m_kernel.calls, 1) << "all in one sendmmsg";
  EXPECT_EQ(m_kernel.delivered[6].trafficClass, std::nullopt);
  EXPECT_EQ(m_kernel.delivered[9].trafficClass, 46 << 2);
}

TEST_F(Batch, ATrainHasAtMost64DatagramsAnd65507Bytes) {
  add(70, 100);
  add(58, 1400);
  EXPECT_TRUE(m_batch.full());
  EXPECT_FALSE(m_batch.add(m_packets.make(m_one, &m_first, 10)));
  EXPECT_EQ(m_batch.send(), 128u);
  EXPECT_EQ(m_kernel.trains, (Trains{64, 6, 46, 12}));
}

TEST_F(Batch, EmptyDatagramsGoAlone) {
  add(2, 0);
  add(1, 5);
  add(1, 0);
  EXPECT_EQ(m_batch.send(), 4u);
  EXPECT_EQ(m_kernel.trains, (Trains{1, 1, 1, 1}));
}

TEST_F(Batch, WhatHasTooManyPartsIsNotTaken) {
  const std::array<iovec, PacketBatch::kParts + 1> parts{};
  EXPECT_FALSE(m_batch.add({&m_one, &m_first, parts, {}}));
  EXPECT_EQ(m_batch.size(), 0u);
  EXPECT_EQ(m_batch.send(), 0u);
  EXPECT_EQ(m_kernel.calls, 0);
}

TEST_F(Batch, WithoutSegmentationItIsOneCallAllTheSame) {
  m_one = UdpOffload::probe(m_oneSocket.fd(), UdpOffload::Segmentation::Off).value();
  add(32, 1200);
  EXPECT_EQ(m_batch.send(), 32u);
  EXPECT_EQ(m_kernel.trains, Trains(32, 1));
  EXPECT_EQ(m_kernel.calls, 1);
}

TEST_F(Batch, OrderIsKeptAcrossSockets) {
  for (int i = 0; i < 6; ++i) add(i % 4 < 2 ? m_one : m_other, i % 2 == 0 ? m_first : m_second, 100);
  EXPECT_EQ(m_batch.send(), 6u);
  EXPECT_EQ(delivered(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(m_kernel.calls, 3);
}

TEST_F(Batch, AFullBufferKeepsTheRestOfItsSocketAndLaterSendsGoOn) {
  m_kernel.room[m_oneSocket.fd()] = 2;
  for (int i = 0; i < 8; ++i) add(i % 2 == 0 ? m_one : m_other, i < 4 ? m_first : m_second, 100);
  EXPECT_EQ(m_batch.send(), 6u);
  EXPECT_EQ(delivered(), (std::vector<int>{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(m_batch.results()[4].outcome, Outcome::WouldBlock);
  EXPECT_EQ(m_batch.results()[6].error, EAGAIN);
  EXPECT_EQ(m_batch.send(), 0u) << "it is still full";
  m_kernel.room.clear();
  EXPECT_EQ(m_batch.send(), 2u);
  EXPECT_EQ(delivered(), (std::vector<int>{0, 1, 2, 3, 5, 7, 4, 6}));
  EXPECT_EQ(m_batch.send(), 0u) << "none is sent twice";
  EXPECT_EQ(m_kernel.delivered.size(), 8u);
}

TEST_F(Batch, AFullQueueOfTheDeviceIsToldApart) {
  m_kernel.interruptions = {ENOBUFS};
  add(3, 100);
  EXPECT_EQ(m_batch.send(), 0u);
  EXPECT_EQ(outcomes(), std::vector<Outcome>(3, Outcome::NoBuffers));
  EXPECT_EQ(m_batch.send(), 3u);
}

TEST_F(Batch, AnInterruptedCallIsMadeAgain) {
  m_kernel.interruptions = {EINTR, EINTR, EINTR};
  add(3, 100);
  EXPECT_EQ(m_batch.send(), 3u);
  EXPECT_EQ(m_kernel.calls, 4);
}

TEST_F(Batch, AnEarlierDatagramsErrorDoesNotLoseThePresentOne) {
  m_kernel.reportsPorts = {1002};
  for (int i = 0; i < 9; ++i) add(m_one, i % 3 == 1 ? m_second : m_first, 100);
  EXPECT_EQ(m_batch.send(), 9u);
  EXPECT_EQ(delivered(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(Batch, AnErrorThatComesTwiceIsTheDatagramsOwn) {
  m_kernel.refusedPorts = {{1002, EPERM}, {1003, ENETUNREACH}};
  add(m_one, m_first, 100);
  add(m_one, m_second, 100);
  add(m_one, m_second, 100);
  add(m_one, m_third, 100);
  add(m_one, m_first, 100);
  EXPECT_EQ(m_batch.send(), 2u);
  EXPECT_EQ(outcomes(), (std::vector<Outcome>{Outcome::Sent, Outcome::Denied, Outcome::Denied,
                                              Outcome::Unreachable, Outcome::Sent}));
  EXPECT_EQ(m_batch.results()[1].error, EPERM);
}

TEST_F(Batch, OneThatIsTooLargeStopsNoOther) {
  add(2, 1200);
  add(1, 70'000);
  add(2, 1200);
  EXPECT_EQ(m_batch.send(), 4u);
  EXPECT_EQ(m_batch.results()[2].outcome, Outcome::TooLarge);
  EXPECT_EQ(delivered(), (std::vector<int>{0, 1, 3, 4}));
}

TEST_F(Batch, TrainsBeyondThePathsMtuGoOneByOneFromThenOn) {
  for (const int error : {EMSGSIZE, EINVAL}) {
    m_one = UdpOffload::probe(m_oneSocket.fd()).value();
    m_kernel = {};
    m_kernel.mtu = 1472;
    m_kernel.trainError = error;
    m_batch.clear();
    add(3, 1600);
    add(3, 1200);
    EXPECT_EQ(m_batch.send(), 6u);
    EXPECT_EQ(m_kernel.trains, (Trains{1, 1, 1, 1, 2}));
    const auto refusal = m_one.takeRefusal();
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->what, UdpOffload::Refusal::What::Segmentation);
    EXPECT_EQ(refusal->error, error);
    EXPECT_EQ(refusal->size, 1600u);
    EXPECT_FALSE(m_one.takeRefusal()) << "said once";
    m_batch.clear();
    const int before = m_kernel.calls;
    add(3, 1700);
    add(3, 1200);
    EXPECT_EQ(m_batch.send(), 6u);
    EXPECT_EQ(m_kernel.trains.back(), 3u);
    EXPECT_EQ(m_kernel.calls, before + 1) << "nothing is tried that was refused";
  }
}

TEST_F(Batch, EioTurnsSegmentationOff) {
  m_kernel.mtu = 0;
  m_kernel.trainError = EIO;
  add(3, 1200);
  EXPECT_EQ(m_batch.send(), 3u);
  EXPECT_FALSE(m_one.segments(1));
}

TEST_F(Batch, DatagramsThatFitNeitherInATrainNorAloneSayNothingAboutTrains) {
  m_kernel.mtu = 1472;
  m_kernel.mayFragment = false;
  add(3, 1600);
  add(3, 1200);
  EXPECT_EQ(m_batch.send(), 3u);
  EXPECT_EQ(outcomes()[0], Outcome::TooLarge);
  EXPECT_EQ(outcomes()[2], Outcome::TooLarge);
  EXPECT_FALSE(m_one.takeRefusal());
}

TEST_F(Batch, WhereTrafficClassesAreRefusedDatagramsGoWithoutAndItIsSaidOnce) {
  m_kernel.takesTrafficClass = false;
  for (int i = 0; i < 3; ++i) add(m_one, m_first, 100, 46 << 2);
  EXPECT_EQ(m_batch.send(), 3u);
  EXPECT_FALSE(m_one.marks());
  EXPECT_TRUE(m_one.segments(100)) << "the train was refused for its traffic class";
  const auto refusal = m_one.takeRefusal();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->what, UdpOffload::Refusal::What::TrafficClass);
  EXPECT_FALSE(m_one.takeRefusal());
  m_batch.clear();
  for (int i = 0; i < 3; ++i) add(m_one, m_first, 100, 46 << 2);
  const int before = m_kernel.calls;
  EXPECT_EQ(m_batch.send(), 3u);
  EXPECT_EQ(m_kernel.calls, before + 1);
  EXPECT_EQ(m_kernel.trains.back(), 3u);
}

TEST_F(Batch, InvalidDatagramsRefuseNothingForTheOthers) {
  m_kernel.refusedPorts = {{1002, EINVAL}};
  add(m_one, m_second, 100, 46 << 2);
  add(m_one, m_second, 100, 46 << 2);
  add(m_one, m_first, 100, 46 << 2);
  add(m_one, m_first, 100, 46 << 2);
  EXPECT_EQ(m_batch.send(), 2u);
  EXPECT_EQ(outcomes(),
            (std::vector<Outcome>{Outcome::Failed, Outcome::Failed, Outcome::Sent, Outcome::Sent}));
  EXPECT_TRUE(m_one.marks());
  EXPECT_TRUE(m_one.segments(100));
  EXPECT_EQ(m_kernel.trains, Trains{2});
}

TEST_F(Batch, AddingSendingAndClearingAllocateNothing) {
  g_fakeUdpKernel = nullptr;  // it allocates
  std::vector<OutgoingPacket> packets;
  for (int i = 0; i < 128; ++i)
    packets.push_back(m_packets.make(i < 64 ? m_one : m_other, &m_first, 100, 46 << 2));
  const std::uint64_t before = periodic::allocationsOfThisThread();
  for (int round = 0; round < 100; ++round) {
    errno = EPERM;
    for (const OutgoingPacket& each : packets) (void)m_batch.add(each);
    (void)m_batch.send();
    m_batch.clear();
  }
  EXPECT_EQ(periodic::allocationsOfThisThread(), before);
}

}  // namespace
}  // namespace tactus::net
