// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/stream_receiver.h"

#include <chrono>
#include <system_error>
#include <utility>

namespace tactus::media {

using namespace std::chrono_literals;
using net::StreamContract;
using net::StreamState;
using net::TransportKind;
using plugins::av::StreamBytes;

namespace {

/// How soon a wait sees that it is to end.
constexpr periodic::Duration kLook = 200ms;

}  // namespace

Result<std::unique_ptr<StreamReceiver>> StreamReceiver::start(net::PortHost& host, const std::string& name,
                                                              TransportKind transport,
                                                              std::optional<std::string> token) {
  auto bytes = StreamBytes::create(name, kCapacity);
  if (!bytes.ok()) return bytes.error();
  const StreamContract most{.transport = transport,
                            .largestBuffer = kLargestBuffer,
                            .workahead = StreamContract::kLargestWorkahead};
  auto port = host.createReader(name, most, std::move(token));
  if (!port.ok()) return port.error();
  std::unique_ptr<StreamReceiver> receiver(
      new StreamReceiver(std::move(bytes).value(), std::move(port).value(), transport != TransportKind::Udp));
  auto attached = receiver->m_port->attach(
      net::ReadHandler([self = receiver.get()](const net::StreamBuffer& buffer) { self->take(buffer); }));
  if (!attached.ok()) return attached.error();
  try {
    receiver->m_thread = std::thread([self = receiver.get()] { self->run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::System, std::string("Streams cannot be received: ") + error.what()};
  }
  return receiver;
}

StreamReceiver::~StreamReceiver() {
  m_quit = true;
  m_bytes->end({});  // a handler that waits for room returns
  if (m_thread.joinable()) m_thread.join();
}

/// Up-called by the port's task.
void StreamReceiver::take(const net::StreamBuffer& buffer) {
  if (m_bytes->put(buffer.bytes) || !m_waits) return;
  while (!m_bytes->waitForRoom(buffer.bytes.size(), kLook))
    if (m_bytes->isEnded()) return;
  (void)m_bytes->put(buffer.bytes);
}

void StreamReceiver::run() {
  while (!m_port->await(StreamState::Connected, kLook).ok())
    if (m_quit || m_bytes->isEnded()) return;
  if (m_port->start().ok())
    while (!m_port->await(StreamState::Attached, kLook).ok())
      if (m_quit) return;
  m_bytes->end(m_port->query().error);
}

}  // namespace tactus::media
