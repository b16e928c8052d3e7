// SPDX-License-Identifier: Apache-2.0
// The link's thread with real sockets on the loopback device. No test depends on how fast a thread answers.
#include "core/net/link/link_task.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

#include "core/net/link/link_task_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

class Socket {
 public:
  Socket() : m_descriptor(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)!bind(m_descriptor, reinterpret_cast<const sockaddr*>(&any), sizeof any);
    const int room = 4 << 20;
    setsockopt(m_descriptor, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  }
  ~Socket() { ::close(m_descriptor); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] UdpAddress address() const {
    sockaddr_in own{};
    socklen_t length = sizeof own;
    getsockname(m_descriptor, reinterpret_cast<sockaddr*>(&own), &length);
    return UdpAddress::from(reinterpret_cast<const sockaddr*>(&own), length).value();
  }
  [[nodiscard]] int get() const noexcept { return m_descriptor; }
  /// The first four bytes of the next datagram; waits for it.
  [[nodiscard]] std::uint32_t receive() const {
    std::array<std::byte, 2048> bytes{};
    std::uint32_t number = 0;
    if (recv(m_descriptor, bytes.data(), bytes.size(), 0) < 4) return UINT32_MAX;
    std::memcpy(&number, bytes.data(), 4);
    return number;
  }

 private:
  int m_descriptor;
};

/// A request of a payload of its own that tells its outcome.
struct Datagram : LinkRequest {
  Datagram(std::uint32_t number, std::size_t length, UdpOffload& offload, const UdpAddress& to)
      : payload(length) {
    std::memcpy(payload.data(), &number, 4);
    part = {payload.data(), payload.size()};
    bytes = length + 42;  // with the headers of UDP, IPv4 and Ethernet
    datagram = OutgoingPacket{.socket = &offload, .destination = &to, .parts = {&part, 1}};
    done = [](LinkRequest& self, LinkOutcome what) noexcept {
      auto& mine = static_cast<Datagram&>(self);
      mine.outcome = what;
      mine.told.release();
    };
  }
  std::vector<std::byte> payload;
  iovec part{};
  LinkOutcome outcome{};
  std::binary_semaphore told{0};
};

class LinkTasks : public testing::Test {
 protected:
  void start(BitRate rate) {
    auto started = LinkTask::start(m_scheduler.get(), {.name = "link", .rate = rate});
    ASSERT_TRUE(started.ok());
    m_link = std::move(started).value();
  }
  [[nodiscard]] LinkFlow bulk(const std::string& name, periodic::Duration longestWait = 10s) {
    return m_link->open({.name = name, .linkClass = LinkClass::Bulk, .longestWait = longestWait}).value();
  }

  TestScheduler m_scheduler;
  Socket m_sender, m_receiver;
  UdpOffload m_offload = UdpOffload::probe(m_sender.get()).value();
  UdpAddress m_to = m_receiver.address();
  std::unique_ptr<LinkTask> m_link;
};

TEST_F(LinkTasks, SendsWhatIsOfferedInItsOrder) {
  start(BitRate::perSecond(200'000'000));
  LinkFlow flow = bulk("file");
  std::vector<std::unique_ptr<Datagram>> datagrams;
  for (std::uint32_t i = 0; i < 500; ++i) {
    datagrams.push_back(std::make_unique<Datagram>(i, 200 + i, m_offload, m_to));
    ASSERT_EQ(flow.offer(*datagrams.back()), Offered::Waits);
  }
  for (std::uint32_t i = 0; i < 500; ++i) EXPECT_EQ(m_receiver.receive(), i);
  for (auto& each : datagrams) {
    each->told.acquire();
    EXPECT_EQ(each->outcome.what, LinkOutcome::What::Sent);
  }
  EXPECT_EQ(flow.figures().sent, 500u);
}

TEST_F(LinkTasks, ARequestWithoutADatagramIsToldItsTurn) {
  start(BitRate::perSecond(1'000'000));
  LinkFlow flow = bulk("element");
  struct Turn : LinkRequest {
    std::binary_semaphore mine{0};
  } turn;
  turn.bytes = 1000;
  turn.done = [](LinkRequest& self, LinkOutcome outcome) noexcept {
    if (outcome.what == LinkOutcome::What::Sent) static_cast<Turn&>(self).mine.release();
  };
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(flow.offer(turn), Offered::Waits);
    turn.mine.acquire();
  }
  EXPECT_EQ(flow.figures().sentBytes, 5000u);
}

TEST_F(LinkTasks, WhatMayGoAsItComesIsSentByWhoeverOffersIt) {
  start(BitRate::perSecond(400'000'000));
  LinkFlow flow = bulk("voice");
  struct Mine : LinkRequest {
    std::thread::id by = {};
    std::binary_semaphore told{0};
  } request;
  request.bytes = 100;
  request.done = [](LinkRequest& self, LinkOutcome) noexcept {
    auto& mine = static_cast<Mine&>(self);
    mine.by = std::this_thread::get_id();
    mine.told.release();
  };
  int own = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(flow.offer(request), Offered::Waits);
    request.told.acquire();
    if (request.by == std::this_thread::get_id()) ++own;
  }
  EXPECT_GT(own, 0) << "the link's thread may have been there before, but not always";
}

