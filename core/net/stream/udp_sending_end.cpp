// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/udp_sending_end.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "core/net/link/traffic_class.h"
#include "core/net/stream/socket_fault.h"
#include "core/net/stream/udp_batch_end.h"
#include "core/net/stream/udp_link_end.h"

namespace tactus::net {
namespace {

periodic::ResourceRefusal refusal(const Error& error) {
  periodic::ResourceRefusal refused;
  refused.sentence = error.message;
  return refused;
}

/// By RFC 8837.
std::uint8_t trafficClassOf(LinkClass linkClass) noexcept {
  switch (linkClass) {
    case LinkClass::Control:
      return net::trafficClassOf(Carries::Data, SendPriority::High);
    case LinkClass::Audio:
      return net::trafficClassOf(Carries::Audio, SendPriority::High);
    case LinkClass::Stream:
      return net::trafficClassOf(Carries::InteractiveVideo, SendPriority::High);
    case LinkClass::Bulk:
      break;
  }
  return net::trafficClassOf(Carries::Data, SendPriority::Low);
}

/// All datagrams of the socket have the class: the kernel then routes a connected socket's once, not each.
/// Where it is refused, the stream has none, which changes nothing else.
void mark(const UdpPath& path, LinkClass linkClass) noexcept {
  const int value = trafficClassOf(linkClass);
  (void)setsockopt(path.socket.get(), IPPROTO_IP, IP_TOS, &value, sizeof value);
  if (path.offload.ipv6())  // it sends to IPv4 receivers, too (::ffff:a.b.c.d)
    (void)setsockopt(path.socket.get(), IPPROTO_IPV6, IPV6_TCLASS, &value, sizeof value);
}

Result<void> check(const StreamContract& contract, const Descriptor& socket,
                   const std::optional<UdpAddress>& destination) {
  if (auto valid = validate(contract); !valid.ok()) return valid;
  if (contract.transport != TransportKind::Udp)
    return Error{ErrorCode::InvalidArgument, "The contract is for another transport than UDP."};
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  if (!destination && getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer), &length) != 0)
    return Error{ErrorCode::InvalidArgument, "The socket is not connected, and there is no destination."};
  return {};
}

}  // namespace

Result<std::unique_ptr<UdpSendingEnd>, periodic::ResourceRefusal> UdpSendingEnd::create(
    Descriptor socket, std::optional<UdpAddress> destination, const StreamContract& contract, LinkTask* link,
    const std::string& name) {
  if (const auto checked = check(contract, socket, destination); !checked.ok())
    return refusal(checked.error());
  const auto offload = UdpOffload::probe(socket.get());
  if (!offload.ok()) return refusal(offload.error());
  auto buffers = DatagramBuffers::create(contract);
  if (!buffers.ok()) return refusal(buffers.error());
  UdpPath path{std::move(socket), destination, offload.value()};
  const FlowSpec flow = flowOf(contract, name).value();
  mark(path, flow.linkClass);
  if (link == nullptr)
    return std::unique_ptr<UdpSendingEnd>(
        std::make_unique<UdpBatchEnd>(std::move(path), std::move(buffers).value()));
  auto opened = link->open(flow);
  if (!opened.ok()) return opened.error();
  auto end = UdpLinkEnd::create(std::move(path), std::move(buffers).value(), latencyOf(contract),
                                std::move(opened).value());
  if (!end.ok()) return refusal(end.error());
  return std::unique_ptr<UdpSendingEnd>(std::move(end).value());
}

std::size_t UdpSendingEnd::bytesOf(const StreamContract& contract) noexcept {
  return std::max(UdpBatchEnd::bytesOf(contract), UdpLinkEnd::bytesOf(contract));
}

std::span<std::byte> UdpSendingEnd::room() TACTUS_REALTIME {
  reclaim();
  const auto room = fatalError() == 0 ? m_buffers.room() : std::span<std::byte>{};
  m_hadNoRoom = room.empty();
  return room;
}

EndWait UdpSendingEnd::wait() const TACTUS_REALTIME {
  if (fatalError() != 0 || (m_hadNoRoom && !m_buffers.isFull())) return EndWait::atOnce();
  return m_buffers.isEmpty() ? EndWait{} : waitInUse();
}

std::optional<EndBroken> UdpSendingEnd::broken() const {
  const int error = fatalError();
  return error == 0 ? std::nullopt : std::optional(EndBroken{fatalSentence(error)});
}

}  // namespace tactus::net
