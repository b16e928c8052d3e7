// SPDX-License-Identifier: Apache-2.0
// What a peer said before it closed its connection, where nobody listens until something is said to it.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "core/net/port/port_core.h"
#include "core/net/port/port_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

constexpr StreamContract kContract{.transport = TransportKind::Udp, .largestBuffer = 500};

/// A write port without a host: its thread is the test, which asks it to speak or to listen.
class PortFarewell : public PortTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(PortTest::SetUp());
    auto made = Port::Implementation::create(
        {.scheduler = m_scheduler, .wake = [] {}},
        {.name = "mic", .type = PortType::Write, .contract = kContract, .token = "secret"});
    ASSERT_TRUE(made.ok()) << made.error().message;
    m_port = std::move(made).value();
    expectOk(m_port->attach(WriteHandler(CountingWriter(UINT32_MAX))));
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ControlConnection ours{Descriptor(ends[0])};
    m_peer.emplace(Descriptor(ends[1]));
    ConnectMessage asked;
    asked.name = "mic";
    asked.token = "secret";
    asked.type = PortType::Read;
    asked.contract = kContract;
    asked.session = 7;
    asked.port = 9;
    ControlArrival arrival{asked};
    Descriptor data;
    RefusedMessage why;
    ASSERT_EQ(m_port->answer(arrival, ours, data, why), Port::Implementation::Answer::Taken) << why.sentence;
  }
  void TearDown() override {
    if (m_port) m_port->end();
    m_port.reset();
    PortTest::TearDown();
  }
  /// The peer has said nothing more, and is gone.
  void close() { m_peer.reset(); }
  void expectItLeft(const std::string& sentence) {
    EXPECT_TRUE(m_port->settle(m_time.now()));
    EXPECT_EQ(m_port->query().state, StreamState::Attached);
    EXPECT_EQ(m_port->query().error, sentence);
  }

  std::shared_ptr<Port::Implementation> m_port;  // as its host shares it
  std::optional<ControlConnection> m_peer;
};

TEST_F(PortFarewell, IsHeardByWhoFindsTheConnectionClosedWhileItSpeaks) {
  expectOk(m_peer->send(ByeMessage{"The concert is over."}));
  close();
  m_port->tell(m_time.now());  // nobody listens any more; hear() was not called
  expectItLeft("The concert is over.");
}

TEST_F(PortFarewell, IsHeardByWhoListens) {
  expectOk(m_peer->send(ByeMessage{"The concert is over."}));
  close();
  m_port->hear(m_time.now());
  expectItLeft("The concert is over.");
}

TEST_F(PortFarewell, OfAPeerThatSaidNothingIsThatItIsGone) {
  close();
  m_port->tell(m_time.now());
  EXPECT_TRUE(m_port->settle(m_time.now()));
  EXPECT_EQ(m_port->query().state, StreamState::Attached);
  EXPECT_NE(m_port->query().error, "");
}

}  // namespace
}  // namespace tactus::net
