// SPDX-License-Identifier: Apache-2.0
// What a host does about those who are no peers: strangers, liars, and names and places that are taken.
#include "core/net/port/port_host.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/net/port/control_socket.h"
#include "core/net/port/port_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

constexpr StreamContract kContract{.transport = TransportKind::Tcp, .largestBuffer = 500, .reliable = true};

class PortHosts : public PortPairTest {
 protected:
  PortHosts() : PortPairTest(kContract) {}
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(PortPairTest::SetUp());
    attach(300);
  }
  [[nodiscard]] Descriptor stranger() {
    auto socket = dial(*m_here->networkAddress("speaker"), m_time.now() + 10s);
    EXPECT_TRUE(socket.ok()) << (socket.ok() ? "" : socket.error().message);
    return socket.ok() ? std::move(socket).value() : Descriptor();
  }
  /// All that the host says to somebody who says `text`, until it closes.
  [[nodiscard]] std::string answerTo(std::string_view text) {
    const Descriptor socket = stranger();
    EXPECT_EQ(send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    std::string answer;
    std::array<char, 2048> some{};
    while (waitToRead(socket.get(), m_time.now() + kPortsPatience)) {
      const ssize_t came = recv(socket.get(), some.data(), some.size(), 0);
      if (came <= 0) return answer;
      answer.append(some.data(), static_cast<std::size_t>(came));
    }
    ADD_FAILURE() << "The host does not close.";
    return answer;
  }
  /// The ports still make a whole stream.
  void expectAStream() {
    connectAndStart();
    expectOk(m_reader->await(StreamState::Attached, kPortsPatience));
    EXPECT_EQ(m_counted.seen(), 300u);
    EXPECT_EQ(m_counted.bad(), 0u);
  }
};

TEST_F(PortHosts, ServeAStreamBesideAThousandWhoSayNothing) {
  std::vector<Descriptor> silent;
  for (int i = 0; i < 900; ++i) silent.push_back(stranger());
  expectAStream();
}

TEST_F(PortHosts, ServeAStreamBesideThoseWhoSayHalfALine) {
  std::vector<Descriptor> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(stranger());
    ASSERT_EQ(send(slow.back().get(), "connect vers", 12, MSG_NOSIGNAL), 12);
  }
  expectAStream();
}

TEST_F(PortHosts, RefuseWhatIsNoBeginning) {
  EXPECT_TRUE(answerTo("GET / HTTP/1.1\r\n").starts_with("refused code=invalid"));
  EXPECT_TRUE(answerTo("bye sentence=x\n").starts_with("refused code=invalid"));
  EXPECT_TRUE(answerTo("connect version=2\n").starts_with("refused code=unsupported"));
  EXPECT_TRUE(answerTo(std::string(5000, 'a')).starts_with("refused code=invalid"));
  expectAStream();
}

TEST_F(PortHosts, SayWhatIsWrongWithAPlace) {
  const auto startAt = [&](PortHost::Options options) {
    auto started = PortHost::start(m_scheduler, std::move(options));
    EXPECT_FALSE(started.ok());
    return started.ok() ? Error{} : started.error();
  };
  const auto network = m_here->networkAddress("x");
  const Error taken = startAt({.network = std::get<StreamAddress::Tcp>(network->at)});
  EXPECT_EQ(taken.code, ErrorCode::Unavailable);
  EXPECT_NE(taken.message.find("Address already in use"), std::string::npos) << taken.message;
  EXPECT_EQ(startAt({.local = StreamAddress::Unix{m_folder + "/here"}}).code, ErrorCode::Unavailable);
  EXPECT_EQ(startAt({.local = StreamAddress::Unix{m_folder + "/none/x"}}).code, ErrorCode::NotFound);
  EXPECT_EQ(startAt({.network = StreamAddress::Tcp{"no.such.host.invalid", 1}}).code, ErrorCode::NotFound);
  // The one whose place it is still has it.
  EXPECT_TRUE(dial(*m_here->localAddress("speaker"), m_time.now() + 10s).ok());
}

TEST_F(PortHosts, TakeThePlaceOfOneThatDied) {
  const std::string path = m_folder + "/dead";
  { const auto dead = listenAt(StreamAddress::Unix{path}); }
  auto host = this->host("dead");
  ASSERT_TRUE(host);
  EXPECT_TRUE(dial(*host->localAddress("x"), m_time.now() + 10s).ok());
  struct stat there {};
  ASSERT_EQ(stat(path.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777, 0600u) << "for this user alone";
}

TEST_F(PortHosts, RefuseWhatTheLinkHasNoRoomFor) {
  auto link = LinkTask::start(m_scheduler, {.name = "link", .rate = BitRate::perSecond(1'000'000)});
  ASSERT_TRUE(link.ok());
  auto sending = host("sending", link.value().get());
  StreamContract contract{.transport = TransportKind::Udp, .largestBuffer = 1000};
  contract.rate = periodic::Rate::perSecond(1000);
  auto reader = port(*m_here, "film", PortType::Read, contract);
  auto writer = port(*sending, "film", PortType::Write, contract);
  expectOk(reader->attach(ReadHandler([](const StreamBuffer&) {})));
  expectOk(writer->attach(WriteHandler(CountingWriter(1))));
  for (const bool readerAsks : {false, true}) {
    const auto refused = readerAsks ? reader->connect(*sending->networkAddress("film"), writer->token())
                                    : writer->connect(*m_here->networkAddress("film"), reader->token());
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("950 kbit/s are left"), std::string::npos)
        << refused.error().message;
    expectOk(reader->await(StreamState::Attached, kPortsPatience));
    expectOk(writer->await(StreamState::Attached, kPortsPatience));
  }
  writer.reset();
  sending.reset();
}

}  // namespace
}  // namespace tactus::net
