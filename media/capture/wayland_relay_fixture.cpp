// SPDX-License-Identifier: Apache-2.0
#include "media/capture/wayland_relay_fixture.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::media::testing {
namespace {

constexpr std::size_t kMost = 65'536;  // bytes at a time
constexpr std::size_t kMostDescriptors = 28;
constexpr std::size_t kHead = 8;  // object, length and opcode
// Of wlr-screencopy-unstable-v1.
constexpr std::string_view kManager = "zwlr_screencopy_manager_v1";
constexpr std::uint32_t kCaptureOutput = 0, kCaptureRegion = 1;
constexpr std::uint32_t kBuffer = 0, kLinuxDmabuf = 5, kBufferDone = 6;

net::Descriptor socketAt(const std::string& path, bool listens) {
  net::Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  if (listens ? bind(made.get(), where, sizeof address) != 0 || listen(made.get(), 1) != 0
              : connect(made.get(), where, sizeof address) != 0)
    return {};
  return made;
}

std::uint32_t wordOf(std::string_view message, std::size_t index) {
  std::uint32_t word = 0;
  if (message.size() >= 4 * (index + 1)) std::memcpy(&word, message.data() + 4 * index, sizeof word);
  return word;
}

/// What a client asks to copy, and what it is told of it.
class ScreenCopies {
 public:
  void request(std::string_view message) {
    const std::uint32_t opcode = wordOf(message, 1) & 0xffff;
    if (message.find(kManager) != std::string_view::npos) {
      m_manager = wordOf(message, message.size() / 4 - 1);  // bound to this object
    } else if (m_manager != 0 && wordOf(message, 0) == m_manager && opcode <= kCaptureRegion) {
      static_assert(kCaptureOutput < kCaptureRegion);
      m_frames.insert(wordOf(message, 2));
    }
  }
  /// What is told before the event.
  std::string before(std::string_view message) {
    const std::uint32_t opcode = wordOf(message, 1) & 0xffff;
    if (!m_frames.contains(wordOf(message, 0))) return {};
    if (opcode == kBuffer) m_offer = {wordOf(message, 2), wordOf(message, 3), wordOf(message, 4)};
    if (opcode != kBufferDone) return {};
    const std::array<std::uint32_t, 5> event{wordOf(message, 0), 20U << 16 | kLinuxDmabuf, drmFormat(),
                                             m_offer[1], m_offer[2]};
    return {reinterpret_cast<const char*>(event.data()), sizeof event};
  }

 private:
  /// wl_shm has numbers of its own for two formats.
  [[nodiscard]] std::uint32_t drmFormat() const {
    constexpr std::uint32_t kArgb = 0x34325241, kXrgb = 0x34325258;
    return m_offer[0] == 0 ? kArgb : m_offer[0] == 1 ? kXrgb : m_offer[0];
  }
  std::uint32_t m_manager = 0;
  std::set<std::uint32_t> m_frames;
  std::array<std::uint32_t, 3> m_offer{};  // format, width and height of the last buffer
};

/// One way of a connection.
class Way {
 public:
  Way(int from, int to) : m_from(from), m_to(to) {}

  /// `each` gives what goes before a message. False: the end of it.
  template <typename Each>
  bool pass(const Each& each) {
    if (!receive()) return false;
    std::string out;
    std::size_t at = 0;
    while (m_bytes.size() - at >= kHead) {
      const std::size_t size = wordOf(std::string_view(m_bytes).substr(at), 1) >> 16;
      if (size < kHead || m_bytes.size() - at < size) break;
      const std::string_view message = std::string_view(m_bytes).substr(at, size);
      out += each(message);
      out += message;
      at += size;
    }
    m_bytes.erase(0, at);
    return out.empty() || send(out);
  }

 private:
  using Beside = std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)>;

  bool receive() {
    std::vector<char> bytes(kMost);
    alignas(cmsghdr) Beside beside{};
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = beside.data();
    message.msg_controllen = beside.size();
    const ssize_t got = recvmsg(m_from, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0) return false;
    m_bytes.append(bytes.data(), static_cast<std::size_t>(got));
    for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each))
      for (std::size_t i = 0; i < (each->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
        int descriptor = -1;
        std::memcpy(&descriptor, CMSG_DATA(each) + i * sizeof(int), sizeof descriptor);
        m_passed.emplace_back(descriptor);
      }
    return true;
  }
  bool send(std::string& out) {
    alignas(cmsghdr) Beside beside{};
    iovec part{out.data(), out.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!m_passed.empty()) {
      message.msg_control = beside.data();
      message.msg_controllen = CMSG_SPACE(sizeof(int) * m_passed.size());
      cmsghdr* head = CMSG_FIRSTHDR(&message);
      head->cmsg_level = SOL_SOCKET;
      head->cmsg_type = SCM_RIGHTS;
      head->cmsg_len = CMSG_LEN(sizeof(int) * m_passed.size());
      for (std::size_t i = 0; i < m_passed.size(); ++i) {
        const int descriptor = m_passed[i].get();
        std::memcpy(CMSG_DATA(head) + i * sizeof(int), &descriptor, sizeof descriptor);
      }
    }
    const bool sent = sendmsg(m_to, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(out.size());
    m_passed.clear();
    return sent;
  }

  const int m_from, m_to;
  std::string m_bytes;                    // of a message that is not whole
  std::vector<net::Descriptor> m_passed;  // until they are sent
};

}  // namespace

WaylandRelay::WaylandRelay(const std::string& path, std::string compositor)
    : m_compositor(std::move(compositor)), m_listener(socketAt(path, true)), m_stop(eventfd(0, EFD_CLOEXEC)) {
  if (!m_listener) ADD_FAILURE() << "no socket at " << path;
  m_thread = std::thread([this] { main(); });
}

WaylandRelay::~WaylandRelay() {
  EXPECT_EQ(eventfd_write(m_stop.get(), 1), 0);
  m_thread.join();
}

void WaylandRelay::main() {
  for (;;) {
    std::array<pollfd, 2> waits{{{m_stop.get(), POLLIN, 0}, {m_listener.get(), POLLIN, 0}}};
    (void)poll(waits.data(), waits.size(), -1);
    if (waits[0].revents != 0) return;
    const net::Descriptor client(accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client) carry(client.get());
  }
}

void WaylandRelay::carry(int client) {
  const net::Descriptor compositor = socketAt(m_compositor, false);
  ScreenCopies copies;
  Way up(client, compositor.get());
  Way down(compositor.get(), client);
  for (bool goesOn = static_cast<bool>(compositor); goesOn;) {
    std::array<pollfd, 3> waits{
        {{m_stop.get(), POLLIN, 0}, {client, POLLIN, 0}, {compositor.get(), POLLIN, 0}}};
    (void)poll(waits.data(), waits.size(), -1);
    goesOn = waits[0].revents == 0;
    if (goesOn && waits[1].revents != 0)
      goesOn = up.pass([&](std::string_view message) {
        copies.request(message);
        return std::string();
      });
    if (goesOn && waits[2].revents != 0)
      goesOn = down.pass([&](std::string_view message) { return copies.before(message); });
  }
}

}  // namespace tactus::media::testing
