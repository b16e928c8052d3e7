// SPDX-License-Identifier: Apache-2.0
// Read ports that take over the contract of the writer that asks.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "core/net/port/port_fixture.h"
#include "core/periodic/task/memory_share.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Rate;

constexpr std::size_t kLargest = 3000;

StreamContract most(TransportKind transport) {
  return {.transport = transport, .largestBuffer = kLargest, .workahead = StreamContract::kLargestWorkahead};
}

/// What a writer sends.
StreamContract wanted(TransportKind transport, std::optional<Rate> rate) {
  StreamContract contract{.transport = transport, .largestBuffer = kLargest, .rate = rate, .workahead = 3};
  contract.reliable = transport != TransportKind::Udp;
  return contract;
}

class PortTakesOver : public PortTest, public ::testing::WithParamInterface<PortWay> {
 protected:
  /// A whole stream of this contract comes to the reader, which had none before and has none afterwards.
  void stream(Port& reader, const StreamContract& contract, std::uint32_t buffers) {
    const double before = m_scheduler.memory()->standing().held;
    auto writer = port(*m_there, "film", PortType::Write, contract);
    ASSERT_TRUE(writer);
    expectOk(writer->attach(WriteHandler(CountingWriter(buffers))));
    expectOk(writer->connect(addressOf(*m_here, "screen", GetParam().overUnix), reader.token()));
    expectOk(reader.await(StreamState::Connected, kPortsPatience));
    EXPECT_EQ(reader.query().contract, contract);
    EXPECT_GT(m_scheduler.memory()->standing().held, before);
    expectOk(reader.start());
    expectOk(writer->start());
    expectOk(reader.await(StreamState::Attached, kPortsPatience));
    expectOk(writer->await(StreamState::Attached, kPortsPatience));
    EXPECT_EQ(reader.query().error, "");
    writer.reset();
    EXPECT_EQ(m_scheduler.memory()->standing().held, before);
  }
};

TEST_P(PortTakesOver, StreamsOfSeveralContractsOneAfterAnother) {
  const TransportKind transport = GetParam().transport;
  auto made = m_here->createReader("screen", most(transport));
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto reader = std::move(made).value();
  EXPECT_EQ(m_scheduler.memory()->standing().held, 0);
  CountingReader counted(kLargest);
  expectOk(reader->attach(ReadHandler([&](const StreamBuffer& buffer) { counted(buffer); })));
  stream(*reader, wanted(transport, Rate::perSecond(500)), 40);
  stream(*reader, wanted(transport, std::nullopt), 50);
  stream(*reader, wanted(transport, Rate::perSecond(1000)), 60);
  if (transport != TransportKind::Udp) {
    EXPECT_EQ(counted.seen(), 150u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PortTakesOver,
                         ::testing::Values(PortWay{"Local", true, TransportKind::Local},
                                           PortWay{"TcpOverUnix", true, TransportKind::Tcp},
                                           PortWay{"Tcp", false, TransportKind::Tcp},
                                           PortWay{"Udp", false, TransportKind::Udp}),
                         [](const auto& way) { return std::string(way.param.name); });

class PortsThatTakeOver : public PortTest {
 protected:
  void SetUp() override {
    PortTest::SetUp();
    StreamContract contract = most(TransportKind::Tcp);
    contract.rate = Rate::perSecond(2000);
    contract.processing = 500us;  // the whole period of the fastest
    auto made = m_here->createReader("screen", contract);
    ASSERT_TRUE(made.ok()) << made.error().message;
    m_reader = std::move(made).value();
    expectOk(m_reader->attach(ReadHandler([](const StreamBuffer&) {})));
  }
  void TearDown() override {
    m_reader.reset();
    PortTest::TearDown();
  }
  /// What a writer of this contract is told.
  [[nodiscard]] Result<void> ask(const StreamContract& contract) {
    auto writer = port(*m_there, "film", PortType::Write, contract);
    if (!writer) return Error{ErrorCode::System, "no writer"};
    expectOk(writer->attach(WriteHandler(CountingWriter(1))));
    return writer->connect(*m_here->networkAddress("screen"), m_reader->token());
  }
  void expectRefusal(const StreamContract& contract, ErrorCode code, const std::string& part) {
    const auto refused = ask(contract);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, code);
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
    EXPECT_EQ(m_reader->query().state, StreamState::Attached);
    EXPECT_EQ(m_scheduler.memory()->standing().held, 0);
  }

  std::unique_ptr<Port> m_reader;
};

TEST_F(PortsThatTakeOver, RefuseWhatIsMoreThanTheyTake) {
  StreamContract contract = wanted(TransportKind::Tcp, Rate::perSecond(50));
  contract.largestBuffer = kLargest + 1;
  expectRefusal(contract, ErrorCode::Refused,
                "This port takes a largest buffer of at most 3000 bytes, the other's is 3001.");
  expectRefusal(wanted(TransportKind::Tcp, Rate::perSecond(2001)), ErrorCode::Refused,
                "This port takes a rate of at most 2000 buffers/s, the other's is 2001.");
  expectOk(ask(wanted(TransportKind::Tcp, Rate::perSecond(50))));
}

TEST_F(PortsThatTakeOver, HoldNothingAfterARefusalOfTheProcessor) {
  expectRefusal(wanted(TransportKind::Tcp, Rate::perSecond(2000)), ErrorCode::Unavailable, "processor");
  expectOk(ask(wanted(TransportKind::Tcp, Rate::perSecond(50))));
}

TEST_F(PortsThatTakeOver, DoNotAsk) {
  auto writer = port(*m_there, "film", PortType::Write, most(TransportKind::Tcp));
  const auto refused = m_reader->connect(*m_there->networkAddress("film"), writer->token());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "The port screen takes over the contract of a writer, which asks.");
}

}  // namespace
}  // namespace tactus::net
