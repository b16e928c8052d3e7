// SPDX-License-Identifier: Apache-2.0
// A web server that falls silent.
#include "plugins/av/http_source.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "plugins/av/av_handle.h"

namespace tactus::plugins::av {
namespace {

using namespace std::chrono_literals;

constexpr int kWhole = 100'000;  // bytes of what it serves

/// Sends so many bytes of the body to each who asks, and then nothing.
class SilentServer {
 public:
  explicit SilentServer(int sent) : m_sent(sent), m_socket(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* general = reinterpret_cast<sockaddr*>(&address);
    if (bind(m_socket, general, size) != 0 || listen(m_socket, 8) != 0) return;
    if (getsockname(m_socket, general, &size) == 0) m_port = ntohs(address.sin_port);
    m_thread = std::thread([this] { run(); });
  }
  ~SilentServer() {
    (void)shutdown(m_socket, SHUT_RDWR);
    if (m_thread.joinable()) m_thread.join();
    for (const int peer : m_peers) close(peer);
    close(m_socket);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  [[nodiscard]] std::string address() const { return "http://127.0.0.1:" + std::to_string(m_port) + "/film"; }
  [[nodiscard]] int connections() const { return m_connections.load(); }
  /// Until somebody asks.
  void awaitRequest() { m_asked.get_future().wait(); }

 private:
  void run() {
    for (;;) {
      const int peer = accept(m_socket, nullptr, nullptr);
      if (peer < 0) return;
      m_peers.push_back(peer);
      std::array<char, 4096> request{};
      (void)recv(peer, request.data(), request.size(), 0);
      if (m_connections.fetch_add(1) == 0) m_asked.set_value();
      if (m_sent < 0) continue;
      const std::string head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-" +
                               std::to_string(kWhole - 1) + "/" + std::to_string(kWhole) +
                               "\r\nContent-Length: " + std::to_string(kWhole) + "\r\n\r\n";
      const std::string body(static_cast<std::size_t>(m_sent), 'x');
      (void)send(peer, (head + body).data(), head.size() + body.size(), MSG_NOSIGNAL);
    }
  }

  const int m_sent;  // -1: not even a head
  const int m_socket;
  int m_port = 0;
  std::atomic<int> m_connections{0};
  std::promise<void> m_asked;
  std::vector<int> m_peers;  // the thread's, until it has ended
  std::thread m_thread;      // last: it uses all of these
};

TEST(HttpSource, AServerThatFallsSilentIsNotWaitedForTwice) {
  SilentServer server(1000);
  auto opened = openAddress(server.address(), 300ms, std::make_shared<Cancellation>());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  ByteSource& source = *opened.value();
  std::array<std::uint8_t, 4096> bytes{};
  int got = 0;
  int count = 0;
  while ((count = source.read(bytes)) > 0) got += count;
  EXPECT_EQ(got, 1000) << "what it sent is there";
  EXPECT_EQ(count, AVERROR(ETIMEDOUT));
  const int connections = server.connections();
  EXPECT_EQ(source.read(bytes), AVERROR(ETIMEDOUT));
  EXPECT_FALSE(source.seek(0));
  EXPECT_EQ(server.connections(), connections);
  source.renew();
  EXPECT_TRUE(source.seek(0));
  EXPECT_GT(source.read(bytes), 0);
}

TEST(HttpSource, AServerThatNeverAnswersIsRefusedInASentence) {
  SilentServer server(-1);
  const auto opened = openAddress(server.address(), 300ms, std::make_shared<Cancellation>());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::Timeout);
  EXPECT_NE(opened.error().message.find("did not answer in time"), std::string::npos);
}

TEST(HttpSource, WhoWaitsForAServerIsCancelled) {
  SilentServer server(-1);
  const auto cancellation = std::make_shared<Cancellation>();  // shared with who waits
  auto waits =
      std::async(std::launch::async, [&] { return openAddress(server.address(), 1h, cancellation).ok(); });
  server.awaitRequest();
  cancellation->raise();
  EXPECT_FALSE(waits.get());
}

}  // namespace
}  // namespace tactus::plugins::av
