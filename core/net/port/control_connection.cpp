// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/control_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <variant>

#include "core/net/stream/descriptor_passing.h"
#include "core/net/stream/local_ring.h"

namespace tactus::net {
namespace {

Error failed(int error) {
  if (error == EPIPE || error == ECONNRESET || error == ENOTCONN || error == ETIMEDOUT)
    return {ErrorCode::Unavailable, "The other host closed the connection."};
  return {ErrorCode::System,
          std::string("The control connection of a stream failed: ") + std::strerror(error)};
}

bool isNothingNow(int error) noexcept {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

std::size_t descriptorsWith(const HandshakeMessage& message) noexcept {
  if (const auto* connect = std::get_if<ConnectMessage>(&message))
    return connect->contract.transport == TransportKind::Local && connect->type == PortType::Write
               ? LocalRing::kDescriptors
               : 0;
  const auto* accepted = std::get_if<AcceptedMessage>(&message);
  return accepted != nullptr && accepted->ring ? LocalRing::kDescriptors : 0;
}

ControlConnection::ControlConnection(Descriptor socket) noexcept : m_socket(std::move(socket)) {
  // A message does not wait until the one before it is acknowledged. A Unix socket has no such option.
  const int on = 1;
  (void)setsockopt(m_socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool ControlConnection::isLocal() const noexcept {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  return getsockname(m_socket.get(), reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
         own.ss_family == AF_UNIX;
}

Result<void> ControlConnection::send(const HandshakeMessage& message, std::span<const int> descriptors) {
  auto line = formatHandshake(message);
  if (!line.ok()) return line.error();
  const std::string& text = line.value();
  if (!descriptors.empty())
    return sendDescriptors(m_socket.get(), std::as_bytes(std::span(text)), descriptors);
  const ssize_t sent = ::send(m_socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == static_cast<ssize_t>(text.size())) return {};
  if (sent >= 0 || isNothingNow(errno))
    return Error{ErrorCode::Timeout, "The other host does not read what is said to it."};
  return failed(errno);
}

Result<std::optional<ControlArrival>> ControlConnection::receive() {
  std::array<char, LineReader::kLongestLine> seen{};
  const ssize_t came = recv(m_socket.get(), seen.data(), seen.size(), MSG_PEEK | MSG_DONTWAIT);
  if (came < 0) {
    if (isNothingNow(errno)) return std::optional<ControlArrival>();
    return failed(errno);
  }
  if (came == 0) return failed(ECONNRESET);
  const std::string_view bytes(seen.data(), static_cast<std::size_t>(came));
  const std::size_t newline = bytes.find('\n');
  const std::string_view part = bytes.substr(0, newline == std::string_view::npos ? newline : newline + 1);
  (void)m_lines.push(part);
  auto line = m_lines.pop();
  if (!line.ok()) return line.error();
  if (!line.value()) {
    auto taken = take(part.size(), 0);
    if (!taken.ok()) return taken.error();
    return std::optional<ControlArrival>();
  }
  auto message = parseHandshake(*line.value());
  if (!message.ok()) return message.error();
  auto descriptors = take(part.size(), descriptorsWith(message.value()));
  if (!descriptors.ok()) return descriptors.error();
  return std::optional(ControlArrival{std::move(message).value(), std::move(descriptors).value()});
}

/// Takes from the socket what was seen there.
Result<std::vector<Descriptor>> ControlConnection::take(std::size_t bytes, std::size_t descriptors) {
  std::array<std::byte, LineReader::kLongestLine> into{};
  if (descriptors > 0) {
    auto came = receiveDescriptors(m_socket.get(), std::span(into).first(bytes), descriptors);
    if (!came.ok()) return came.error();
    if (came.value().bytes != bytes)
      return Error{ErrorCode::Corrupt, "The other host sent descriptors with a part of a message."};
    return std::move(came).value().descriptors;
  }
  const ssize_t came = recv(m_socket.get(), into.data(), bytes, MSG_DONTWAIT);
  if (came < 0) return failed(errno);
  if (came != static_cast<ssize_t>(bytes))
    return Error{ErrorCode::Corrupt, "The other host sent descriptors within a message."};
  return std::vector<Descriptor>();
}

}  // namespace tactus::net
