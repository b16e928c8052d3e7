// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/net/port/port_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLargest = 3000;

StreamContract contractFor(TransportKind transport) {
  StreamContract contract;
  contract.transport = transport;
  contract.largestBuffer = kLargest;
  contract.workahead = 4;
  contract.reliable = transport != TransportKind::Udp;
  if (transport == TransportKind::Udp) contract.rate = periodic::Rate::perSecond(2000);
  return contract;
}

class PortWays : public PortTest, public ::testing::WithParamInterface<PortWay> {
 protected:
  /// A whole stream; `readerAsks`: which of the two connects.
  void stream(bool readerAsks) {
    const PortWay& way = GetParam();
    const StreamContract contract = contractFor(way.transport);
    const std::uint32_t buffers = way.transport == TransportKind::Udp ? 200 : 3000;
    auto reader = port(*m_here, "speaker", PortType::Read, contract);
    auto writer = port(*m_there, "mic", PortType::Write, contract);
    ASSERT_TRUE(reader && writer);
    CountingReader counted(kLargest);
    expectOk(reader->attach(ReadHandler([&](const StreamBuffer& buffer) { counted(buffer); })));
    expectOk(writer->attach(WriteHandler(CountingWriter(buffers))));
    if (readerAsks)
      expectOk(reader->connect(addressOf(*m_there, "mic", way.overUnix), writer->token()));
    else
      expectOk(writer->connect(addressOf(*m_here, "speaker", way.overUnix), reader->token()));
    expectOk((readerAsks ? *writer : *reader).await(StreamState::Connected, kPortsPatience));
    expectOk(reader->start());
    expectOk(writer->start());
    // UDP may lose something, even here.
    expectOk(reader->await(StreamState::Attached, kPortsPatience));
    expectOk(writer->await(StreamState::Attached, kPortsPatience));
    EXPECT_EQ(reader->query().error, "");
    EXPECT_EQ(writer->query().error, "");
    if (contract.reliable) {
      EXPECT_EQ(counted.seen(), buffers);
      EXPECT_EQ(counted.bad(), 0u);
    } else {
      EXPECT_GT(counted.seen(), 0u);
    }
  }
};

TEST_P(PortWays, CarryAWholeStreamThatTheWriterAskedFor) {
  stream(false);
}

TEST_P(PortWays, CarryAWholeStreamThatTheReaderAskedFor) {
  stream(true);
}

INSTANTIATE_TEST_SUITE_P(All, PortWays,
                         ::testing::Values(PortWay{"LocalOverUnix", true, TransportKind::Local},
                                           PortWay{"TcpOverUnix", true, TransportKind::Tcp},
                                           PortWay{"TcpOverTcp", false, TransportKind::Tcp},
                                           PortWay{"UdpOverUnix", true, TransportKind::Udp},
                                           PortWay{"UdpOverTcp", false, TransportKind::Udp}),
                         [](const auto& way) { return std::string(way.param.name); });

class Ports : public PortPairTest {
 protected:
  Ports() : PortPairTest(contractFor(TransportKind::Tcp)) {}
  static void expectError(const Result<void>& result, ErrorCode code, const std::string& sentence) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, code);
    EXPECT_EQ(result.error().message, sentence);
  }
};

TEST_F(Ports, PauseAndGoOnWithoutALostBuffer) {
  attach();
  connectAndStart();
  ASSERT_TRUE(m_counted.await(100));
  expectOk(m_writer->pause());
  EXPECT_EQ(m_writer->query().state, StreamState::Paused);
  expectOk(m_writer->resume());
  ASSERT_TRUE(m_counted.await(m_counted.seen() + 100));
  expectOk(m_reader->stop());
  EXPECT_EQ(m_reader->query().state, StreamState::Connected);
  expectOk(m_reader->start());
  ASSERT_TRUE(m_counted.await(m_counted.seen() + 100));
  expectOk(m_writer->stop());
  expectOk(m_writer->disconnect());
  expectOk(m_reader->await(StreamState::Attached, kPortsPatience));
  EXPECT_EQ(m_reader->query().error, "The other host has let go of the stream.");
  EXPECT_EQ(m_counted.bad(), 0u);
  // Handlers stay: the same ports make another stream.
  connectAndStart();
  ASSERT_TRUE(m_counted.await(m_counted.seen() + 100));
}

TEST_F(Ports, DoOnlyWhatTheirStateAllows) {
  expectError(m_writer->start(), ErrorCode::InvalidArgument,
              "The port mic cannot be started: it is ready, not connected.");
  expectError(connect(), ErrorCode::InvalidArgument,
              "The port mic cannot be connected: it is ready, not attached.");
  attach();
  expectError(m_writer->attach(ReadHandler([](const StreamBuffer&) {})), ErrorCode::InvalidArgument,
              "The port mic writes, and has no read handler.");
  expectError(m_writer->pause(), ErrorCode::InvalidArgument,
              "The port mic cannot be paused: it is attached, not live.");
  expectError(m_writer->disconnect(), ErrorCode::InvalidArgument,
              "The port mic cannot be disconnected: it is attached, not connected or live or paused.");
  expectOk(connect());
  expectError(connect(), ErrorCode::InvalidArgument,
              "The port mic cannot be connected: it is connected, not attached.");
}

