// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/stream_sender.h"

#include <optional>
#include <span>
#include <utility>

namespace tactus::media {

using net::StreamContract;
using net::StreamState;

StreamContract sentContract(StreamContract asked, const WindowTerms& terms) {
  if (terms.priority == Priority::Background) {
    asked.rate.reset();
    asked.leastRate.reset();
  }
  asked.weight = terms.numbers().weight;
  return asked;
}

Result<std::unique_ptr<StreamSender>> StreamSender::start(net::PortHost& host, const std::string& name,
                                                          std::unique_ptr<OutgoingStream> source,
                                                          const WindowTerms& terms, const Target& target) {
  auto port = host.create(name, net::PortType::Write, sentContract(source->contract(), terms));
  if (!port.ok()) return port.error();
  std::unique_ptr<StreamSender> sender(new StreamSender(std::move(source), std::move(port).value()));
  const auto write = [self = sender.get()](std::span<std::byte> room) -> std::optional<std::size_t> {
    if (self->m_ends.load(std::memory_order_relaxed)) return std::nullopt;
    return self->m_source->write(room);
  };
  auto done = sender->m_port->attach(net::WriteHandler(write));
  if (done.ok()) done = sender->m_port->connect(target.address, target.token);
  if (done.ok()) done = sender->m_port->start();
  if (!done.ok()) return done.error();
  return sender;
}

StreamSender::~StreamSender() = default;

bool StreamSender::isOver() const {
  return m_port->query().state == StreamState::Attached;
}

std::string StreamSender::error() const {
  const std::string ofSource = m_source->problem();
  return ofSource.empty() ? m_port->query().error : ofSource;
}

}  // namespace tactus::media
