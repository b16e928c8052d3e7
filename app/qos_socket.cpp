// SPDX-License-Identifier: Apache-2.0
#include "app/qos_socket.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "app/report.h"

namespace tactus::app {
namespace {

constexpr std::size_t kMostClients = 64;

bool answers(const sockaddr_un& address) {
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const bool alive = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return alive;
}

}  // namespace

Result<std::unique_ptr<QosSocket>> QosSocket::open(const std::string& path, media::QosEvents& events) {
  const auto refused = [&](const std::string& why) {
    return Error{ErrorCode::System, "The QoS socket cannot be opened at " + path + ": " + why + "."};
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return refused("the path is too long for a socket");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  struct stat found {};
  if (lstat(path.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode)) return refused("there is a file of that name");
    if (answers(address)) return refused("another program listens there");
    unlink(path.c_str());
  }
  const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening < 0) return refused(std::strerror(errno));
  // Before anybody can connect: nobody else may.
  fchmod(listening, S_IRUSR | S_IWUSR);
  if (bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(listening, 16) != 0) {
    const std::string why = std::strerror(errno);
    close(listening);
    return refused(why);
  }
  return std::unique_ptr<QosSocket>(new QosSocket(path, listening, events));
}

QosSocket::QosSocket(std::string path, int listening, media::QosEvents& events)
    : m_path(std::move(path)),
      m_listening(listening),
      m_stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      m_events(events) {
  m_subscription = m_events.subscribe(
      "socket", [this](const media::QosEvent& event) { send(toJsonLine(event) + "\n"); },
      media::QosEvents::Role::Watches);
  m_thread = std::thread([this] { run(); });
}

QosSocket::~QosSocket() {
  m_events.unsubscribe(m_subscription);
  const std::uint64_t one = 1;
  (void)!write(m_stop, &one, sizeof one);
  m_thread.join();
  for (const int client : m_clients) close(client);
  close(m_listening);
  close(m_stop);
  unlink(m_path.c_str());
}

void QosSocket::run() {
  for (;;) {
    pollfd waits[2] = {{m_stop, POLLIN, 0}, {m_listening, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return;
    if (waits[0].revents != 0) return;
    if (waits[1].revents == 0) continue;
    const int client = accept4(m_listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) continue;
    const std::lock_guard lock(m_mutex);
    if (m_clients.size() < kMostClients) {
      m_clients.push_back(client);
    } else {
      close(client);
    }
  }
}

void QosSocket::send(const std::string& line) {
  const std::lock_guard lock(m_mutex);
  std::erase_if(m_clients, [&](int client) {
    // All of the line or none of the rest: half a line would be worse than the end.
    const ssize_t sent = ::send(client, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == static_cast<ssize_t>(line.size())) return false;
    close(client);
    return true;
  });
}

}  // namespace tactus::app
