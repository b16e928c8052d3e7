// SPDX-License-Identifier: Apache-2.0
// A web server that falls silent, and a name server that does.
#include "plugins/av/http_source.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
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

/// Hears who asks, and says that there is no such name only when it is told to answer.
class NameServer {
 public:
  static constexpr const char* kAddress = "127.83.19.7";  // nobody else's
  NameServer() : m_socket(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(53);
    (void)inet_pton(AF_INET, kAddress, &address.sin_addr);
    m_bound = bind(m_socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~NameServer() { close(m_socket); }
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;

  [[nodiscard]] bool bound() const { return m_bound; }
  /// Until somebody asks; the question stays to be answered.
  void awaitQuestion() {
    pollfd asked{m_socket, POLLIN, 0};
    while (poll(&asked, 1, -1) < 1) continue;
  }
  void answerOne() {
    pollfd asked{m_socket, POLLIN, 0};
    if (poll(&asked, 1, 10) < 1) return;
    std::array<unsigned char, 512> packet{};
    sockaddr_in who{};
    socklen_t size = sizeof who;
    auto* peer = reinterpret_cast<sockaddr*>(&who);
    const ssize_t count = recvfrom(m_socket, packet.data(), packet.size(), 0, peer, &size);
    if (count < 12) return;
    packet[2] |= 0x80;  // an answer
    packet[3] = 0x83;   // recursion is there; no such name
    (void)sendto(m_socket, packet.data(), static_cast<std::size_t>(count), 0, peer, size);
  }

 private:
  const int m_socket;
  bool m_bound = false;
};

/// For the calling thread and those it starts, names are asked of that server, which is waited for two
/// minutes and more. Empty, or why that cannot be.
std::string askOnly(const char* server, const std::filesystem::path& folder) {
  std::ofstream(folder / "resolv.conf")
      << "nameserver " << server << "\noptions timeout:30 attempts:5\nsearch .\n";
  std::ofstream(folder / "nsswitch.conf") << "hosts: dns\n";
  const auto put = [&](const char* name) {
    return mount((folder / name).c_str(), (std::filesystem::path("/etc") / name).c_str(), nullptr, MS_BIND,
                 nullptr) == 0;
  };
  if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      !put("resolv.conf") || !put("nsswitch.conf"))
    return std::strerror(errno);
  return {};
}

/// Threads that still call for a source.
bool anyCalls() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(entry.path() / "comm");
    if (std::string name; std::getline(file, name) && name == "tactus-bytes") return true;
  }
  return false;
}

TEST(HttpSource, AStopDoesNotWaitForANameServer) {
  while (anyCalls()) std::this_thread::yield();  // of the cases before
  NameServer server;
  if (!server.bound()) GTEST_SKIP() << "port 53: " << std::strerror(errno);
  std::string folder = (std::filesystem::temp_directory_path() / "tactus-names-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const auto cancellation = std::make_shared<Cancellation>();  // shared with who waits
  std::promise<std::string> begun;
  auto waits = std::async(std::launch::async, [&] {
    const std::string refusal = askOnly(NameServer::kAddress, folder);
    begun.set_value(refusal);
    if (!refusal.empty()) return refusal;
    const auto opened = openAddress("http://film.test/", 1h, cancellation);
    return opened.ok() ? std::string() : opened.error().message;
  });
  const std::string refusal = begun.get_future().get();
  if (!refusal.empty()) {
    std::filesystem::remove_all(folder);
    GTEST_SKIP() << "a mount namespace: " << refusal;
  }
  server.awaitQuestion();
  cancellation->raise();
  EXPECT_EQ(waits.get(), "Opening 'http://film.test/' was cancelled.");
  EXPECT_TRUE(anyCalls()) << "the stop came back only after the name server had been given up";
  while (anyCalls()) server.answerOne();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tactus::plugins::av
