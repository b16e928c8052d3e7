// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/udp_link_end.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/net/stream/udp_end_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

class UdpLinkEnds : public testing::Test {
 protected:
  std::unique_ptr<UdpSendingEnd> open(const StreamContract& contract, const std::string& name = "film") {
    return UdpSendingEnd::create(loopbackSocket(), m_to, contract, m_link.get(), name).value();
  }
  Descriptor m_socket = loopbackSocket();
  UdpAddress m_to = addressOf(m_socket);
  TestLink m_link{BitRate()};  // nothing leaves, at first
};

TEST_F(UdpLinkEnds, ALinkThatIsDownMakesBuffersLateAndRoomComesBack) {
  StreamContract contract = patientContract(100'000);
  contract.latency = 2ms;
  const auto end = open(contract);
  for (std::uint32_t sent = 0; sent < 20 && !HasFatalFailure();) {
    if (sendBuffer(*end, sent, 100'000)) {
      ++sent;
      continue;
    }
    end->flush();
    waitFor({end->wait()});
  }
  drain(*end);
  EXPECT_EQ(end->figures().late, 20u);
  EXPECT_EQ(end->figures().sent, 0u);
  EXPECT_FALSE(end->broken());
  EXPECT_EQ(end->wait().descriptor, -1);
  EXPECT_EQ(end->wait().until, periodic::TimePoint::max());
}

TEST_F(UdpLinkEnds, ABufferThatWasMadeLongAgoIsLateAtOnce) {
  const auto end = open(patientContract(100));  // an hour; the flow would wait as long from now on
  ASSERT_FALSE(end->room().empty());
  const auto longAgo = periodic::MonotonicClock::now().time_since_epoch() - 2h;
  end->send({.number = 0, .session = kTestSession, .length = 100, .offset = 0, .made = longAgo});
  drain(*end);
  EXPECT_EQ(end->figures().late, 1u);
}

TEST_F(UdpLinkEnds, WhatTheQueueDoesNotTakeWaitsForFlushInOrder) {
  const StreamContract contract = patientContract(50'000);
  const auto end = open(contract);
  const auto to = receivingEnd(std::move(m_socket), contract);
  ASSERT_TRUE(sendBuffer(*end, 0, 50'000));
  ASSERT_TRUE(sendBuffer(*end, 1, 50'000));
  EXPECT_FALSE(sendBuffer(*end, 2, 50'000));
  end->flush();
  EXPECT_FALSE(end->isEmpty());
  const EndWait wait = end->wait();
  EXPECT_EQ(wait.events, POLLIN);
  pollfd readable{wait.descriptor, POLLIN, 0};
  EXPECT_EQ(poll(&readable, 1, 0), 0) << "nothing has left";
  EXPECT_EQ(m_link->rows().at(0).waiting, 2u) << "a queue that passes nothing takes two packets";
  m_link->setRate(BitRate::perSecond(1'000'000'000));
  Received received;
  while (received.numbers.size() < 2 && !HasFatalFailure()) {
    end->flush();
    receiveBuffers(*to, received);
    if (received.numbers.size() < 2) waitFor({end->wait(), to->wait()});
  }
  drain(*end);
  EXPECT_EQ(received.numbers, numbersUpTo(2));
  EXPECT_EQ(end->figures().sent, 2u);
}

TEST_F(UdpLinkEnds, AnEndThatGoesTakesItsDatagramsBack) {
  auto end = open(patientContract(100'000));
  for (std::uint32_t i = 0; i < 2; ++i) ASSERT_TRUE(sendBuffer(*end, i, 100'000));
  (void)end->wait();
  end.reset();
  EXPECT_TRUE(m_link->rows().empty());
  EXPECT_TRUE(open(patientContract(100))->isEmpty()) << "the name is free again";
}

TEST_F(UdpLinkEnds, AnEndGoesWhileTheLinkSends) {
  m_link->setRate(BitRate::perSecond(100'000'000));
  for (int round = 0; round < 30; ++round) {
    const auto end = open(patientContract(30'000, 3));
    for (std::uint32_t i = 0; i < 4; ++i) ASSERT_TRUE(sendBuffer(*end, i, 30'000));
    end->flush();
    (void)end->wait();
  }
  EXPECT_TRUE(m_link->rows().empty());
}

TEST_F(UdpLinkEnds, AContractThatTheLinkCannotHoldIsRefused) {
  m_link->setRate(BitRate::perSecond(1'000'000));
  StreamContract contract = patientContract(10'000);
  contract.rate = periodic::Rate::perSecond(25);
  contract.jitter = 0ns;
  const auto made = UdpSendingEnd::create(loopbackSocket(), m_to, contract, m_link.get(), "Film");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().resource, "link");
  EXPECT_EQ(made.error().sentence.rfind("Film needs 2.15 Mbit/s of the link", 0), 0u)
      << made.error().sentence;
  EXPECT_EQ(m_link->share()->standing().held, 0);
}

TEST_F(UdpLinkEnds, AStreamHoldsItsContractAndCountsItsBytesOnTheLink) {
  m_link->setRate(BitRate::perSecond(1'000'000'000));
  StreamContract contract = patientContract(3000);
  contract.rate = periodic::Rate::perSecond(100);
  contract.jitter = 0ns;
  const auto end = open(contract);
  const FlowRow row = m_link->rows().at(0);
  EXPECT_EQ(row.spec.name, "film");
  EXPECT_EQ(row.spec.linkClass, LinkClass::Stream);
  EXPECT_EQ(row.spec.contract->rate.bits(), 100 * 8 * (3000 + 3 * 94));
  ASSERT_TRUE(sendBuffer(*end, 0, 3000));
  drain(*end);
  EXPECT_EQ(m_link->rows().at(0).figures.sentBytes, 3000u + 3 * 94);
}

TEST_F(UdpLinkEnds, StreamsOfSeveralThreadsShareTheLink) {
  m_link->setRate(BitRate::perSecond(400'000'000));
  constexpr int kStreams = 3;
  std::vector<std::thread> threads;
  for (int i = 0; i < kStreams; ++i) {
    threads.emplace_back([&, i] {
      const auto end = open(patientContract(20'000, 2), std::to_string(i));
      constexpr std::uint32_t kCount = 100;
      for (std::uint32_t sent = 0; sent < kCount && !HasFatalFailure();) {
        if (sendBuffer(*end, sent, 1 + sent * 199)) {
          ++sent;
          continue;
        }
        end->flush();
        waitFor({end->wait()});
      }
      drain(*end);
      EXPECT_EQ(end->figures().sent, kCount);
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_TRUE(m_link->rows().empty());
}

}  // namespace
}  // namespace tactus::net
