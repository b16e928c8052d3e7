// SPDX-License-Identifier: Apache-2.0
// A read port with senders that do not keep their contracts, over real sockets. No test depends on how fast
// anything is.
#include "core/net/port/read_loop.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/net/port/port_fixture.h"
#include "core/net/port/port_thread.h"
#include "core/net/stream/stream_wire.h"
#include "core/net/stream/udp_receiving_end.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSession = 4711;
constexpr std::size_t kLargest = 100;

/// What a handler was given.
struct Given {
  std::uint32_t number = 0;
  bool empty = false;
};

class ReadLoops : public PortTest {
 protected:
  void start(const StreamContract& contract) {
    Descriptor receiving(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    m_sender = Descriptor(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof own;
    ASSERT_EQ(bind(receiving.get(), reinterpret_cast<sockaddr*>(&own), length), 0);
    ASSERT_EQ(getsockname(receiving.get(), reinterpret_cast<sockaddr*>(&own), &length), 0);
    ASSERT_EQ(connect(m_sender.get(), reinterpret_cast<sockaddr*>(&own), length), 0);
    auto end = UdpReceivingEnd::create(std::move(receiving), kSession, contract);
    ASSERT_TRUE(end.ok()) << end.error().message;
    m_end = std::move(end).value();
    m_loop = std::make_unique<ReadLoop>(contract, m_handler, *m_end, m_time.now());
    auto thread = PortThread::create(m_scheduler, taskContractOf(contract, PortType::Read, "reader"), [] {});
    ASSERT_TRUE(thread.ok()) << thread.error().sentence;
    m_thread = std::move(thread).value();
    m_thread->go(*m_loop);
  }
  void TearDown() override {
    if (m_thread) {
      EXPECT_TRUE(m_thread->halt(kPortsPatience));
    }
    m_thread.reset();
    PortTest::TearDown();
  }
  void sendBuffer(std::uint32_t number) {
    StreamHeader header;
    header.session = kSession;
    header.number = number;
    header.length = kLargest;
    header.made = m_time.now().time_since_epoch();
    std::array<std::byte, kStreamHeaderSize + kLargest> datagram{};
    encode(header, std::span(datagram).first<kStreamHeaderSize>());
    ASSERT_EQ(send(m_sender.get(), datagram.data(), datagram.size(), 0),
              static_cast<ssize_t>(datagram.size()));
  }
  [[nodiscard]] bool await(std::size_t calls) {
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, kPortsPatience, [&] { return m_given.size() >= calls; });
  }
  [[nodiscard]] std::vector<Given> given() {
    const std::lock_guard lock(m_mutex);
    return m_given;
  }

  Descriptor m_sender;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<Given> m_given;
  const ReadHandler m_handler = [this](const StreamBuffer& buffer) {
    const std::lock_guard lock(m_mutex);
    m_given.push_back({buffer.number, buffer.bytes.empty()});
    m_changed.notify_all();
  };
  std::unique_ptr<ReceivingEnd> m_end;
  std::unique_ptr<ReadLoop> m_loop;
  std::unique_ptr<PortThread> m_thread;
};

StreamContract contractOf(bool isochronous) {
  StreamContract contract{.transport = TransportKind::Udp, .largestBuffer = kLargest};
  contract.rate = periodic::Rate::perSecond(100);
  contract.isochronous = isochronous;
  return contract;
}

TEST_F(ReadLoops, GiveASenderThatIsTooFastNoMoreThanItsContract) {
  start(contractOf(false));
  const auto begin = m_time.now();
  for (std::uint32_t i = 0; i < 8; ++i) sendBuffer(i);
  ASSERT_TRUE(await(8));
  // W = 1 at 100 a second: the eighth conforms 70 ms after the first.
  EXPECT_GE(m_time.now() - begin, 70ms);
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(given()[i].number, i);
}

TEST_F(ReadLoops, GiveWhatComesAfterAGapAndCountWhatIsLost) {
  start(contractOf(false));
  sendBuffer(0);
  ASSERT_TRUE(await(1));
  sendBuffer(2);
  ASSERT_TRUE(await(2)) << "once it has waited for the jitter";
  EXPECT_EQ(given()[1].number, 2u);
  EXPECT_EQ(m_loop->figures().lost, 1u);
  EXPECT_EQ(m_loop->figures().received, 2u);
}

TEST_F(ReadLoops, CallAnIsochronousHandlerAlsoForWhatIsMissing) {
  start(contractOf(true));
  sendBuffer(0);
  ASSERT_TRUE(await(1));
  const std::uint32_t next = given()[0].number;
  ASSERT_TRUE(await(5));
  const auto calls = given();
  EXPECT_EQ(next, 0u);
  EXPECT_FALSE(calls[0].empty);
  for (std::uint32_t i = 1; i < 5; ++i) {
    EXPECT_EQ(calls[i].number, i);
    EXPECT_TRUE(calls[i].empty);
  }
}

TEST_F(ReadLoops, GoOnAfterAStop) {
  start(contractOf(false));
  for (std::uint32_t i = 0; i < 50; ++i) {
    sendBuffer(i);
    if (i % 5 == 0) {
      ASSERT_TRUE(m_thread->halt(kPortsPatience));
      m_thread->go(*m_loop);
    }
    ASSERT_TRUE(await(i + 1)) << i;
  }
  EXPECT_EQ(m_loop->figures().lost, 0u);
}

}  // namespace
}  // namespace tactus::net