TEST_F(Ports, LetInWhoHasTheTokenAndTheSameContract) {
  attach();
  const StreamAddress speaker = *m_here->networkAddress("speaker");
  EXPECT_EQ(m_reader->token().size(), 32u);
  expectError(m_writer->connect(speaker, "secret"), ErrorCode::PermissionDenied,
              "The token is not that of the port speaker.");
  expectError(m_writer->connect({speaker.at, "nobody"}, ""), ErrorCode::NotFound,
              "There is no port of the name nobody.");
  expectError(m_writer->connect(*m_there->networkAddress("mic"), m_writer->token()), ErrorCode::Refused,
              "Both ports are of the type write.");
  auto other = port(*m_there, "other", PortType::Write, contractFor(TransportKind::Local));
  expectOk(other->attach(WriteHandler(CountingWriter(1))));
  expectError(other->connect(*m_here->localAddress("speaker"), m_reader->token()), ErrorCode::Refused,
              "This port's transport is tcp, the other's is local.");
  EXPECT_EQ(m_reader->query().state, StreamState::Attached);
  expectOk(connect());
  auto third = port(*m_there, "third", PortType::Write, m_contract);
  expectOk(third->attach(WriteHandler(CountingWriter(1))));
  expectError(third->connect(speaker, m_reader->token()), ErrorCode::Unavailable,
              "The port speaker is connected.");
}

TEST_F(Ports, KnowAllOfAStreamThatHasEnded) {
  attach(50);
  connectAndStart();
  expectOk(m_reader->await(StreamState::Attached, kPortsPatience));
  expectOk(m_writer->await(StreamState::Attached, kPortsPatience));
  EXPECT_EQ(m_reader->query().buffers, 50u);
  EXPECT_EQ(m_reader->query().figures.received, 50u);
  EXPECT_EQ(m_writer->query().buffers, 50u);
  EXPECT_EQ(m_writer->query().figures.received, 50u) << "the reader's last report";
  EXPECT_EQ(m_writer->query().bytes, m_reader->query().bytes);
  expectOk(connect());
  EXPECT_EQ(m_writer->query().buffers, 0u);
}

TEST_F(Ports, HaveNamesOfTheirOwn) {
  const auto again = m_here->create("speaker", PortType::Read, m_contract);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().message, "There is a port of the name speaker already.");
  EXPECT_EQ(m_here->create("a b", PortType::Read, m_contract).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(m_here->create("x", PortType::Read, {}).error().code, ErrorCode::InvalidArgument);
  m_reader.reset();
  EXPECT_TRUE(port(*m_here, "speaker", PortType::Read, m_contract));
}

TEST_F(Ports, TellBothWhatAHandlerThrew) {
  expectOk(m_reader->attach(ReadHandler([](const StreamBuffer&) { throw std::runtime_error("no sound"); })));
  expectOk(m_writer->attach(WriteHandler(CountingWriter(UINT32_MAX))));
  connectAndStart();
  expectOk(m_reader->await(StreamState::Attached, kPortsPatience));
  expectOk(m_writer->await(StreamState::Attached, kPortsPatience));
  EXPECT_EQ(m_reader->query().error, "The handler threw: no sound.");
  EXPECT_EQ(m_writer->query().error, "The handler threw: no sound.");
}

TEST_F(Ports, ThatAreDeletedWhileTheyAreLiveLeaveTheOtherAttached) {
  attach();
  connectAndStart();
  ASSERT_TRUE(m_counted.await(10));
  m_writer.reset();
  expectOk(m_reader->await(StreamState::Attached, kPortsPatience));
  EXPECT_EQ(m_reader->query().error, "The other host has closed its port.");
}

TEST_F(Ports, ThatAreDeletedAsTheirStreamEndsTakeTheirLoopsAlong) {
  for (std::uint32_t i = 1; i <= 30; ++i) {
    attach(10);
    connectAndStart();
    ASSERT_TRUE(m_counted.await(10 * i));
    m_reader.reset();
    m_writer.reset();
    makePorts();
    ASSERT_TRUE(m_reader && m_writer);
  }
}

TEST_F(Ports, SayThatAHandlerHangs) {
  std::atomic<bool> hangs{true};
  std::atomic<bool> called{false};
  expectOk(m_reader->attach(ReadHandler([&](const StreamBuffer&) {
    called = true;
    hangs.wait(true);
  })));
  expectOk(m_writer->attach(WriteHandler(CountingWriter(UINT32_MAX))));
  connectAndStart();
  while (!called) std::this_thread::yield();
  expectError(m_reader->stop(), ErrorCode::Timeout,
              "The handler of the port speaker has not returned for 5 s.");
  EXPECT_EQ(m_reader->query().state, StreamState::Live);
  // The host does not hang with it.
  EXPECT_EQ(m_writer->connect(*m_here->networkAddress("nobody"), "").error().code,
            ErrorCode::InvalidArgument);
  hangs = false;
  hangs.notify_all();
  expectOk(m_reader->stop());
}

}  // namespace
}  // namespace tactus::net
