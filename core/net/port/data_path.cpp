// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/data_path.h"

#include <utility>

#include "core/net/port/control_socket.h"
#include "core/net/stream/local_receiving_end.h"
#include "core/net/stream/local_sending_end.h"
#include "core/net/stream/stream_socket.h"
#include "core/net/stream/tcp_receiving_end.h"
#include "core/net/stream/tcp_sending_end.h"
#include "core/net/stream/udp_receiving_end.h"
#include "core/net/stream/udp_sending_end.h"

namespace tactus::net {
namespace {

template <typename End>
Result<std::unique_ptr<SendingEnd>> asSending(Result<std::unique_ptr<End>, periodic::ResourceRefusal> made) {
  if (!made.ok()) return Error{ErrorCode::Refused, made.error().sentence};
  return std::unique_ptr<SendingEnd>(std::move(made).value());
}

template <typename Made, typename End>
Result<std::unique_ptr<End>> as(Result<std::unique_ptr<Made>> made) {
  if (!made.ok()) return made.error();
  return std::unique_ptr<End>(std::move(made).value());
}

}  // namespace

Result<DataPath> DataPath::offer(const StreamContract& contract, PortType type, int control, bool isLocal) {
  DataPath path;
  if (contract.transport == TransportKind::Local) {
    if (!isLocal)
      return Error{ErrorCode::Unsupported, "A local stream needs a Unix socket for its control connection."};
    if (type == PortType::Write) {
      auto ring = LocalRing::create(LocalSendingEnd::capacityFor(contract));
      if (!ring.ok()) return ring.error();
      path.ring.emplace(std::move(ring).value());
    }
  } else if (contract.transport == TransportKind::Udp) {
    auto socket = datagramsBeside(control);
    if (!socket.ok()) return socket.error();
    path.socket = std::move(socket).value();
  }
  return path;
}

Result<void> DataPath::complete(const StreamContract& contract, PortType type, int control,
                                std::uint16_t port, std::vector<Descriptor> descriptors) {
  if (contract.transport == TransportKind::Udp && type == PortType::Write) {
    auto to = datagramsOfPeer(control, port);
    if (!to.ok()) return to.error();
    destination = to.value();
  }
  if (contract.transport == TransportKind::Local && type == PortType::Read) {
    auto opened = LocalRing::open(std::move(descriptors), LocalSendingEnd::capacityFor(contract) + 64);
    if (!opened.ok()) return opened.error();
    ring.emplace(std::move(opened).value());
  }
  return {};
}

std::uint16_t DataPath::port(const StreamContract& contract, PortType type) const noexcept {
  const bool receives = contract.transport == TransportKind::Udp && type == PortType::Read;
  return receives ? portOf(socket.get()) : std::uint16_t{0};
}

std::vector<int> DataPath::descriptors() const {
  if (!ring) return {};
  const auto all = ring->descriptors();
  return {all.begin(), all.end()};
}

Result<std::unique_ptr<SendingEnd>> DataPath::sendingEnd(const StreamContract& contract, LinkTask* link,
                                                         const std::string& name) {
  switch (contract.transport) {
    case TransportKind::Udp:
      return asSending(UdpSendingEnd::create(std::move(socket), destination, contract, link, name));
    case TransportKind::Tcp:
      return asSending(TcpSendingEnd::create(std::move(socket), contract, link, name));
    case TransportKind::Local:
      break;
  }
  return as<LocalSendingEnd, SendingEnd>(LocalSendingEnd::create(*std::move(ring), contract));
}

Result<std::unique_ptr<ReceivingEnd>> DataPath::receivingEnd(const StreamContract& contract,
                                                             std::uint64_t session) {
  switch (contract.transport) {
    case TransportKind::Udp:
      return as<UdpReceivingEnd, ReceivingEnd>(UdpReceivingEnd::create(std::move(socket), session, contract));
    case TransportKind::Tcp:
      return as<TcpReceivingEnd, ReceivingEnd>(TcpReceivingEnd::create(std::move(socket), session, contract));
    case TransportKind::Local:
      break;
  }
  return as<LocalReceivingEnd, ReceivingEnd>(LocalReceivingEnd::create(*std::move(ring), session, contract));
}

}  // namespace tactus::net