TEST_F(LinkTasks, ManyThreadsOfferAndEachRequestHasOneOutcome) {
  start(BitRate::perSecond(400'000'000));
  constexpr int kThreads = 4;
  std::vector<LinkFlow> flows;
  for (int i = 0; i < kThreads; ++i) flows.push_back(bulk(std::to_string(i)));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Datagram mine(static_cast<std::uint32_t>(i), 300, m_offload, m_to);
      for (int round = 0; round < 500; ++round) {
        ASSERT_EQ(flows[static_cast<std::size_t>(i)].offer(mine), Offered::Waits);
        mine.told.acquire();
        ASSERT_EQ(mine.outcome.what, LinkOutcome::What::Sent);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  std::array<int, kThreads> received{};
  for (int i = 0; i < kThreads * 500; ++i) ++received.at(m_receiver.receive());
  for (const int each : received) EXPECT_EQ(each, 500);
}

TEST_F(LinkTasks, AClosedFlowGivesBackWhatWaitsAndItsShare) {
  start(BitRate::perSecond(1'000'000));
  m_link->setRate(BitRate());  // nothing leaves
  m_link->share()->setRate(BitRate::perSecond(1'000'000));
  const FlowSpec spec{.name = "film",
                      .linkClass = LinkClass::Stream,
                      .contract = ByteContract{BitRate::perSecond(900'000), 10'000},
                      .longestWait = 1h};
  LinkFlow flow = m_link->open(spec).value();
  EXPECT_FALSE(m_link
                   ->open({.name = "another",
                           .linkClass = LinkClass::Stream,
                           .contract = ByteContract{BitRate::perSecond(100'000), 0}})
                   .ok());
  Datagram one(1, 100, m_offload, m_to), two(2, 100, m_offload, m_to);
  ASSERT_EQ(flow.offer(one), Offered::Waits);
  ASSERT_EQ(flow.offer(two), Offered::Waits);
  flow.close();
  EXPECT_EQ(one.outcome.what, LinkOutcome::What::TakenBack);
  EXPECT_EQ(two.outcome.what, LinkOutcome::What::TakenBack);
  EXPECT_EQ(m_link->share()->standing().held, 0);
  EXPECT_TRUE(m_link->open(spec).ok()) << "the name is free again";
}

TEST_F(LinkTasks, ALinkThatIsDownTellsThatPacketsAreLate) {
  start(BitRate());
  LinkFlow flow = bulk("file", 1ms);
  Datagram one(1, 100, m_offload, m_to);
  ASSERT_EQ(flow.offer(one), Offered::Waits);
  one.told.acquire();
  EXPECT_EQ(one.outcome.what, LinkOutcome::What::Late);
  m_link->setRate(BitRate::perSecond(1'000'000'000));
  LinkFlow patient = bulk("patient", 1h);
  ASSERT_EQ(patient.offer(one), Offered::Waits);
  one.told.acquire();
  EXPECT_EQ(one.outcome.what, LinkOutcome::What::Sent);
}

TEST_F(LinkTasks, ADatagramThatCannotBeSentFailsAndOthersGo) {
  start(BitRate::perSecond(1'000'000'000));
  LinkFlow flow = bulk("file", 1h);
  Datagram large(1, 66'000, m_offload, m_to), small(2, 100, m_offload, m_to);
  ASSERT_EQ(flow.offer(large), Offered::Waits);
  ASSERT_EQ(flow.offer(small), Offered::Waits);
  large.told.acquire();
  small.told.acquire();
  EXPECT_EQ(large.outcome.what, LinkOutcome::What::Failed);
  EXPECT_EQ(large.outcome.error, EMSGSIZE);
  EXPECT_EQ(small.outcome.what, LinkOutcome::What::Sent);
  EXPECT_EQ(m_receiver.receive(), 2u);
}

TEST_F(LinkTasks, ARefusalSaysWhoWouldMakeRoom) {
  start(BitRate::perSecond(20'000'000));
  const auto spec = [](const char* name, std::int64_t rate) {
    return FlowSpec{.name = name,
                    .linkClass = LinkClass::Stream,
                    .contract = ByteContract{BitRate::perSecond(rate), 10'000}};
  };
  const LinkFlow film = m_link->open(spec("Film", 15'000'000)).value();
  const auto refused = m_link->open(spec("Camera", 5'000'000));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(
      refused.error().sentence,
      "Camera needs 5 Mbit/s of the link; 4 Mbit/s are left beside the 15 Mbit/s that others were promised. "
      "Closing Film would make room.");
  const auto same = m_link->open(spec("Film", 1'000'000));
  ASSERT_FALSE(same.ok());
  EXPECT_DOUBLE_EQ(m_link->share()->standing().held, 15e6) << "what was held for it is given back";
}

}  // namespace
}  // namespace tactus::net
