// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port.h"

#include <utility>

#include "core/net/port/port_core.h"
#include "core/net/port/port_host.h"

namespace tactus::net {

Port::Port(PortHost& host, std::shared_ptr<Implementation> implementation) noexcept
    : m_host(host), m_implementation(std::move(implementation)) {}

Port::~Port() {
  // Nobody finds it any more; then it ends, and its name is free.
  m_implementation->end();
  m_host.forget(name());
}

Result<void> Port::attach(ReadHandler handler) {
  return m_implementation->attach(std::move(handler));
}
Result<void> Port::attach(WriteHandler handler) {
  return m_implementation->attach(std::move(handler));
}
Result<void> Port::connect(const StreamAddress& other, const std::string& token) {
  return m_implementation->connect(other, token);
}
Result<void> Port::disconnect() {
  return m_implementation->disconnect();
}
Result<void> Port::start() {
  return m_implementation->run(StreamOperation::Start);
}
Result<void> Port::stop() {
  return m_implementation->halt(StreamOperation::Stop);
}
Result<void> Port::pause() {
  return m_implementation->halt(StreamOperation::Pause);
}
Result<void> Port::resume() {
  return m_implementation->run(StreamOperation::Resume);
}
Result<void> Port::await(StreamState state, periodic::Duration atMost) {
  return m_implementation->await(state, atMost);
}
const std::string& Port::name() const noexcept {
  return m_implementation->terms().name;
}
PortType Port::type() const noexcept {
  return m_implementation->terms().type;
}
const std::string& Port::token() const noexcept {
  return m_implementation->terms().token;
}
PortQuery Port::query() const {
  return m_implementation->query();
}

}  // namespace tactus::net
