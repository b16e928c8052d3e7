// SPDX-License-Identifier: Apache-2.0
#include "app/qos_socket.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "app/report.h"

namespace tactus::app {
namespace {

constexpr std::size_t kMostClients = 64;
constexpr std::size_t kLongestLine = 4096;
constexpr int kNoDescriptors = 100;  // ms, after which it is tried again

bool answers(const sockaddr_un& address) {
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const bool alive = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return alive;
}

/// All of it: half a line would be worse than the end.
bool sendAll(int socket, const std::string& text) {
  return ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(text.size());
}

std::string errorLine(const std::string& sentence) {
  const QJsonObject object{{"error", QString::fromStdString(sentence)}};
  return QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString() + "\n";
}

}  // namespace

Result<std::unique_ptr<QosSocket>> QosSocket::open(const std::string& path, periodic::QosEvents& events,
                                                   Named named) {
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
  return std::unique_ptr<QosSocket>(new QosSocket(path, listening, events, std::move(named)));
}

QosSocket::QosSocket(std::string path, int listening, periodic::QosEvents& events, Named named)
    : m_path(std::move(path)),
      m_listening(listening),
      m_stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      m_events(events),
      m_named(std::move(named)) {
  m_subscription =
      m_events.watch("socket", [this](const periodic::QosEvent& event) { send(toJsonLine(event) + "\n"); });
  m_thread = std::thread([this] { run(); });
}

QosSocket::~QosSocket() {
  const std::uint64_t one = 1;
  (void)!write(m_stop, &one, sizeof one);
  m_thread.join();
  m_events.unsubscribe(m_handler);
  m_events.unsubscribe(m_subscription);
  for (const auto& client : m_clients) close(client.socket);
  close(m_listening);
  close(m_stop);
  unlink(m_path.c_str());
}

void QosSocket::run() {
  bool accepts = true;
  for (;;) {
    std::vector<pollfd> waits{{m_stop, POLLIN, 0}, {accepts ? m_listening : -1, POLLIN, 0}};
    for (const auto& client : m_clients) waits.push_back({client.socket, POLLIN, 0});
    if (poll(waits.data(), waits.size(), accepts ? -1 : kNoDescriptors) < 0 && errno != EINTR) return;
    if (waits[0].revents != 0) return;
    std::size_t i = 2;
    for (auto& client : m_clients)
      if (waits[i++].revents != 0) read(client);
    removeGone();
    accepts = waits[1].revents == 0 || acceptClient();
  }
}

/// False: the process has no descriptor for it at present.
bool QosSocket::acceptClient() {
  const int socket = accept4(m_listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) return errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS;
  if (m_clients.size() >= kMostClients) {
    close(socket);
    return true;
  }
  const std::lock_guard lock(m_mutex);
  m_clients.push_back({.socket = socket});
  return true;
}

/// m_thread. What is sent meanwhile goes out between two lines.
void QosSocket::read(Client& client) {
  char bytes[1024];
  const ssize_t count = recv(client.socket, bytes, sizeof bytes, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  std::string answers;
  if (count > 0) client.unread.append(bytes, static_cast<std::size_t>(count));
  bool whole = count > 0;
  for (auto end = client.unread.find('\n'); end != std::string::npos; end = client.unread.find('\n')) {
    answers += answer(client, std::string_view(client.unread).substr(0, end));
    client.unread.erase(0, end + 1);
  }
  if (client.unread.size() > kLongestLine) {
    answers += errorLine("A line is longer than 4096 bytes.");
    whole = false;
  }
  const std::lock_guard lock(m_mutex);
  if (!answers.empty() && !sendAll(client.socket, answers)) whole = false;
  client.gone = client.gone || !whole;
}

std::string QosSocket::answer(Client& client, std::string_view line) {
  const auto request = qosRequestOf(line);
  if (!request.ok()) return errorLine(request.error().message);
  const auto done = carryOut(client, request.value());
  return done.ok() ? "{\"accepted\":true}\n" : errorLine(done.error().message);
}

Result<void> QosSocket::carryOut(Client& client, const QosRequest& request) {
  if (request.handles) {
    client.handles = *request.handles;
    followHandlers();
    return {};
  }
  const auto streams = m_named(request.window);
  if (streams.empty()) return Error{ErrorCode::NotFound, "There is no window '" + request.window + "'."};
  for (const std::uint64_t stream : streams)
    if (auto wanted = m_events.want({stream, "socket", request.action}); !wanted.ok()) return wanted;
  return {};
}

/// The clients' answers come as lines of their own: the handler's is none.
void QosSocket::followHandlers() {
  const bool handles =
      std::any_of(m_clients.begin(), m_clients.end(), [](const Client& client) { return client.handles; });
  if (handles && m_handler == 0)
    m_handler = m_events.attach(
        "socket", [](const periodic::QosEvent&) { return std::optional<periodic::QosAction>(); });
  if (!handles) m_events.unsubscribe(std::exchange(m_handler, 0));
}

void QosSocket::removeGone() {
  {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_clients, [](const Client& client) {
      if (client.gone) close(client.socket);
      return client.gone;
    });
  }
  followHandlers();
}

void QosSocket::send(const std::string& line) {
  const std::lock_guard lock(m_mutex);
  for (auto& client : m_clients) {
    if (client.gone || sendAll(client.socket, line)) continue;
    client.gone = true;
    shutdown(client.socket, SHUT_RDWR);  // wakes m_thread, which closes it
  }
}

}  // namespace tactus::app
